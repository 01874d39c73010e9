import CadastreModel
import CadastrePredicate
import CadastreStore

/// The rows of one class that a traversal has reached; stored rows are read once.
final class RowTable {
  let layout: TableLayout
  private let rows: any RowProvider
  private var known: [Int64: [Value]] = [:]

  init(_ layout: TableLayout, _ rows: any RowProvider) {
    self.layout = layout
    self.rows = rows
  }

  /// The columns of a row; nil where there is none.
  func row(_ key: Int64) throws -> [Value]? {
    if let row = known[key] { return row }
    guard let row = try rows.row(layout, key) else { return nil }
    guard rows.areRowsImmutable else { return row }
    if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
    known[key] = row
    return row
  }

  /// The largest number of cached rows.
  private static let capacity = 4 * ColumnBatch.capacity
}

/// An object in a table, or one embedded in the row of another.
struct StoredObject {
  let table: RowTable
  let key: Int64
  /// The embedded object's columns in the row, and its generation; nil for the row itself.
  var inner: (layout: EmbeddedLayout, number: Value)?

  var schema: ObjectSchema { inner?.layout.schema ?? table.layout.schema }
  var fields: [FieldLayout] { inner?.layout.fields ?? table.layout.fields }
  var point: PointColumns? { inner.map(\.layout.point) ?? table.layout.point }
  func row() throws -> [Value]? { try table.row(key) }

  /// The object as a value in a comparison.
  var value: Value {
    let row = ObjectAddress(className: table.layout.schema.className, key: ObjectKey(key))
    guard let inner, case .int(let number) = inner.number else { return .object(row) }
    return .embedded(in: row, at: inner.layout.path, number: number)
  }
}
