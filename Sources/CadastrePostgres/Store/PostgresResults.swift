public import Cadastre
public import CadastreGeometry
import CadastreModel
public import CadastrePredicate
import CadastreStore

/// The objects of a class of a database that match conditions; each read runs a statement.
///
/// ``makeAsyncIterator()`` reads the objects in one snapshot of the database, 1,000 at a time, in constant
/// memory. Cancelling the task cancels the statement on the server.
public struct PostgresResults<Element: Object>: Sendable {
  let store: PostgresStore
  private var predicates: [QueryPredicate] = []
  private var order: [SortKey] = []
  private var offset = 0
  private var limit: Int?
  /// The links whose targets are loaded with the objects.
  var links: [LoadedLink] = []

  init(_ store: PostgresStore) { self.store = store }

  // MARK: Conditions and order

  /// Returns the objects that also match a type-safe condition.
  public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> PostgresResults {
    filter(DetachedObjects.predicate(condition))
  }

  /// Returns the objects that also match a predicate text.
  ///
  /// - Parameters:
  ///   - text: The predicate, in the predicate language.
  ///   - arguments: The values of its placeholders `%@` or `$0`, in order.
  /// - Returns: The matching objects.
  /// - Throws: `QueryPredicateError` for invalid text, with its location and what was expected.
  public func filter(
    parsing text: String, arguments: [Any?] = []
  ) throws(QueryPredicateError) -> PostgresResults {
    filter(
      try QueryPredicate(parsing: text, arguments: try DetachedObjects.arguments(arguments)))
  }

  /// Returns the objects that also match a predicate tree.
  public func filter(_ predicate: QueryPredicate) -> PostgresResults {
    var results = self
    results.predicates.append(predicate)
    return results
  }

  /// Returns the objects in the order of a property.
  ///
  /// Objects with equal values keep the order of the previous sort, or else of their insertion.
  public func sorted<Value>(
    by keyPath: KeyPath<Element, Value>, ascending: Bool = true
  ) -> PostgresResults {
    sorted(SortKey(DetachedObjects.path(of: keyPath), isAscending: ascending))
  }

  /// Returns the objects in ascending order of the distance from a point; objects without a location
  /// come last.
  public func sorted<Place: GeometryProperty>(
    byDistanceFrom point: GeoPoint, of keyPath: KeyPath<Element, Place>
  ) -> PostgresResults {
    sorted(SortKey(DetachedObjects.path(of: keyPath), by: .distance(from: point)))
  }

  /// Returns the `count` objects nearest to a point, nearest first, using the spatial index.
  public func nearest<Place: GeometryProperty>(
    _ count: Int, to point: GeoPoint, of keyPath: KeyPath<Element, Place>
  ) -> PostgresResults {
    sorted(byDistanceFrom: point, of: keyPath).limit(count)
  }

  private func sorted(_ key: SortKey) -> PostgresResults {
    var results = self
    results.order.insert(key, at: 0)
    return results
  }

  /// Returns at most `count` objects after the first `offset` ones; negative numbers count as 0.
  public func limit(_ count: Int, offset: Int = 0) -> PostgresResults {
    var results = self
    let (count, offset) = (Swift.max(0, count), Swift.max(0, offset))
    // An offset that overflows exceeds the size of every result.
    let (sum, isGreater) = results.offset.addingReportingOverflow(offset)
    results.offset = isGreater ? .max : sum
    results.limit = Swift.min(limit.map { Swift.max(0, $0 - offset) } ?? .max, count)
    return results
  }

  /// Binds the query to the classes of the database.
  func query() throws -> RemoteQuery {
    let classes = try store.classes(for: Element.self)
    let name = DetachedObjects.schema(of: Element.self).className
    var query = ObjectQuery(name, offset: offset, limit: limit)
    query.predicate = .all(predicates)
    query.order = order
    return RemoteQuery(classes, try query.bound(to: classes.schema))
  }

  // MARK: Values

  /// Returns the number of objects.
  ///
  /// - Throws: ``PostgresError``, ``UntranslatablePart`` for a part without exact translation,
  ///   ``PostgresMappingError`` if the database has no such class, or `QueryPredicateError`.
  public func count() async throws -> Int {
    let query = try query()
    return try await store.pool.withConnection { try await query.count($0) }
  }

  /// Returns the first object; nil if there is none.
  ///
  /// - Throws: The errors of ``count()``.
  public func first() async throws -> Element? {
    for try await object in limit(1) { return object }
    return nil
  }

  /// Returns the sum of a numeric property as a double; 0 for no values.
  ///
  /// - Throws: The errors of ``count()``.
  public func sum<Value>(of keyPath: KeyPath<Element, Value>) async throws -> Double {
    try await aggregate(.sum, keyPath).flatMap(\.doubleValue) ?? 0
  }

  /// Returns the mean of a numeric property; nil for no values.
  ///
  /// - Throws: The errors of ``count()``.
  public func average<Value>(of keyPath: KeyPath<Element, Value>) async throws -> Double? {
    try await aggregate(.average, keyPath).flatMap(\.doubleValue)
  }

  /// Returns the smallest value of a property; nil and NaN are ignored, and no values give nil.
  ///
  /// - Throws: The errors of ``count()``.
  public func min<Value>(of keyPath: KeyPath<Element, Value>) async throws -> Value? {
    try await aggregate(.minimum, keyPath)?.anyValue as? Value
  }

  /// Returns the greatest value of a property; nil and NaN are ignored, and no values give nil.
  ///
  /// - Throws: The errors of ``count()``.
  public func max<Value>(of keyPath: KeyPath<Element, Value>) async throws -> Value? {
    try await aggregate(.maximum, keyPath)?.anyValue as? Value
  }

  /// Returns the smallest value of an optional property; nil and NaN are ignored, and no values give nil.
  ///
  /// - Throws: The errors of ``count()``.
  public func min<Value>(of keyPath: KeyPath<Element, Value?>) async throws -> Value? {
    try await aggregate(.minimum, keyPath)?.anyValue as? Value
  }

  /// Returns the greatest value of an optional property; nil and NaN are ignored, and no values give nil.
  ///
  /// - Throws: The errors of ``count()``.
  public func max<Value>(of keyPath: KeyPath<Element, Value?>) async throws -> Value? {
    try await aggregate(.maximum, keyPath)?.anyValue as? Value
  }

  private func aggregate(
    _ function: AggregateFunction, _ keyPath: PartialKeyPath<Element>
  ) async throws -> PostgresValue? {
    let query = try query()
    guard let root = query.classes.schema[query.bound.className] else { return nil }
    let path = try query.classes.schema.resolve(DetachedObjects.path(of: keyPath), from: root)
    return try await store.pool.withConnection { connection in
      try await query.aggregates([(function, path)], connection).first
    }
  }

  /// Returns the plan of the server, one line per step; lines are truncated after 160 characters.
  ///
  /// - Throws: The errors of ``count()``.
  public func explain() async throws -> String {
    let query = try query()
    return try await store.pool.withConnection { try await query.explain($0) }
  }
}

extension PostgresValue {
  /// The number as a double; nil for other values.
  var doubleValue: Double? {
    switch self {
    case .int8(let value): Double(value)
    case .float4(let value): Double(value)
    case .float8(let value): value
    case .numeric(let value): Double(value.text)
    default: nil
    }
  }

  /// The value in the type of a property; nil for null, geometries and arrays.
  var anyValue: Any? {
    switch self {
    case .bool(let value): value
    case .int4(let value): value
    case .int8(let value): Int(value)
    case .float4(let value): value
    case .float8(let value): value
    case .text(let value): value
    case .numeric(let value): Decimal128(parsing: value.text)
    case .uuid(let value): value
    case .bytea(let value): value
    case .null, .spatial, .array: nil
    }
  }
}

extension PostgresResults {
  /// Deletes the objects in one transaction.
  ///
  /// Links to the objects become nil, and the objects are removed from lists and sets. The deletion fails if row
  /// security may hide rows with lists, sets or maps of links to the class from the role.
  ///
  /// - Returns: The number of deleted objects.
  /// - Throws: ``PostgresError``, ``UntranslatablePart`` for a part without exact translation,
  ///   ``PostgresMappingError`` if the database has no such class or row security may hide links, or
  ///   `QueryPredicateError`.
  @discardableResult
  public func delete() async throws -> Int {
    let query = try query()
    return try await store.pool.withConnection { connection in
      try await connection.transaction(.writing) { try await query.deleteObjects($0) }
    }
  }

  /// Sets a property of all objects in one transaction.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - keyPath: A property with a single value that is not the primary key.
  /// - Returns: The number of objects.
  /// - Throws: ``PostgresMappingError`` for another property and for a value that PostgreSQL cannot
  ///   hold, or the errors of ``delete()``.
  @discardableResult
  public func setValue<Value>(
    _ value: Value, for keyPath: KeyPath<Element, Value>
  ) async throws -> Int {
    let query = try query()
    let path = DetachedObjects.path(of: keyPath)
    guard let table = query.classes.tables[query.bound.className],
      let stored = DetachedObjects.value(value), let values = try table.assigned(stored, at: path)
    else {
      throw PostgresMappingError(
        subject: "property '\(path)' of class '\(query.bound.className)'",
        reason: "only properties with a single value, and no primary key, can be set")
    }
    return try await store.pool.withConnection { connection in
      try await connection.transaction(.writing) { try await query.setValues(values, $0) }
    }
  }
}

/// An iterator over the rows of results, which reads through a server-side cursor.
struct RowIterator<Element: Object> {
  private let results: PostgresResults<Element>
  private var cursor: RowCursor?
  private var rows: ArraySlice<ImportRow> = []
  private var isAtEnd = false

  init(_ results: PostgresResults<Element>) { self.results = results }

  /// Returns the next rows in the order of the results; none at the end.
  mutating func batch() async throws -> (rows: [ImportRow], cursor: RowCursor)? {
    guard !isAtEnd else { return nil }
    let cursor: RowCursor
    if let open = self.cursor {
      cursor = open
    } else {
      cursor = try await RowCursor(results.query(), results.store.pool)
      self.cursor = cursor
    }
    let rows = try await cursor.next(staysOpen: !results.links.isEmpty)
    isAtEnd = rows.isEmpty
    return isAtEnd ? nil : (rows, cursor)
  }
}

extension PostgresResults: AsyncSequence {
  /// Reads the objects in the order of the results.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// An iterator that reads objects through a server-side cursor.
  public struct Iterator: AsyncIteratorProtocol {
    private var rows: RowIterator<Element>
    private let links: [LoadedLink]
    private var objects: ArraySlice<Element> = []

    init(_ results: PostgresResults) {
      rows = RowIterator(results)
      links = results.links
    }

    /// Returns the next object; nil at the end.
    ///
    /// - Throws: ``PostgresError``, ``UntranslatablePart`` for a part without exact translation,
    ///   ``PostgresMappingError`` if the database has no such class, `QueryPredicateError`, or
    ///   `InvalidValueError` for a value that does not fit the class.
    public mutating func next() async throws -> Element? {
      if objects.isEmpty, let (batch, cursor) = try await rows.batch() {
        var made: [Element] = []
        for row in batch {
          made.append(
            try DetachedObjects.object(Element.self, row, cursor.layout, from: cursor.pool))
        }
        for link in links { try await link.load(batch, made, cursor) }
        objects = made[...]
      }
      return objects.popFirst()
    }
  }
}
