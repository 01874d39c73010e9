import CadastreEngine
import CadastreModel

/// The columns of a result, each read for all objects when its first member is decoded.
final class ResultColumns {
  private let result: QueryResult
  private let table: ManagedTable
  private let keys: [Int64]
  /// The keys in the order of the rows of the table, in which columns are read; nil where they are
  /// in that order already.
  private let order: KeyOrder?
  private var members: [String: Member] = [:]
  private var object: (row: Int, record: ObjectRecord)?
  /// The number of objects that were made for members outside of columns; tests compare it.
  private(set) var objectsMade = 0

  /// A member of the class at the end of a path.
  private enum Member {
    /// The value of each row.
    case values([Value])
    /// The object's presence in each row, and its class.
    case objects([Value], ObjectSchema)
    /// Read through an object.
    case outside
    case missing
  }

  init(_ result: QueryResult, _ table: ManagedTable) {
    self.result = result
    self.table = table
    keys = result.keys
    order = KeyOrder(of: keys)
  }

  /// The number of rows.
  var count: Int { keys.count }

  /// The row at an index.
  func row(_ index: Int) -> ColumnRecord {
    ColumnRecord(columns: self, index: index, prefix: "", schema: table.info.schema)
  }

  /// Returns the content of a row at the end of a path; nil where the class has no such path.
  func content(of path: String, row: Int) -> RowContent? {
    switch member(path) {
    case .values(let values): RowContent(values[row], in: result.core)
    case .objects(let presence, let schema):
      presence[row].isNull
        ? .null
        : .record(ColumnRecord(columns: self, index: row, prefix: path + ".", schema: schema))
    case .outside: record(row).content(of: path)
    case .missing: nil
    }
  }

  private func member(_ path: String) -> Member {
    if let known = members[path] { return known }
    let member = read(path)
    members[path] = member
    return member
  }

  private func read(_ path: String) -> Member {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let schema = result.core.schema
    guard let property = table.info.schema.property(at: names, schema.target) else {
      return .missing
    }
    guard property.collection == nil, let values = values(PropertyPath(path)) else {
      return .outside
    }
    guard property.type == .object else { return .values(values) }
    guard let target = schema.target(of: property) else { return .missing }
    return .objects(values, target)
  }

  /// The values at a path, in the order of the result; nil where they are in no column.
  private func values(_ path: PropertyPath) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(keys.count)
    let isColumn = result.forEachColumn(at: path, of: order?.keys ?? keys) { column, rows in
      for row in rows { values.append(column.value(row)) }
    }
    // After a read error there are fewer values than objects.
    guard isColumn, values.count == keys.count else { return nil }
    return order?.restored(values) ?? values
  }

  /// The object of a row, which its members outside of columns share.
  private func record(_ row: Int) -> ObjectRecord {
    if let object, object.row == row { return object.record }
    objectsMade += 1
    let position = ObjectPosition(ManagedRow(table, ObjectKey(keys[row])))
    let record = ObjectRecord(table.info.makeInstance(of: table.info.type, at: position))
    object = (row, record)
    return record
  }
}

/// A row of a result, or an object in it that a link or an embedded object leads to.
struct ColumnRecord: RowRecord {
  let columns: ResultColumns
  let index: Int
  /// The path to the object with a dot at its end; empty for the row's own object.
  let prefix: String
  let schema: ObjectSchema

  var names: [String] { schema.properties.map(\.name) }
  var hasFixedNames: Bool { true }
  var kindName: String { "class '\(schema.className)'" }

  func content(of name: String) -> RowContent? {
    columns.content(of: prefix.isEmpty ? name : prefix + name, row: index)
  }
}
