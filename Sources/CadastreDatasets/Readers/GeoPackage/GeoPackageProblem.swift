import CadastreFormatting

/// What is wrong with a GeoPackage or one of its rows.
package enum GeoPackageProblem: Hashable, Sendable {
  /// The file is no SQLite database.
  case notSQLite
  /// The file is an SQLite database without the tables that make a GeoPackage.
  case notGeoPackage
  /// Changes are in a log beside the file, and not in the file.
  case log(command: String)
  /// Somebody else has locked the file for too long.
  case locked
  /// The database contradicts itself, in SQLite's words.
  case damaged(detail: String)
  /// No layer holds points; the layers and their types.
  case noPoints(layers: [String])
  /// Several layers hold points, and none was named.
  case severalLayers([String])
  /// There is no layer of that name among those that are there.
  case noLayer(name: String, layers: [String])
  /// The layer is declared to hold something else than points.
  case geometryType(layer: String, type: String)
  /// The layer is a question to other tables, or something that a program makes up.
  case notATable(layer: String)
  /// The coordinates are in another reference system; a command that converts them.
  case referenceSystem(name: String, command: String)
  /// A row's geometry is not what the standard says.
  case geometry(detail: String)
  /// A row's geometry names another reference system than its layer.
  case otherReferenceSystem(found: Int, expected: Int)
  /// A text is not UTF-8.
  case text(field: String)
}

extension GeoPackageProblem {
  var sentence: String {
    switch self {
    case .notSQLite: "is not an SQLite database; expected a GeoPackage"
    case .notGeoPackage:
      "is an SQLite database without the tables of a GeoPackage, gpkg_contents and its like"
    case .log(let command):
      "has a log of changes beside it; close the program that writes it, or bring them into the "
        + "file: \(printable(command))"
    case .locked: "is locked by another program; expected that nobody writes it"
    case .damaged(let detail): "is damaged: \(printable(detail))"
    case .noPoints(let layers):
      layers.isEmpty
        ? "has no layers of features" : "has no layer of points; its layers are \(list(layers))"
    case .severalLayers(let layers):
      "has several layers of points, name one of them: \(list(layers))"
    case .noLayer(let name, let layers):
      "has no layer '\(printable(name))'; its layers are \(list(layers))"
    case .geometryType(let layer, let type):
      "layer '\(printable(layer))' holds geometries of type \(printable(type)); points are read"
    case .notATable(let layer):
      "layer '\(printable(layer))' is not a table of its own; save it as one, then read that"
    case .referenceSystem(let name, let command):
      "its coordinates are in '\(printable(name))'; expected longitude and latitude on WGS 84: "
        + printable(command)
    case .geometry(let detail): "its geometry is not read: \(detail)"
    case .otherReferenceSystem(let found, let expected):
      "its geometry names the reference system \(found); expected \(expected), as for its layer"
    case .text(let field): "the text in '\(printable(field))' is not valid UTF-8"
    }
  }

  private func list(_ layers: [String]) -> String {
    layers.prefix(20).map { printable($0) }.joined(separator: ", ")
      + (layers.count > 20 ? " …" : "")
  }
}
