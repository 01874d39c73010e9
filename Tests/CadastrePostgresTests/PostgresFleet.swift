import CadastreModel
import CadastrePostgres
import CadastrePredicate
import CadastreStore
import CadastreTestSupport

/// The objects of a test in a database of the test server.
struct PostgresFleet {
  let connection: PostgresConnection
  let classes: RemoteClasses

  /// Copies objects to a new database.
  init(_ objects: PlainObjects, on server: PostgresServer) async throws {
    connection = try await PostgresConnection.open(try server.newAddress())
    classes = try RemoteClasses(
      objects.schema, names: try await SchemaNames.ofPush(connection))
    for table in classes.tables.values {
      try await connection.run(table.creation)
      var stream = CopyStream()
      let name = table.schema.className
      for key in objects.keys(name) {
        let object = objects.object(name, key) ?? [:]
        stream.append(
          try table.encoded(table.layout.row(object), table.layout, key: ObjectKey(key)) {
            collection in
            switch object[collection.path.description] {
            case .list(let values) where collection.kind == .set:
              Set(values).map { ("", $0) }
            case .list(let values): values.map { ("", $0) }
            case .map(let map): map.entries.map { ($0.key, $0.value) }
            default: []
            }
          })
      }
      stream.finish()
      let chunks = ChunkReader(stream.take())
      _ = try await connection.copyIn(table.copy) { chunks.next() }
      for statement in table.keysAndIndexes { try await connection.run(statement) }
    }
  }

  /// The keys of a query's objects in its order.
  func keys(_ query: BoundQuery) async throws -> [Int64] {
    try await RemoteQuery(classes, query).keys(connection)
  }

  /// The number of a query's objects.
  func count(_ query: BoundQuery) async throws -> Int {
    try await RemoteQuery(classes, query).count(connection)
  }
}

/// A key or count that is no integer.
struct UnexpectedKey: Error {}
