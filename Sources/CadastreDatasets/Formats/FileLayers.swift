import CadastreFormatting
import CadastreSQLite

/// The layers of a file before its import.
package struct FileLayers {
  /// A layer.
  package struct Layer: Hashable, Sendable {
    /// The name, as for `--layer`.
    package let name: String
    /// The type of its geometries, such as POINT; nil for a table without geometries.
    package let geometry: String?
    /// The number of rows; nil if it is unknown.
    package let rows: Int?
  }

  /// The format of the file.
  package let format: FormatDescriptor
  /// The layers, in the order of the file; empty for a format without layers.
  package let all: [Layer]

  /// Lists the layers of a file.
  ///
  /// - Parameters:
  ///   - name: The file, or a file in a zip archive.
  ///   - format: The format; nil to detect it.
  /// - Throws: ``DatasetError`` or ``ImportError`` if the file cannot be read.
  /// - Complexity: O(n) in the number of rows of a GeoPackage; other files of GDAL are converted.
  package init(of name: String, format: FormatDescriptor? = nil) throws {
    let file = try InputFile(name)
    let format = try format ?? FormatDescriptor.common(of: [file])
    self.format = format
    do throws(DatasetError) {
      if format == .gpkg {
        all = try Self.layers(of: file.path)
      } else if format == .gdal || FormatDescriptor.all.allSatisfy({ $0 != format }) {
        let copy = try GDALCopy(of: file.path, layer: nil)
        all = try Self.layers(of: copy.path)
      } else {
        all = []
      }
    } catch {
      throw file.named(error)
    }
  }

  private static func layers(of path: String) throws(DatasetError) -> [Layer] {
    let file = try GeoPackageFile(path: path)
    var layers: [Layer] = []
    for layer in try GeoPackageLayer.all(in: file) {
      var rows: Int?
      // A view may join tables to more rows than can be counted.
      if try !file.isView(layer.table) {
        try file.each("SELECT count(*) FROM \(layer.quotedTable)") { rows = Int($0.integer(0)) }
      }
      layers.append(
        Layer(
          name: layer.table, geometry: layer.geometryColumn == nil ? nil : layer.geometryType,
          rows: rows))
    }
    return layers
  }
}
