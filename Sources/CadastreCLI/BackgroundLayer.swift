import CadastreDatasets
import CadastreMaps
import CadastreStore

/// The lines and polygons of a file, for the background of a map.
enum BackgroundLayer {
  /// Reads a file in any format that can be imported; invalid geometries are kept.
  ///
  /// - Parameter path: The path of the file.
  /// - Returns: The shapes; points have none.
  /// - Throws: `DatasetError`, `ImportError` or `StoreError`.
  static func shapes(_ path: String) throws -> [MapShape] {
    let folder = try TemporaryFolder(in: .disk)
    defer { withExtendedLifetime(folder) {} }
    var settings = ImportSettings(
      files: [path], store: folder.path + "/background.cadastre", className: "Background")
    settings.invalidShapes = .keep
    _ = try Importer(settings).run()
    let query = try StoreQuery(
      store: settings.store, className: settings.className, predicate: nil)
    var shapes: [MapShape] = []
    try query.forEachRecord(query.keys()) { record in
      if let shape = record.geometry.flatMap({ MapShape($0) }) { shapes.append(shape) }
    }
    return shapes
  }
}
