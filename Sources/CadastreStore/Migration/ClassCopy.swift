import CadastreModel
import CadastreSQLite

/// A copy of a class and its objects within a write transaction.
///
/// The embedded objects of the class must be stored in the rows of their owners.
struct ClassCopy {
  private let state: TransactionState
  private let className: String
  private let name: String
  private var connection: Connection { state.connection }

  init(_ state: TransactionState, from className: String, to name: String) {
    self.state = state
    self.className = className
    self.name = name
  }

  /// Copies the class and returns the number of objects.
  func run() throws(StoreError) -> Int {
    guard let source = state.catalogue.layout(className) else { throw missing(className) }
    try SchemaWriter(state).adopt(
      Schema([ObjectSchema(className: name, properties: source.schema.properties)]))
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
