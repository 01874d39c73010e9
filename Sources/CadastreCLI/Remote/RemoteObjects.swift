import ArgumentParser
import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastrePostgres
import CadastrePredicate
import CadastreStore

/// A query on a PostgreSQL database that a command uses in place of a store.
struct RemoteObjects: Sendable {
  private let database: RemoteDatabase
  private let query: RemoteQuery
  private let root: ObjectSchema
  private let layout: TableLayout
  private let distance: DistanceColumn?

  /// Reads the classes of a database and binds a query.
  ///
  /// - Throws: `PostgresError`, or `QueryPredicateError` with the location in the predicate.
  init(
    _ database: RemoteDatabase, _ match: MatchOptions, order: String? = nil, near: GeoPoint? = nil,
    offset: Int = 0, limit: Int? = nil
  ) throws {
    self.database = database
    let classes = try database.classes()
    root = try classes.schema.queriedClass(match.className)
    guard let table = classes.tables[root.className] else {
      throw PostgresMappingError(
        subject: "class '\(root.className)'", reason: "its objects are parts of others; query these"
      )
    }
    layout = table.layout
    var objects = ObjectQuery(match.className, offset: offset, limit: limit)
    distance = try near.flatMap { try DistanceColumn($0, match.className, classes.schema) }
    objects.order = (distance.map { [$0.sortKey] } ?? []) + (try order.map(SortText.keys) ?? [])
    query = RemoteQuery(
      classes,
      try objects.bound(
        to: classes.schema, predicate: match.predicate, arguments: try match.parsedArguments,
        edges: match.edges, regions: match.regions))
  }

  /// The name of the primary key; nil if there is none.
  var primaryKey: String? { root.primaryKeyProperty?.name }

  /// Returns the columns of the output.
  func columns(_ named: String?) throws -> [OutputColumn] {
    try ClassColumns(root, in: query.classes.schema).columns(named)
      + (distance.map { [OutputColumn($0.path, type: .double)] } ?? [])
  }

  /// Returns the number of matching objects.
  func count() throws -> Int {
    let query = query
    return try database.run { try await query.count($0) }
  }

  /// Returns the keys of the matching objects, sorted.
  func keys() throws -> [Int64] {
    let query = query
    return try database.run { try await query.keys($0) }
  }

  /// Returns the statement of the query and the plan of the server.
  func explain() throws -> String {
    let query = query
    return try database.run { try await query.explain($0) }
  }

  /// Writes the objects to a closure in pieces, in the order of the query.
  ///
  /// - Parameters:
  ///   - writer: The writer of the output format.
  ///   - body: The closure that receives the bytes.
  /// - Returns: The number of objects.
  /// - Throws: `PostgresError`, `UntranslatablePart`, or the error of the closure.
  /// - Complexity: O(n) time and constant memory.
  func write(
    with writer: RecordWriter, to body: @escaping ([UInt8]) throws -> Void
  ) throws -> Int {
    let (query, layout, distance) = (query, layout, distance)
    // Safe because one connection uses them, while this thread waits.
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var writer = writer
    try database.run { connection in
      try await query.forEachRow(connection) { row in
        let record = StoredRecord(row, layout)
        try writer.append(distance?.added(to: record) ?? record, to: body)
      }
    }
    try writer.finish(to: body)
    return writer.count
  }
}
