import CadastreModel
import CadastreStore

/// The rows of one class that a walk has come to, each read once.
final class RowTable {
  let layout: TableLayout
  private let reader: any StoreReader
  private var known: [Int64: [Value]] = [:]

  init(_ layout: TableLayout, _ reader: any StoreReader) {
    self.layout = layout
    self.reader = reader
  }

  /// The columns of a row; nil where there is none.
  func row(_ key: Int64) throws -> [Value]? {
    if let row = known[key] { return row }
    guard let row = try reader.row(layout, ObjectKey(key)) else { return nil }
    if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
    known[key] = row
    return row
  }

  /// Rows kept at most.
  private static let capacity = 4 * ColumnBatch.capacity
}

/// An object in a table, or one embedded in the row of another.
struct StoredObject {
  let table: RowTable
  let key: Int64
  /// The embedded object's columns in the row; nil for the row itself.
  var inner: EmbeddedLayout?

  var schema: ObjectSchema { inner?.schema ?? table.layout.schema }
  var fields: [FieldLayout] { inner?.fields ?? table.layout.fields }
  var point: PointColumns? { inner == nil ? table.layout.point : inner?.point }
  func row() throws -> [Value]? { try table.row(key) }

  /// What the object is in a comparison; an embedded one only is there.
  var value: Value {
    table.layout.schema.isEmbedded || inner != nil
      ? .bool(true)
      : .object(ObjectAddress(className: table.layout.schema.className, key: ObjectKey(key)))
  }
}
