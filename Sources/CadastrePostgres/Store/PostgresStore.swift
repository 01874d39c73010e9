public import Cadastre
import CadastreModel
import CadastrePredicate
import CadastreStore
import Synchronization

/// A PostgreSQL database with PostGIS that holds objects of the same classes as a Realm.
///
/// `cadastre push` copies classes of a store there. Queries take the same conditions as those on a
/// Realm and return the same objects; the server runs them. A part of a query without exactly the
/// same meaning in SQL is refused by an error that names it.
///
///     let store = try await PostgresStore.connect("postgresql://me@localhost/places")
///     let french = store.objects(Place.self).where { $0.country == "FR" }
///     print(try await french.count())
///     for try await place in french.sorted(by: \.population, ascending: false).limit(10) {
///       print(place.name)
///     }
///
/// Objects are unmanaged copies: they do not change when the database does. Their links are nil, and their lists,
/// sets and maps of links empty, unless ``PostgresResults`` loads them; ``add(_:updating:)`` does not write those
/// that were not loaded.
public struct PostgresStore: Sendable {
  let pool: ConnectionPool
  private let known: KnownClasses

  /// The classes of the database, read once.
  private final class KnownClasses: Sendable {
    let classes = Mutex<RemoteClasses?>(nil)
  }

  private init(_ pool: ConnectionPool) {
    self.pool = pool
    known = KnownClasses()
  }

  /// Connects to a database.
  ///
  /// libpq completes the address from the environment, the service file and the password file, as
  /// `psql` does. Connections are opened when they are needed; tasks beyond the maximum wait.
  ///
  /// A connection is refused after 10 seconds, and a peer or network that is gone is noticed within three
  /// minutes; the options `connect_timeout`, `keepalives_idle`, `keepalives_interval`, `keepalives_count`
  /// and `tcp_user_timeout` of the address change that. A program that was stopped, or a proxy that keeps all
  /// bytes, is noticed by its silence only, after `replyTimeout`: a limit that is shorter than the longest
  /// statement ends that statement.
  ///
  /// - Parameters:
  ///   - address: A URL such as `postgresql://user@host:5432/database?sslmode=verify-full`, or a
  ///     connection string.
  ///   - maximumConnections: The maximum number of connections.
  ///   - statementTimeout: The maximum duration of a statement; nil for the server's setting.
  ///   - replyTimeout: How long the server may send and take nothing while a statement runs; nil for any
  ///     time. With a statement timeout the limit is at most ten seconds longer than that.
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

  /// Reads the classes of the database again, after another program changed them.
  ///
  /// - Throws: ``PostgresError``, or ``PostgresMappingError`` for classes of a later version.
  public func refresh() async throws {
    let classes = try await pool.withConnection { try await RemoteClasses.read($0) }
    known.classes.withLock { $0 = classes }
  }

  /// The names of the classes of the database, sorted.
  public var classNames: [String] { classes?.tables.keys.sorted() ?? [] }

  /// Returns all objects of a class.
  ///
  /// - Complexity: O(1); a statement runs only when the result is read.
  public func objects<Element: Object>(_ type: Element.Type) -> PostgresResults<Element> {
    PostgresResults(self)
  }

  private var classes: RemoteClasses? { known.classes.withLock { $0 } }

  /// The classes, if the database has a class with the properties of a type and of its embedded objects.
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

  /// Throws an error if a class of the database lacks a property of a class of the program, or one of an
  /// embedded object.
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
  /// Links, lists, sets and maps of links are written too. A link must lead to an object that the database
  /// has already or that is added by the same call, and whose class has a primary key; the values of that
  /// object are not changed. Columns that the class of the program has not are not touched: a new row has
  /// their defaults, and empty lists, sets and maps.
  ///
  /// With `updating` an object with the primary key of a stored one changes it, also one that comes
  /// earlier in `objects`. An object that was read from this store changes the properties that were set
  /// since; a link, list, set or map of links that was not loaded stays as it is. Another object changes
  /// all properties of its class.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - updating: Whether an object with the primary key of a stored one changes it; otherwise it is an
  ///     error.
  /// - Throws: ``PostgresMappingError`` if the database has no such class, for a value that PostgreSQL
  ///   cannot hold, for a link to an object that is not stored, and for links that were not loaded and are
  ///   needed; ``PostgresError``, whose ``PostgresError/sqlState`` is `23505` for a repeated primary key
  ///   and `23502` for a new row without a value that the database requires. Nothing is added then.
  /// - Complexity: O(n log n); the rows are copied, not inserted one by one. An update needs a statement
  ///   for each combination of changed properties.
  public func add<Element: Object>(_ objects: [Element], updating: Bool = false) async throws {
    let classes = try classes(for: Element.self)
    let model = DetachedObjects.schema(of: Element.self)
    guard let table = classes.tables[model.className], !objects.isEmpty else { return }
    try table.requireChangeable()
    guard !updating || table.schema.primaryKeyProperty != nil else {
      throw PostgresMappingError(
        subject: "class '\(model.className)'",
        reason: "it has no primary key by which objects are updated")
    }
    let groups = table.columnGroups(
      of: model, in: DetachedObjects.reachableSchema(of: Element.self))
    let values = objects.map { DetachedObjects.row(of: $0, table.layout) }
    let rows = try zip(objects, values).map { object, values in
      let before =
        updating
        ? try DetachedObjects.fetchedValues(of: object, table.layout, from: pool) : nil
      return try AddedObject(object, values, before: before, table, groups)
    }
    let added = AddedObjects(table: table, classes: classes, groups: groups, objects: rows)
    try await pool.withConnection { connection in
      try await connection.transaction(.writing) { try await added.write($0, updating: updating) }
    }
    for ((object, values), row) in zip(zip(objects, values), rows) where row.changed != nil {
      DetachedObjects.noteStored(object, values.row, values.links, table.layout)
    }
  }
}
