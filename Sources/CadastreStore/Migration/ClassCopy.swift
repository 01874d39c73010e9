import CadastreModel
import CadastreSQLite

/// A copy of a class and its objects within a write transaction.
///
/// The embedded objects of the class are stored in the rows of their owners; see ``OwningClassCopy`` for
/// others.
struct ClassCopy {
  private let state: TransactionTables
  private let className: String
  private let name: String
  private var connection: Connection { state.connection }

  init(_ state: TransactionTables, from className: String, to name: String) {
    self.state = state
    self.className = className
    self.name = name
  }

  /// Copies the class and returns the number of objects.
  func run() throws(StoreError) -> Int {
    guard let source = state.catalogue.layout(className) else { throw missing(className) }
    try SchemaWriter(state).adopt(
      Schema([source.schema.with(className: name)]))
    guard let target = state.catalogue.layout(name) else { throw missing(name) }
    try state.discardWriters()
    let matcher = FieldMatcher(old: state.catalogue.schema, new: state.catalogue.schema)
    let match = matcher.match(FieldMatcher.Side(source), FieldMatcher.Side(target))
    let move = RowMove.inPlace(TableSource(source), target, connection)
    try move.insert(match.columns, [:])
    let count = try connection.integer("SELECT count(*) FROM \(SQL.quoted(target.tableName))") ?? 0
    for (old, new, _) in match.collections { try move.move(old, to: new) }
    for index in target.textIndexes { try TextIndexWriter(index, target, connection).build(target) }
    for index in target.spatialIndexes {
      try SpatialIndexWriter(index, target, connection).build()
    }
    try connection.run(
      "UPDATE cadastre_class SET row_count = ?1, next_key = "
        + "(SELECT next_key FROM cadastre_class WHERE name = ?2) WHERE name = ?3",
      .int(count), .string(className), .string(name))
    state.noteSchemaChange()
    return Int(count)
  }

  private func missing(_ className: String) -> StoreError {
    StoreError(.corrupt("class '\(className)' has no table"), path: connection.path)
  }
}

/// A copy of a class whose embedded objects have separate rows, object by object.
struct OwningClassCopy {
  private let transaction: WriteTransaction
  private let source: TableLayout

  /// The number of objects that are read together.
  private static let batch = 1000
  init(_ transaction: WriteTransaction, of source: TableLayout) {
    self.transaction = transaction
    self.source = source
  }

  /// Copies the class and its objects.
  ///
  /// - Parameter name: The name of the copy, which no class has.
  /// - Returns: The number of objects.
  /// - Throws: ``StoreError``; the transaction must be rolled back then.
  func run(to name: String) throws(StoreError) -> Int {
    try transaction.adopt(
      Schema([source.schema.with(className: name)]))
    guard let target = transaction.catalogue.layout(name) else {
      throw corrupt("class '\(name)' has no table")
    }
    let days = try transaction.flush(.elements).dayColumns(source)
    if !days.isEmpty { try transaction.addDayColumns(days, of: target) }
    let writer = RowWriter(transaction, target, properties: Array(target.fields.indices))
    var count = 0
    var last = ObjectKey(0)
    while true {
      let keys = try transaction.keys(source, after: last, limit: Self.batch)
      let rows = RowCopy(
        from: try transaction.flush(.elements), to: transaction.catalogue, keepsLinks: true)
      for key in keys {
        try writer.insert(try rows.row(key, source, as: target))
        last = key
      }
      count += keys.count
      if keys.count < Self.batch { return count }
    }
  }

  private func corrupt(_ reason: String) -> StoreError {
    StoreError(.corrupt(reason), path: transaction.path)
  }
}
