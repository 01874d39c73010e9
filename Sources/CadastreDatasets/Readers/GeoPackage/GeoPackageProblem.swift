import CadastreFormatting

/// An error in a GeoPackage or in one of its rows.
package enum GeoPackageProblem: Hashable, Sendable {
  /// The file is no SQLite database.
  case notSQLite
  /// The file is an SQLite database without the tables of a GeoPackage.
  case notGeoPackage
  /// The file has a write-ahead log with changes; a command that merges it.
  case log(command: String)
  /// Another process has locked the file.
  case locked
  /// The database is inconsistent; the message of SQLite.
  case corrupt(detail: String)
  /// A row, a text or a blob is too large; the greatest number of bytes.
  case valueTooLarge(limit: Int)
  /// There is no layer.
  case noLayers
  /// There are several layers, and none was named.
  case severalLayers([String])
  /// There is no layer with the name; the existing layers.
  case noLayer(name: String, layers: [String])
  /// The layer is a view or a virtual table.
  case notATable(layer: String)
  /// The reference system is not WGS 84; a command that converts the file.
  case referenceSystem(name: String, command: String)
  /// The geometry of a row is invalid.
  case geometry(detail: String)
  /// The geometry of a row has another reference system than its layer.
  case otherReferenceSystem(found: Int, expected: Int)
  /// A text is not UTF-8.
  case text(field: String)
}

extension GeoPackageProblem {
  /// The error as a clause that follows the location.
  var sentence: String {
    switch self {
    case .notSQLite: "is not an SQLite database; expected a GeoPackage"
    case .notGeoPackage:
      "is an SQLite database without the tables of a GeoPackage; expected gpkg_contents, "
        + "gpkg_geometry_columns and gpkg_spatial_ref_sys"
    case .log(let command):
      "has a write-ahead log; close the program that writes it, or merge the log into the file: "
        + printable(command)
    case .locked: "is locked by another program; close that program and try again"
    case .corrupt(let detail): "is corrupt: \(printable(detail))"
    case .valueTooLarge(let limit):
      "has a row or a value of more than \(limit) bytes; expected smaller geometries"
    case .noLayers: "has no layers of features and no tables of attributes"
    case .severalLayers(let layers):
      "has several layers; name one with --layer: \(list(layers))"
    case .noLayer(let name, let layers):
      "has no layer '\(printable(name))'; its layers are \(list(layers))"
    case .notATable(let layer):
      "layer '\(printable(layer))' is a view or a virtual table; expected an ordinary table"
    case .referenceSystem(let name, let command):
      "the coordinates are in '\(printable(name))'; expected longitude and latitude in WGS 84, or "
        + "the library PROJ, which converts them: "
        + printable(command)
    case .geometry(let detail): "the geometry is invalid: \(detail)"
    case .otherReferenceSystem(let found, let expected):
      "the geometry has the reference system \(found); expected \(expected), as for the layer"
    case .text(let field): "the text in '\(printable(field))' is not valid UTF-8"
    }
  }

  private func list(_ layers: [String]) -> String {
    layers.prefix(20).map { printable($0) }.joined(separator: ", ")
      + (layers.count > 20 ? " …" : "")
  }
}
