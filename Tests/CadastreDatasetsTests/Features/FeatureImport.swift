import Foundation

@testable import CadastreDatasets

/// Imports of files of features into temporary stores.
struct FeatureImport {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Writes a file and returns its path.
  func file(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
    try folder.file(name, bytes)
  }

  /// Imports a file into a new store.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - change: Changes the settings.
  /// - Returns: The report, and the objects as JSON in the order of the file.
  /// - Throws: The error of the import or of the query.
  func objects(
    _ path: String, _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> (report: ImportReport, objects: [String]) {
    var settings = ImportSettings(
      files: [path], store: folder.url.appendingPathComponent(UUID().uuidString).path,
      className: "T")
    change(&settings)
    let report = try Importer(settings).run()
    // Files without records create no store.
    guard FileManager.default.fileExists(atPath: settings.store) else { return (report, []) }
    let query = try StoreQuery(store: settings.store, className: "T", predicate: nil)
    let objects = try query.keys().compactMap {
      try query.record($0).map { FieldText.json(.record($0)) }
    }
    return (report, objects)
  }

  /// Imports a text and returns the message of the error; an empty one if there is none.
  ///
  /// The message begins with the name of the file, without its folder.
  func message(
    _ name: String, _ bytes: some Sequence<UInt8>,
    _ change: (inout ImportSettings) -> Void = { _ in }
  ) throws -> String {
    let path = try file(name, bytes)
    do {
      _ = try objects(path, change)
      return ""
    } catch {
      return "\(error)".replacing(folder.url.path + "/", with: "")
    }
  }
}
