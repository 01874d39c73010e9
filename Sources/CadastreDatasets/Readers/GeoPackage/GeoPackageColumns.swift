import CadastreModel
import CadastreSQLite
import CadastreStore

/// The columns of a layer's table.
struct GeoPackageColumns {
  /// All but the geometry, in the order of the table.
  var fields: [TypedField] = []
  /// The key by which rows are in order, as it stands in SQL.
  var key = "rowid"

  /// Asks SQLite for the columns; worked out ones are not among them.
  init(_ layer: GeoPackageLayer, _ file: GeoPackageFile) throws(DatasetError) {
    var hasGeometry = false
    var found = self
    try file.each("PRAGMA table_info(\(SQL.quoted(layer.table)))") { row in
      let name = row.text(1)
      if name.lowercased() == layer.geometryColumn.lowercased() {
        hasGeometry = true
        return
      }
      let type = row.text(2)
      if row.integer(5) == 1, type.uppercased() == "INTEGER" { found.key = SQL.quoted(name) }
      found.fields.append(TypedField(name: name, type: Self.type(declared: type)))
    }
    self = found
    guard hasGeometry else {
      throw DatasetError(
        path: file.path,
        problem: .geoPackage(
          .damaged(detail: "layer '\(layer.table)' has no column '\(layer.geometryColumn)'")))
    }
    for (index, field) in fields.enumerated() where field.name.isEmpty {
      throw DatasetError(path: file.path, problem: .unnamedColumn(number: index + 1))
    }
  }

  /// The type behind a declaration: one of the standard's, or else by SQLite's rules of affinity.
  ///
  /// Source: OGC 12-128r17, table 1; sqlite.org/datatype3.html, section 3.1.
  static func type(declared: String) -> PropertyType {
    let word = declared.uppercased().prefix { $0 != "(" }.trimmingBlanks()
    switch word {
    case "BOOLEAN": return .bool
    case "DATE", "DATETIME": return .date
    case "BLOB": return .data
    case _ where word.contains("INT"): return .int
    case _ where ["REAL", "FLOA", "DOUB"].contains { word.contains($0) }: return .double
    default: return .string
    }
  }
}
