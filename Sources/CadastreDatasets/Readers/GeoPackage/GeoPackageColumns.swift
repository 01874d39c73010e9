import CadastreModel
import CadastreSQLite
import CadastreStore

/// The columns of the table of a layer.
struct GeoPackageColumns {
  /// The columns without the geometry, in the order of the table.
  var fields: [TypedField] = []
  /// The column that is the row key, as an SQL expression.
  var key = "rowid"

  /// Reads the columns from SQLite; generated columns are not included.
  init(_ layer: GeoPackageLayer, _ file: GeoPackageFile) throws(DatasetError) {
    var hasGeometry = layer.geometryColumn == nil
    var columns = self
    try file.each("PRAGMA table_info(\(SQL.quoted(layer.table)))") { row in
      let name = row.text(1)
      if name.lowercased() == layer.geometryColumn?.lowercased() {
        hasGeometry = true
        return
      }
      let type = row.text(2)
      if row.integer(5) == 1, type.uppercased() == "INTEGER" { columns.key = SQL.quoted(name) }
      columns.fields.append(
        TypedField(
          name: name, type: Self.type(declared: type),
          isDay: Self.typeName(declared: type) == "DATE"))
    }
    self = columns
    guard hasGeometry else {
      throw DatasetError(
        path: file.path,
        problem: .geoPackage(
          .corrupt(detail: "layer '\(layer.table)' has no column '\(layer.geometryColumn ?? "")'")))
    }
    for (index, field) in fields.enumerated() where field.name.isEmpty {
      throw DatasetError(path: file.path, problem: .unnamedColumn(number: index + 1))
    }
  }

  /// Returns the name in a declaration, without a size.
  private static func typeName(declared: String) -> Substring {
    declared.uppercased().prefix { $0 != "(" }.trimmingBlanks()
  }

  /// Returns the type for a declaration: a type of the standard, else by the affinity rules of SQLite.
  ///
  /// Source: OGC 12-128r17, table 1; sqlite.org/datatype3.html, section 3.1.
  static func type(declared: String) -> PropertyType {
    let word = typeName(declared: declared)
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
