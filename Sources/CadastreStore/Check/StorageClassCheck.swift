import CadastreModel
import CadastreSQLite

/// A check that the storage class of each value fits the type of its property; other values read as null.
struct StorageClassCheck {
  private let layout: TableLayout
  private let connection: Connection

  init(_ layout: TableLayout, _ connection: Connection) {
    self.layout = layout
    self.connection = connection
  }

  /// Returns the problems of a class and its collections, one sentence each.
  ///
  /// - Complexity: O(n) in the number of rows and elements.
  func problems() throws(StoreError) -> [String] {
    let name = layout.schema.className
    var problems = try problems(
      layout.tableName, layout.columns.map { (column: $0, name: "\(name).\($0.name)") })
    for collection in layout.collections {
      problems += try self.problems(
        collection.tableName, [(collection.element, "\(name).\(collection.path)")])
    }
    return problems
  }

  private func problems(
    _ table: String, _ columns: [(column: Column, name: String)]
  ) throws(StoreError) -> [String] {
    let checked = columns.compactMap { column, name in
      column.type.storageClasses.map { classes in
        let names = (classes + ["null"]).map { "'\($0)'" }.joined(separator: ", ")
        var condition = "typeof(\(column.sqlNames[0])) NOT IN (\(names))"
        // Readers would interpret another number as true or false differently.
        if column.type == .bool {
          condition += " OR ifnull(\(column.sqlNames[0]), 0) NOT IN (0, 1)"
        }
        return (name: name, condition: condition)
      }
    }
    guard !checked.isEmpty else { return [] }
    let row = try connection.statement(
      "SELECT \(checked.map { "sum(\($0.condition))" }.joined(separator: ", ")) "
        + "FROM \(SQL.quoted(table))")
    defer { row.reset() }
    guard try row.step() else { return [] }
    return checked.enumerated().compactMap { index, column in
      let count = row.integer(index)
      return count > 0 ? "\(count) values of '\(column.name)' have another type" : nil
    }
  }
}

extension PropertyType {
  /// SQLite's names of the storage classes of values of the type; nil where all are possible.
  fileprivate var storageClasses: [String]? {
    switch self {
    case .int, .bool, .object, .linkingObjects: ["integer"]
    // NaN and -0.0 are stored as their bytes.
    case .float, .double: ["real", "integer", "blob"]
    // See `StoredDate`.
    case .date: ["integer", "real", "blob"]
    case .string, .decimal128: ["text"]
    case .data, .objectId, .UUID, .geometry: ["blob"]
    case .any: nil
    }
  }
}
