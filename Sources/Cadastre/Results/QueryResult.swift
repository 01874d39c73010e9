import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// A live query in a Realm, as the source of a collection's elements.
///
/// `LiveQuery` computes and maintains the result. This class adds the checks of a Realm: the confinement, the lock
/// of a shared snapshot, invalidated results. It reports the errors of reads that cannot throw.
final class QueryResult: LiveQuery, ElementSource {
  let core: RealmCore
  /// The class of the elements; nil for values.
  let table: ManagedTable?
  /// The collection whose elements are filtered; nil for all objects of a class.
  private let base: (any ElementSource)?
  /// The base, if some of the elements are embedded in the rows of their owners, where no plan finds them.
  let embedded: EmbeddedLinks?
  /// The generation in which the result was created; a later invalidation of the Realm invalidates the result.
  private let birth: UInt64
  private var counted = CountedElements()

  private init(
    _ core: RealmCore, _ table: ManagedTable?, of base: (any ElementSource)?, _ query: BoundQuery,
    _ steps: [Step] = [], birth: UInt64? = nil
  ) {
    self.core = core
    self.table = table
    self.base = base
    embedded = base as? EmbeddedLinks
    self.birth = birth ?? core.currentGeneration
    super.init(of: base, query, steps: steps, in: core)
  }

  /// Creates the result with all objects of a class.
  convenience init(_ core: RealmCore, _ table: ManagedTable) {
    self.init(core, table, of: nil, BoundQuery(table.className))
  }

  /// Creates the result with the elements of a collection.
  convenience init(_ source: any ElementSource) {
    self.init(
      source.core, source.table, of: source, BoundQuery(source.table?.className ?? ""))
  }

  /// Returns the result of a modified query.
  func changed(
    _ change: (inout BoundQuery, inout [Step]) throws -> Void
  ) rethrows -> QueryResult {
    var (query, steps) = (query, steps)
    try change(&query, &steps)
    return QueryResult(core, table, of: base, consume query, consume steps, birth: birth)
  }

  /// Returns the same query without a cached result, which invalidations of the Realm do not affect.
  func copy() -> QueryResult { QueryResult(core, table, of: base, query, steps, birth: .max) }

  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    core.requireSameStore(as: self.core)
    let table = table.flatMap { core.table(named: $0.className) }
    guard let base else { return QueryResult(core, table, of: nil, query, steps) }
    return base.counterpart(in: core).map { QueryResult(core, table, of: $0, query, steps) }
  }

  /// The result, or the same result of a new source if the filtered collection was invalidated although its
  /// object exists.
  var withRenewedBase: QueryResult {
    guard let base, !base.isValid, let made = base.counterpart(in: core) else { return self }
    let renewed = QueryResult(core, table, of: made, query, steps, birth: birth)
    renewed.takeResult(of: self)
    return renewed
  }

  /// Whether the query, or the result that it filters, is sorted.
  var isSorted: Bool { !order.isEmpty || (base as? QueryResult)?.isSorted ?? false }

  // MARK: Elements

  var kindName: String { "Results" }

  var isValid: Bool { birth >= core.validSince && base?.isValid ?? true }
  var isReadable: Bool { birth >= core.validSince && base?.isReadable ?? true }

  func value(at index: Int) -> Value {
    // After a read error there are fewer elements than counted.
    switch current {
    case .keys(let keys): keys.indices.contains(index) ? .link(ObjectKey(keys[index])) : .null
    case .values(let values): values.indices.contains(index) ? values[index] : .null
    }
  }

  func context(at index: Int) -> StoredContext {
    embedded?.context(at: index) ?? StoredContext(core, table: table)
  }

  func values() -> [Value] {
    switch current {
    case .keys(let keys): keys.map { .link(ObjectKey($0)) }
    case .values(let values): values
    }
  }

  /// The keys of the objects; empty for values.
  var keys: [Int64] { current.keys }

  var count: Int {
    core.exclusively {
      if base != nil { requireValid() }
      // The number is constant within a generation, even if a damaged file yields other elements.
      if let cached { return counted.count(in: core) ?? cached.count }
      return core.attempt(or: 0) {
        counted.note(try logged({ try currentCount() }, \.self), in: core)
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
  var loadedCount: Int { current.count }

  func firstValue() -> Value? {
    core.exclusively {
      if base != nil { requireValid() }
      if let cached { return cached.first }
      return core.attempt(or: nil) { try logged({ try currentFirst() }, { $0 == nil ? 0 : 1 }) }
    }
  }

  func isSame(as other: any ElementSource) -> Bool {
    guard let other = other as? QueryResult, core === other.core, query == other.query,
      steps == other.steps
    else { return self === other }
    return switch (base, other.base) {
    case (nil, nil): true
    case (let first?, let second?): first.isSame(as: second)
    default: false
    }
  }

  /// The result that is cached; nil if it is stale.
  private var cached: Content? {
    core.checkThread()
    guard let content else { return nil }
    if generation == core.currentGeneration, !CacheVerification.isOn { return content }
    return core.attempt(or: nil) { try validContent() }
  }

  /// The current result; one without elements where it cannot be read.
  private var current: Content {
    core.exclusively {
      requireValid()
      if let cached { return cached }
      return core.attempt(or: table == nil ? .values([]) : .keys([])) {
        try logged({ try update() }, \.count)
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

  /// Returns the result of a closure that reads the elements; reports an error of the closure, and returns the
  /// fallback.
  func read<Output>(
    or fallback: @autoclosure () -> Output, _ body: (QueryResult) throws -> Output
  ) -> Output {
    core.exclusively {
      requireValid()
      return core.attempt(or: fallback()) { try body(self) }
    }
  }

  /// The result as the right side of a join.
  var joinSource: JoinSource { isPlannable ? .query(plannedQuery) : .keys(keys) }

  // MARK: Columns

  /// Returns the indexes at which the value of the primary sort criterion changes; nil if the criterion is
  /// not a column.
  func changesOfFirstSort() -> [Int]? {
    guard table != nil, let path = order.first?.path else { return nil }
    return read(or: nil) {
      try $0.session().executor.changes($0.keys, of: query.className, at: path)
    }
  }

  /// Calls a closure with the values at paths of each object, in order.
  func forEachValue(at paths: [PropertyPath], _ body: ([Value]) -> Void) {
    read(or: ()) { result in
      let areColumns = try result.forEachBatch(at: paths, keepsResult: true) { columns, rows in
        for row in rows { body(columns.map { $0.value(row) }) }
      }
      if areColumns { return }
      try result.session().forEachValue(result.keys, of: query.className, at: paths, body)
    }
  }

  var dependencies: QueryDependencies? { core.attempt(or: nil) { try currentDependencies() } }
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
