public import Cadastre
import CadastreModel
import CadastrePredicate
import CadastreStore
import Synchronization

/// A PostgreSQL database with PostGIS that holds objects of the same classes as a Realm.
///
/// `cadastre push` copies the classes of a store to a database. The server runs the queries, which take the same
/// conditions as queries on a Realm and return the same objects. A query with a part that has no exact
/// translation to SQL throws an error that names the part.
///
///     let store = try await PostgresStore.connect("postgresql://me@localhost/places")
///     let french = store.objects(Place.self).where { $0.country == "FR" }
///     print(try await french.count())
///     for try await place in french.sorted(by: \.population, ascending: false).limit(10) {
///       print(place.name)
///     }
///
/// Objects are unmanaged copies of rows. Their links are nil, and their lists, sets and maps of links are empty,
/// unless ``PostgresResults`` loads them; ``add(_:update:)`` writes only loaded links.
public struct PostgresStore: Sendable {
  let pool: ConnectionPool
  private let cache = ClassCache()

  /// The classes of the database as ``refresh()`` read them.
  private final class ClassCache: Sendable {
    let classes = Mutex<RemoteClasses?>(nil)
  }

  private init(_ pool: ConnectionPool) { self.pool = pool }

  /// Connects to a database.
  ///
  /// libpq completes the address from the environment, the service file and the password file, as
  /// `psql` does. Connections are opened on demand; a task beyond the maximum is suspended until one is free.
  ///
  /// Opening a connection fails after 10 seconds, and a statement fails within three minutes after its peer or
  /// network has failed. The options `connect_timeout`, `keepalives_idle`, `keepalives_interval`,
  /// `keepalives_count` and `tcp_user_timeout` of the address change these times. A stopped server process, or a
  /// proxy that forwards no bytes, is detected only by `replyTimeout`, which must exceed the duration of the
  /// longest statement.
  ///
  /// - Parameters:
  ///   - address: A URL such as `postgresql://user@host:5432/database?sslmode=verify-full`, or a
  ///     connection string.
  ///   - maximumConnections: The maximum number of connections.
  ///   - statementTimeout: The maximum duration of a statement; nil for the server's setting.
  ///   - replyTimeout: The maximum time without traffic while a statement runs; nil for no limit. A statement
  ///     timeout limits it to ten seconds more than that timeout.
  ///   - noticeHandler: Receives the warnings of the server, each on one line without control characters,
  ///     on any thread; nil to drop them.
  /// - Returns: The store.
  /// - Throws: ``PostgresError`` if the address cannot be read or the server refuses it.
  public static func connect(
    _ address: String, maximumConnections: Int = 8, statementTimeout: Duration? = nil,
    replyTimeout: Duration? = .seconds(3600), noticeHandler: (@Sendable (String) -> Void)? = nil
  ) async throws -> PostgresStore {
    let settings = ConnectionSettings(
      statementTimeout: statementTimeout, replyTimeout: replyTimeout, noticeHandler: noticeHandler)
    let store = PostgresStore(
      ConnectionPool(address, limit: maximumConnections, settings))
    try await store.refresh()
    return store
  }

  /// Reads the classes of the database again, for example after a push of another program.
  ///
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` for classes of a later version.
  public func refresh() async throws {
    let classes = try await pool.withConnection { try await RemoteClasses.read($0) }
    cache.classes.withLock { $0 = classes }
  }

  /// The names of the classes of the database, sorted.
  public var classNames: [String] { classes?.tables.keys.sorted() ?? [] }

  /// Returns all objects of a class.
  ///
  /// - Complexity: O(1); a statement runs only when the result is read.
  public func objects<Element: Object>(_ type: Element.Type) -> PostgresResults<Element> {
    PostgresResults(self)
  }

  private var classes: RemoteClasses? { cache.classes.withLock { $0 } }

  /// Returns the classes, after a check that the database has the properties of a type and of its embedded objects.
  func classes(for type: Object.Type) throws(PostgresMappingError) -> RemoteClasses {
    let model = DetachedObjects.schema(of: type)
    guard let classes, let stored = classes.schema[model.className] else {
      throw PostgresMappingError(
        subject: "class '\(model.className)'",
        reason: "the database has no such class; it has \(classNames.joined(separator: ", "))")
    }
    try Self.check(
      model, DetachedObjects.reachableSchema(of: type), isIn: stored, classes.schema)
    return classes
  }

  /// Checks that a class of the database has the properties of a class of the program, also of embedded objects.
  private static func check(
    _ model: ObjectSchema, _ models: Schema, isIn stored: ObjectSchema, _ schema: Schema
  ) throws(PostgresMappingError) {
    for property in model.properties {
      guard let other = stored[property.name] else {
        throw PostgresMappingError(
          subject: "property '\(property.name)' of class '\(model.className)'",
          reason: "the class of the database has no such property")
      }
      guard property.typeDescription == other.typeDescription,
        property.isOptional == other.isOptional
      else {
        throw PostgresMappingError(
          subject: "property '\(property.name)' of class '\(model.className)'",
          reason: "its type is \(property.typeDescription), and \(other.typeDescription) in the "
            + "database")
      }
      if let inner = models.target(of: property), let target = schema.target(of: other),
        inner.isEmbedded, schema.isInline(other)
      {
        try check(inner, models, isIn: target, schema)
      }
    }
  }
}

extension PostgresStore {
  /// Adds copies of unmanaged objects in one transaction.
  ///
  /// Links, lists, sets and maps of links are written too. A link must lead to an object that is stored
  /// already or added by the same call, and whose class has a primary key; the values of that object stay
  /// as they are. Columns without a property in the class of the program keep their values. A new row has
  /// the defaults of the database in these columns, and empty lists, sets and maps.
  ///
  /// The policy `.modified` updates a stored row with the same primary key; with equal keys in `objects`,
  /// the last object determines the row. An object that was read from this store writes the properties that
  /// were set since; links that were not loaded keep their values. Any other object writes all properties of
  /// its class.
  ///
  /// The policy `.all` always writes all properties, so that all links of the objects must be loaded or set.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - policy: The policy for an object whose primary key is stored; with `.error`, `add` throws an error.
  /// - Throws: ``PostgresMappingError`` if the database has no such class, for a value that PostgreSQL
  ///   cannot hold, for a link to an object that is not stored, and for links that were not loaded and are
  ///   needed; ``PostgresError``, whose ``PostgresError/sqlState`` is `23505` for a repeated primary key
  ///   and `23502` for a new row without a value that the database requires. Nothing is added then.
  /// - Complexity: O(n log n); the rows are copied, not inserted one by one. An update needs a statement
  ///   for each combination of changed properties.
  public func add<Element: Object>(
    _ objects: [Element], update policy: Realm.UpdatePolicy = .error
  ) async throws {
    let classes = try classes(for: Element.self)
    let model = DetachedObjects.schema(of: Element.self)
    guard let table = classes.tables[model.className], !objects.isEmpty else { return }
    try table.requireChangeable()
    guard policy == .error || table.schema.primaryKeyProperty != nil else {
      throw PostgresMappingError(
        subject: "class '\(model.className)'",
        reason: "it has no primary key by which objects are updated")
    }
    let groups = table.columnGroups(
      of: model, in: DetachedObjects.reachableSchema(of: Element.self))
    let values = objects.map { DetachedObjects.row(of: $0, table.layout) }
    let rows = try zip(objects, values).map { object, values in
      let before =
        policy == .error
        ? nil : try DetachedObjects.fetchedValues(of: object, table.layout, from: pool)
      return try AddedObject(object, values, before: before, policy, table, groups)
    }
    let added = AddedObjects(table: table, classes: classes, groups: groups, objects: rows)
    try await pool.withConnection { connection in
      try await connection.transaction(.writing) {
        try await added.write($0, isUpdate: policy != .error)
      }
    }
    for ((object, values), row) in zip(zip(objects, values), rows) where row.changed != nil {
      DetachedObjects.noteStored(object, values.row, values.links, table.layout)
    }
  }
}
