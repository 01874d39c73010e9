import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// The elements of a live query in a Realm.
final class QueryResult: ElementSource {
  let core: RealmCore
  /// The class of the elements; nil for values.
  let table: ManagedTable?
  private let live: LiveQuery
  /// The generation in which the result was created; a later invalidation of the Realm invalidates the result.
  private let birth: UInt64
  private var counted = CountedElements()

  private init(
    _ core: RealmCore, _ table: ManagedTable?, _ live: LiveQuery, birth: UInt64? = nil
  ) {
    self.core = core
    self.table = table
    self.live = live
    self.birth = birth ?? core.currentGeneration
  }

  /// Creates the result with all objects of a class.
  convenience init(_ core: RealmCore, _ table: ManagedTable) {
    self.init(core, table, LiveQuery(.objects, BoundQuery(table.className)))
  }

  /// Creates the result with the elements of a collection.
  convenience init(_ source: any ElementSource) {
    let query = BoundQuery(source.table?.className ?? "")
    self.init(source.core, source.table, LiveQuery(.elements(source), query))
  }

  /// Returns the result of a modified query.
  func changed(
    _ change: (inout BoundQuery, inout [LiveQuery.Step]) throws -> Void
  ) rethrows -> QueryResult {
    var (query, steps) = (live.query, live.steps)
    try change(&query, &steps)
    return QueryResult(core, table, LiveQuery(live.source, query, steps: steps), birth: birth)
  }

  /// Returns the same query without a cached result, which invalidations of the Realm do not affect.
  func copy() -> QueryResult { QueryResult(core, table, live.copy(), birth: .max) }

  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    core.requireSameStore(as: self.core)
    let table = table.flatMap { core.table(named: $0.className) }
    guard let base else { return QueryResult(core, table, live.copy()) }
    return base.counterpart(in: core).map {
      QueryResult(core, table, LiveQuery(.elements($0), live.query, steps: live.steps))
    }
  }

  /// The result, or the same result of a new source if the filtered collection was invalidated although its
  /// object exists.
  var withRenewedBase: QueryResult {
    guard let base, !base.isValid, let made = base.counterpart(in: core) else { return self }
    return QueryResult(core, table, live.replacingElements(by: made), birth: birth)
  }

  /// The class, the predicate and the range.
  var query: BoundQuery { live.query }

  /// The collection whose elements are filtered; nil for all objects of a class.
  private var base: (any ElementSource)? {
    if case .elements(let provider) = live.source { provider as? any ElementSource } else { nil }
  }

  // MARK: Elements

  var kindName: String { "Results" }

  var isValid: Bool { birth >= core.validSince && base?.isValid ?? true }
  var isReadable: Bool { birth >= core.validSince && base?.isReadable ?? true }

  func value(at index: Int) -> Value {
    // After a read error there are fewer elements than counted.
    switch content {
    case .keys(let keys): keys.indices.contains(index) ? .link(ObjectKey(keys[index])) : .null
    case .values(let values): values.indices.contains(index) ? values[index] : .null
    }
  }

  func values() -> [Value] {
    switch content {
    case .keys(let keys): keys.map { .link(ObjectKey($0)) }
    case .values(let values): values
    }
  }

  /// The keys of the objects; empty for values.
  var keys: [Int64] { if case .keys(let keys) = content { keys } else { [] } }

  var count: Int {
    core.exclusively {
      if base != nil { requireValid() }
      // The number is constant within a generation, even if a damaged file yields other elements.
      if let valid = validContent { return counted.count(in: core) ?? valid.count }
      return core.attempt(or: 0) {
        guard live.isPlannable, try !live.canApplyChanges(in: core) else { return content.count }
        return counted.note(
          try logged({ try core.querySession().count(live.plannedQuery) }, \.self), in: core)
      }
    }
  }

  func countedValues() -> [Value] {
    core.exclusively { counted.values(values(), in: core, "a result") }
  }

  /// The keys of the objects; nil if their number differs from the last count.
  ///
  /// A query of a damaged file can fail and succeed when repeated.
  var countedKeys: [Int64]? {
    core.exclusively {
      let keys = keys
      return (counted.count(in: core) ?? keys.count) == keys.count ? keys : nil
    }
  }

  /// Returns whether an index is less than the last count.
  func isCounted(_ index: Int) -> Bool {
    core.exclusively { counted.count(in: core).map { (0..<$0).contains(index) } ?? false }
  }

  /// The number of elements, after computing the result.
  var loadedCount: Int { content.count }

  func firstValue() -> Value? {
    core.exclusively {
      if validContent == nil, live.isPlannable {
        let first = core.attempt(or: Optional<[Int64]>.none) {
          guard try !live.canApplyChanges(in: core) else { return nil }
          var one = live.plannedQuery
          one.limit = min(1, query.limit ?? 1)
          return try core.querySession().keys(one).keys
        }
        if let first { return first.first.map { .link(ObjectKey($0)) } }
      }
      guard count > 0 else { return nil }
      let value = value(at: 0)
      return value.isNull && core.hasReadError ? nil : value
    }
  }

  func isSame(as other: any ElementSource) -> Bool {
    guard let other = other as? QueryResult, core === other.core, query == other.query,
      live.steps == other.live.steps
    else { return self === other }
    return switch (base, other.base) {
    case (nil, nil): true
    case (let first?, let second?): first.isSame(as: second)
    default: false
    }
  }

  /// The cached result; nil if it is stale.
  private var validContent: LiveQuery.Content? {
    core.checkThread()
    if live.generation == core.currentGeneration, let content = live.content,
      !CacheVerification.isOn
    {
      return content
    }
    return core.attempt(or: nil) { try live.validContent(in: core) }
  }

  private var content: LiveQuery.Content {
    core.exclusively {
      requireValid()
      if let valid = validContent { return valid }
      return core.attempt(or: table == nil ? .values([]) : .keys([])) {
        try logged({ try live.update(in: core) }, \.count)
      }
    }
  }

  private func logged<Result>(
    _ operation: () throws -> Result, _ count: (Result) -> Int
  ) rethrows -> Result {
    try Logger.measured(.query, operation) {
      "\(query.className) where \(query.predicate): \(count($0)) objects"
    }
  }

  // MARK: Plans

  /// Returns the plan of the query as text.
  func explain(_ options: PlanText.Options = [], measured: Bool = false) -> String {
    guard base == nil else { return oneByOne }
    return core.exclusively {
      core.attempt(or: "") {
        try core.querySession().explain(live.plannedQuery, options, measured: measured)
      }
    }
  }

  /// Returns the plan of the query as JSON.
  func explainJSON(measured: Bool) -> String {
    core.exclusively {
      core.attempt(or: "") {
        guard base == nil else {
          return try QuerySession.json(PlanReport("Elements", oneByOne))
        }
        return try core.querySession().explainJSON(live.plannedQuery, measured: measured)
      }
    }
  }

  /// The result as the right side of a join.
  var joinSource: JoinSource {
    base == nil && live.isPlannable ? .query(live.plannedQuery) : .keys(keys)
  }

  /// The query, if it is an unordered, unlimited query of a class; otherwise nil.
  var classQuery: BoundQuery? {
    guard base == nil, live.isPlannable, case let query = live.plannedQuery, query.order.isEmpty,
      query.limit == nil, query.offset == 0
    else { return nil }
    return query
  }

  private var oneByOne: String {
    "Elements of a collection, one by one: \(query.predicate.summary)"
  }

  // MARK: Columns

  /// Returns the angles in radians between a point and the points of the objects, in order; nil for an object
  /// without a point.
  func angles(from origin: GeoPoint, at path: PropertyPath) -> [Double?] {
    read(or: []) { try $0.angles(keys, of: query.className, at: path, from: origin) }
  }

  /// Returns the codes of the grid cells that contain the locations of the objects, in order; nil for an
  /// object without a location.
  func cells(at path: PropertyPath, in grid: GeoGrid) -> [Int64?] {
    read(or: []) { try $0.cells(keys, of: query.className, at: path, in: grid) }
  }

  /// Calls a closure with batches of the columns at the ends of paths and the rows of the objects, in order.
  ///
  /// Where the query must run, the same run finds the objects and reads the columns.
  ///
  /// - Parameters:
  ///   - paths: The paths.
  ///   - keepsResult: Whether the keys of the objects are cached.
  ///   - body: The closure.
  /// - Returns: Whether the values are in columns; if not, the closure is not called.
  func forEachBatch(
    at paths: [PropertyPath], keepsResult: Bool, _ body: ([BatchColumn], RowSet) -> Void
  ) -> Bool {
    core.exclusively {
      requireValid()
      return core.attempt(or: true) {
        try live.forEachBatch(at: paths, in: core, keepsResult: keepsResult, body)
      }
    }
  }

  /// Calls a closure with batches of the columns at the ends of paths and the rows of given objects, in order.
  ///
  /// - Returns: Whether the values are in columns; if not, the closure is not called.
  func forEachBatch(
    at paths: [PropertyPath], of keys: [Int64], _ body: ([BatchColumn], RowSet) -> Void
  ) -> Bool {
    read(or: true) {
      try $0.forEachBatch(keys, of: query.className, at: paths) { body($1, $2) }
    }
  }

  /// Returns the indexes at which the value of the primary sort criterion changes; nil if the criterion is
  /// not a column.
  func changesOfFirstSort() -> [Int]? {
    guard table != nil, let path = live.plannedQuery.order.first?.path else { return nil }
    return read(or: nil) { try $0.executor.changes(keys, of: query.className, at: path) }
  }

  /// Calls a closure with the values at paths of each object, in order.
  func forEachValue(at paths: [PropertyPath], _ body: ([Value]) -> Void) {
    let areColumns = forEachBatch(at: paths, keepsResult: true) { columns, rows in
      for row in rows { body(columns.map { $0.value(row) }) }
    }
    if areColumns { return }
    read(or: ()) { try $0.forEachValue(keys, of: query.className, at: paths, body) }
  }

  private func read<Result>(
    or fallback: @autoclosure () -> Result, _ body: (QuerySession) throws -> Result
  ) -> Result {
    core.exclusively { core.attempt(or: fallback()) { try body(try core.querySession()) } }
  }

  // MARK: Changes

  var dependencies: QueryDependencies? {
    core.attempt(or: nil) { try live.dependencies(in: core) }
  }

  /// Updates the result.
  func update() {
    core.exclusively { core.attempt(or: ()) { _ = try live.update(in: core) } }
  }

  /// Updates the result.
  ///
  /// - Returns: The difference from the previous result.
  /// - Throws: The error of a read; the result is unchanged then.
  func advance() throws -> SequenceDifference {
    try core.exclusively { try live.advance(in: core) }
  }

  /// Returns the indexes of objects in the last computed result, even if stale.
  ///
  /// - Parameter changed: The keys of the objects, ascending; nil for all objects of the result.
  /// - Returns: The indexes, ascending; none for values.
  func lastIndexes(of changed: [Int64]?) -> [Int] { live.lastIndexes(of: changed) }

  /// Discards the result.
  ///
  /// - Returns: The number of discarded elements.
  func discardContent() -> Int { live.discardContent() }
}

extension QueryResult {
  /// Returns an iterator that creates the objects; nil if the element type is not the class, or the number of
  /// objects differs from the last count.
  func objects<Element>(_ type: Element.Type) -> AnyIterator<Element>? {
    guard let table, Element.self == table.info.type, let keys = countedKeys else { return nil }
    return AnyIterator(ObjectIterator<Element>(keys, table))
  }
}

/// An iterator that creates the objects of keys.
// A structure, because accesses to captured variables of a closure are checked for exclusivity at each step.
private struct ObjectIterator<Element>: IteratorProtocol {
  private var keys: IndexingIterator<[Int64]>
  private var instance: LoopInstance

  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - table: The table of the class `Element`.
  init(_ keys: [Int64], _ table: ManagedTable) {
    self.keys = keys.makeIterator()
    instance = LoopInstance(table)
  }

  mutating func next() -> Element? {
    guard let key = keys.next() else { return nil }
    // Invariant: `objects(_:)` checks that the element type is the class of the instance, which `instance`
    // retains. The cast of an address avoids a retain and a release.
    return unsafeBitCast(instance.object(ObjectKey(key)), to: Element.self)
  }
}
