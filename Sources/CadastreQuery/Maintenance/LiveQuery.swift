package import CadastreModel
package import CadastrePredicate
package import CadastreStore

/// The view of a store that a live query reads: a version, or a transaction, that moves on.
package protocol QueryContext: AnyObject {
  /// The classes, with their computed properties.
  var schema: Schema { get }
  /// The number of threads that a query may use.
  var queryThreads: QueryThreads { get }
  /// The generation by which results are validated.
  var generation: Generation { get }
  /// The snapshot or the write transaction that is read now.
  func currentReader() throws -> any StoreReader
  /// The version of the store that the current transaction changes, or that is read.
  func committedVersion() throws -> Int64
  /// The changes since a generation at a version of the store, those of the current transaction
  /// included; nil where they are not available.
  func changes(since generation: UInt64, _ version: Int64) throws -> ChangeRange?
}

/// The elements of a collection that a live query filters.
package protocol ElementProvider: AnyObject {
  /// All elements, in order.
  func values() -> [Value]
  /// The dependencies of the elements; nil where any change may change them.
  var dependencies: QueryDependencies? { get }
}

/// A query, and its result as far as it was computed.
///
/// The result is computed when it is needed, reused while no dependency was written, and updated in
/// place from change sets where only a few objects changed.
// Open, because only an open class can have a subclass in another target: `QueryResult`.
open class LiveQuery {
  /// An operation on the matching elements, in the order of the steps.
  package enum Step: Equatable {
    case sort([BoundSortKey])
    case distinct([BoundPath])
  }

  /// A result: keys of objects, or values.
  package enum Content {
    case keys([Int64])
    case values([Value])

    /// The number of elements.
    package var count: Int {
      switch self {
      case .keys(let keys): keys.count
      case .values(let values): values.count
      }
    }

    /// The keys of the objects; none for values.
    package var keys: [Int64] { if case .keys(let keys) = self { keys } else { [] } }

    /// The first element; nil where there is none.
    package var first: Value? {
      switch self {
      case .keys(let keys): keys.first.map { .link(ObjectKey($0)) }
      case .values(let values): values.first
      }
    }

    /// Returns whether another result has the same elements in the same order.
    fileprivate func isSame(as other: Content) -> Bool {
      switch (self, other) {
      case (.keys(let keys), .keys(let others)): keys == others
      case (.values(let values), .values(let others)):
        values.map(ValueKey.init) == others.map(ValueKey.init)
      default: false
      }
    }
  }

  /// The class, the predicate, and the range of the result; the class's name is empty for values.
  package final let query: BoundQuery
  /// The steps.
  package final let steps: [Step]
  /// The collection whose elements are filtered; nil for all objects of the class.
  private let elements: (any ElementProvider)?
  private let context: any QueryContext
  /// The result that was computed last; nil where there is none.
  package private(set) final var content: Content?
  /// The generation in which `content` was computed or last found valid.
  package private(set) final var generation: UInt64 = 0
  /// The version of the store in that generation.
  private var version: Int64 = 0
  private var analysis: Analysis?

  /// The dependencies of a query, computed once.
  // A class, so that each use retains one reference.
  private final class Analysis {
    let dependencies: QueryDependencies?
    /// Maps changes to the objects whose dependencies they touch; nil where that is not known.
    let trace: ChangeTrace?

    init(dependencies: QueryDependencies?, trace: ChangeTrace?) {
      self.dependencies = dependencies
      self.trace = trace
    }
  }

  /// A live query.
  ///
  /// - Parameters:
  ///   - elements: The collection whose elements are filtered; nil for all objects of the class.
  ///   - query: The class, the predicate, and the range of the result.
  ///   - steps: The steps.
  ///   - context: The view of the store.
  package init(
    of elements: (any ElementProvider)? = nil, _ query: BoundQuery, steps: [Step] = [],
    in context: any QueryContext
  ) {
    self.elements = elements
    self.query = query
    self.steps = steps
    self.context = context
  }

  /// Takes over the result of the same query of another provider of the same elements.
  package final func takeResult(of other: LiveQuery) {
    (content, generation, version) = (other.content, other.generation, other.version)
    analysis = other.analysis
  }

  /// Whether the planner can run the whole query: it has no distinct step, and no collection is
  /// filtered.
  package final var isPlannable: Bool {
    elements == nil && steps.allSatisfy { if case .sort = $0 { true } else { false } }
  }

  /// The order of the result by the query and all sort steps; the last step is the first criterion.
  package final var order: [BoundSortKey] {
    var order = query.order
    for case .sort(let keys) in steps { order = keys + order }
    return order
  }

  /// The query with all sort steps as its order.
  package final var plannedQuery: BoundQuery {
    if steps.isEmpty { return query }
    var query = query
    query.order = order
    return query
  }

  /// The query, where the result is that of a class and its conditions alone: without an order, a limit and
  /// a collection; else nil.
  package final var classQuery: BoundQuery? {
    isAscending && query.limit == nil && query.offset == 0 ? query : nil
  }

  /// Whether the result is one of values.
  private var isOfValues: Bool { query.className.isEmpty }

  // MARK: Validity

  /// The dependencies of the result; nil where any change may change it.
  package final func currentDependencies() throws -> QueryDependencies? {
    try currentAnalysis().dependencies
  }

  /// The result, if no dependency was written since it was computed; else nil.
  package final func validContent() throws -> Content? {
    guard let content else { return nil }
    if generation != context.generation.current {
      guard let dependencies = try currentAnalysis().dependencies,
        context.generation.isUnchanged(dependencies, since: generation)
      else { return nil }
    }
    assert(
      CacheVerification.isStored(content, { try run() }, { $0.isSame(as: $1) }),
      "the cached result of '\(query.className)'")
    return content
  }

  private func currentAnalysis() throws -> Analysis {
    if let analysis { return analysis }
    let made = try makeAnalysis()
    analysis = made
    return made
  }

  private func makeAnalysis() throws -> Analysis {
    if isOfValues { return Analysis(dependencies: elements?.dependencies, trace: nil) }
    let paths = steps.flatMap { step in
      switch step {
      case .sort(let keys): keys.map(\.path)
      case .distinct(let paths): paths
      }
    }
    let catalogue = try context.currentReader().catalogue
    var dependencies = QueryDependencies(
      query.className, query.predicate, paths, in: context.schema, catalogue)
    if let elements {
      guard let others = elements.dependencies else {
        return Analysis(dependencies: nil, trace: nil)
      }
      dependencies.formUnion(others)
    }
    return Analysis(
      dependencies: dependencies,
      trace: isTraceable(dependencies)
        ? ChangeTrace(query.className, columns: dependencies.columns, in: catalogue) : nil)
  }

  /// Whether a change set tells which objects enter or leave the result.
  private func isTraceable(_ dependencies: QueryDependencies) -> Bool {
    isPlannable && query.limit == nil && query.offset == 0 && !dependencies.isUnbounded
      && !dependencies.followsLinksBackwards
      && order.allSatisfy(\.criterion.isOfValues)
  }

  // MARK: Running

  /// The current result.
  package final func currentContent() throws -> Content {
    if let valid = try validContent() { return valid }
    return try update()
  }

  /// The number of elements; where the planner runs the whole query, it counts them without a result.
  package final func currentCount() throws -> Int {
    guard try mustRunPlan() else { return try currentContent().count }
    // Sorting does not change the number.
    return try session().count(query)
  }

  /// The first element, or nil; where the planner runs the whole query, it finds no other element.
  package final func currentFirst() throws -> Value? {
    guard try mustRunPlan() else { return try currentContent().first }
    var one = plannedQuery
    one.limit = min(1, query.limit ?? 1)
    return try session().keys(one).keys.first.map { .link(ObjectKey($0)) }
  }

  /// Whether the planner must run the whole query, because no result is valid or can be updated.
  private func mustRunPlan() throws -> Bool {
    guard isPlannable else { return false }
    return try content == nil || validContent() == nil && recentChanges() == nil
  }

  /// Calls a closure with the columns at the ends of some paths, batch by batch, and the rows of the result in them,
  /// in the order of the result.
  ///
  /// Where the query must run, the same run finds the objects and reads the columns.
  ///
  /// - Parameters:
  ///   - paths: The paths.
  ///   - keepsResult: Whether a result is kept that is computed for the columns alone.
  ///   - body: The closure; it receives the columns in the order of the paths.
  /// - Returns: False where some values are not in a column; the closure is not called then.
  /// - Throws: The error of a read.
  package final func forEachBatch(
    at paths: [PropertyPath], keepsResult: Bool, _ body: ([BatchColumn], RowSet) -> Void
  ) throws -> Bool {
    let session = try session()
    guard try mustRunPlan() else {
      guard case .keys(let keys) = try currentContent() else { return false }
      return try session.forEachBatch(keys, of: query.className, at: paths) { body($1, $2) }
    }
    var keys: [Int64] = []
    let areColumns = try session.forEachBatch(plannedQuery, at: paths) { batch, columns, rows in
      if keepsResult { batch.appendKeys(of: rows, to: &keys) }
      body(columns, rows)
    }
    if areColumns, keepsResult {
      content = .keys(keys)
      try stamp()
    }
    return areColumns
  }

  /// Brings the result up to date.
  @discardableResult
  package final func update() throws -> Content {
    if try applyChanges() == nil {
      content = try run()
      try stamp()
    }
    return content ?? .keys([])
  }

  /// Brings the result up to date.
  ///
  /// - Returns: The difference from the result before, which had no elements where it could not be read.
  /// - Throws: The error of a read; the result is unchanged then, and the next call returns the whole
  ///   difference.
  package final func advance() throws -> SequenceDifference {
    if let difference = try applyChanges() { return difference }
    guard try validContent() == nil else {
      // So that the next change is that of the commits after this version, as for other observers.
      try stamp()
      return SequenceDifference()
    }
    let before = content
    let now = try run()
    try stamp()
    content = now
    return switch (before, now) {
    case (.keys(let old)?, .keys(let new)): SequenceDifference(from: old, to: new)
    case (.values(let old)?, .values(let new)): SequenceDifference(from: old, to: new)
    case (_, .keys(let new)): SequenceDifference(from: [], to: new)
    case (_, .values(let new)): SequenceDifference(from: [], to: new)
    }
  }

  /// Discards the result.
  ///
  /// - Returns: The number of elements that it had.
  package final func discardContent() -> Int {
    defer { content = nil }
    return content?.count ?? 0
  }

  /// The indexes of objects in the result that was computed last, however old.
  ///
  /// - Parameter changed: The keys of the objects, ascending; nil for all objects of the result.
  /// - Returns: The indexes, ascending; none for values.
  package final func lastIndexes(of changed: [Int64]?) -> [Int] {
    guard case .keys(let keys)? = content else { return [] }
    guard let changed else { return Array(keys.indices) }
    return KeyList(keys, isAscending: isAscending).indexes(of: changed)
  }

  /// Whether the keys of the result are in ascending order.
  private var isAscending: Bool { isPlannable && order.isEmpty }

  private func stamp() throws {
    version = try context.committedVersion()
    generation = context.generation.current
  }

  /// A session on the current version.
  package final func session() throws -> QuerySession {
    QuerySession(
      try context.currentReader(), schema: context.schema, threads: context.queryThreads)
  }

  private func run() throws -> Content {
    let session = try session()
    if isPlannable { return .keys(try session.keys(plannedQuery).keys) }
    guard let elements else {
      var all = query
      (all.limit, all.offset) = (nil, 0)
      if let first = try firstOfValues(session, all) {
        return .keys(query.range(of: try stepped(first, from: 1, session.executor)))
      }
      return .keys(query.range(of: try stepped(try session.keys(all).keys, session.executor)))
    }
    let values = elements.values()
    guard !isOfValues else { return .values(query.range(of: stepped(values))) }
    let keys = values.compactMap { value -> Int64? in
      if case .link(let key) = value { key.rawValue } else { nil }
    }
    let matching = try session.executor.matching(keys, of: query.className, query.predicate)
    return .keys(query.range(of: try stepped(matching, session.executor)))
  }

  /// The first object of each value, where the matching objects are made distinct before they are
  /// sorted; nil for other queries.
  private func firstOfValues(
    _ session: QuerySession, _ query: BoundQuery
  ) throws -> [Int64]? {
    guard query.order.isEmpty, case .distinct(let paths)? = steps.first else { return nil }
    if query.predicate.isConstant(true), paths.count == 1,
      let first = try session.executor.distinctByIndex(query.className, by: paths[0])
    {
      return first
    }
    return try session.distinct(query, by: paths)
  }

  private func stepped(
    _ keys: [Int64], from first: Int = 0, _ executor: Executor
  ) throws -> [Int64] {
    var keys = keys
    var pending: [BoundSortKey] = []
    for step in steps.dropFirst(first) {
      switch step {
      case .sort(let order): pending = order + pending
      case .distinct(let paths):
        keys = try executor.sorted(keys, of: query.className, by: pending)
        pending = []
        keys = try executor.distinct(keys, of: query.className, by: paths)
      }
    }
    return try executor.sorted(keys, of: query.className, by: pending)
  }

  /// The steps applied to values, which are ordered and made distinct by themselves.
  private func stepped(_ values: [Value]) -> [Value] {
    steps.reduce(values) { values, step in
      switch step {
      case .sort(let keys): keys.first.map { values.sortedStably($0.rule) } ?? values
      case .distinct: values.distinct
      }
    }
  }

  // MARK: Plans

  /// The plan of the query as text, after a run if measurements are wanted.
  package final func explain(
    _ options: PlanText.Options = [], measured: Bool = false
  ) throws -> String {
    guard elements == nil else { return oneByOne }
    return try session().explain(plannedQuery, options, measured: measured)
  }

  /// The plan of the query as JSON, after a run if measurements are wanted.
  package final func explainJSON(measured: Bool = false) throws -> String {
    guard elements == nil else { return try QuerySession.json(PlanReport("Elements", oneByOne)) }
    return try session().explainJSON(plannedQuery, measured: measured)
  }

  private var oneByOne: String {
    "Elements of a collection, one by one: \(query.predicate.summary)"
  }

  // MARK: Incremental maintenance

  /// The changes since the result was computed, if they are few enough to apply.
  private func recentChanges() throws -> (changes: ChangeRange, trace: ChangeTrace, limit: Int)? {
    guard case .keys? = content, let trace = try currentAnalysis().trace,
      let changes = try context.changes(since: generation, version)
    else { return nil }
    let limit = max(Self.fewChanges, (content?.count ?? 0) / 4)
    return changes.touchedCount <= limit ? (changes, trace, limit) : nil
  }

  /// The number of changes that are applied one by one whatever the size of the result.
  private static let fewChanges = 64

  /// Applies the changes since the result was computed; nil where they are not known, or where
  /// running the query again costs less.
  private func applyChanges() throws -> SequenceDifference? {
    guard let (changes, trace, limit) = try recentChanges(),
      case let session = try session(),
      var present = try trace.keys(changedBy: changes, session.reader, limit: limit)
    else { return nil }
    var touched = present
    if let changed = changes.classes[query.className],
      !changed.inserted.isEmpty || !changed.deleted.isEmpty
    {
      let others = present.filter { !changed.inserted.contains($0) } + changed.inserted
      present = others.filter { !changed.deleted.contains($0) }.sorted()
      touched = (present + changed.deleted).sorted()
    }
    guard !touched.isEmpty else {
      try stamp()
      return SequenceDifference()
    }
    let order = order
    let candidates = try session.executor.matching(present, of: query.className, query.predicate)
    let matching = try session.executor.sorted(candidates, of: query.className, by: order)
    let newVersion = try context.committedVersion()
    // The list is the only owner of the keys, so that they are changed in place. An error leaves the result
    // as it was.
    var list = KeyList(takeKeys(), isAscending: order.isEmpty)
    defer { content = .keys(list.keys) }
    let difference = try list.replace(touched, by: matching) { first, second in
      try session.executor.sorted(
        [min(first, second), max(first, second)], of: query.className, by: order
      )
      .first == first
    }
    (version, generation) = (newVersion, context.generation.current)
    return difference
  }

  /// Removes the keys from the result, so that the caller is their only owner.
  private func takeKeys() -> [Int64] {
    guard case .keys(let keys)? = content else { return [] }
    content = nil
    return keys
  }
}

extension [Value] {
  /// The values in order; values that are equal in it keep their positions.
  fileprivate func sortedStably(_ rule: SortRule) -> [Value] {
    let keys = map(rule.key)
    return indices.sorted { first, second in
      let order = rule.ordering(keys[first], keys[second])
      return order == .same ? first < second : order == .ascending
    }.map { self[$0] }
  }

  /// The first of each group of equal values, in the order of the list.
  fileprivate var distinct: [Value] {
    let ordered = enumerated().sorted { first, second in
      let order = first.element.ordering(second.element)
      return order == .same ? first.offset < second.offset : order == .ascending
    }
    let kept = ordered.enumerated().filter { index, entry in
      index == 0 || ordered[index - 1].element.ordering(entry.element) != .same
    }
    return kept.map(\.element.offset).sorted().map { self[$0] }
  }
}
