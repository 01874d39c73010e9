import CadastreExecutor
import CadastreGeometry
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore

/// A question and what has been found for it so far.
///
/// It is asked of all objects of a class, or of the elements of a collection.
final class Answer: ElementSource {
  /// What is asked.
  enum Base {
    /// All objects of the class.
    case objects
    /// The elements of a collection, objects or values.
    case elements(any ElementSource)
  }

  /// What happens to what was found, in this order.
  enum Step: Equatable {
    case sort([SortKey])
    case distinct([PropertyPath])
  }

  /// What was found: the keys of objects, or values.
  enum Found {
    case keys([Int64])
    case values([Value])

    var count: Int {
      switch self {
      case .keys(let keys): keys.count
      case .values(let values): values.count
      }
    }
  }

  /// What was found, and when.
  private struct Finding {
    var content: Found
    /// The state of the Realm.
    var epoch: UInt64
    /// The version of the store that the state is based on.
    var version: Int64
  }

  let core: RealmCore
  let table: ManagedTable?
  let base: Base
  /// The predicate, and where the answer is cut.
  private(set) var query: ObjectQuery
  private(set) var steps: [Step] = []
  private var found: Finding?
  private lazy var watched: QueryDependencies? = makeDependencies()
  /// Which objects changes reach of which the question reads something; nil where that cannot be told.
  private lazy var trace: ChangeTrace? = makeTrace()

  /// All objects of a class.
  init(_ core: RealmCore, _ table: ManagedTable) {
    self.core = core
    self.table = table
    base = .objects
    query = ObjectQuery(table.className)
  }

  /// The elements of a collection.
  init(_ source: any ElementSource) {
    core = source.core
    table = source.table
    base = .elements(source)
    query = ObjectQuery(table?.info.schema.className ?? "")
  }

  /// Another answer with a question changed by a closure.
  func changed(
    _ change: (inout ObjectQuery, inout [Step]) throws -> Void
  ) rethrows -> Answer {
    let answer = Answer(asking: self)
    try change(&answer.query, &answer.steps)
    return answer
  }

  /// The same question, which has found nothing yet.
  init(asking answer: Answer) {
    core = answer.core
    table = answer.table
    base = answer.base
    query = answer.query
    steps = answer.steps
  }

  /// The same question to another Realm.
  init(asking answer: Answer, _ core: RealmCore, _ base: Base) {
    self.core = core
    table = answer.table.flatMap { core.table(named: $0.info.schema.className) }
    self.base = base
    query = answer.query
    steps = answer.steps
  }

  // MARK: Elements

  var kindName: String { "Results" }

  var isValid: Bool {
    if case .elements(let source) = base { source.isValid } else { true }
  }

  func value(at index: Int) -> Value {
    switch content {
    case .keys(let keys): .link(ObjectKey(keys[index]))
    case .values(let values): values[index]
    }
  }

  func values() -> [Value] {
    switch content {
    case .keys(let keys): keys.map { .link(ObjectKey($0)) }
    case .values(let values): values
    }
  }

  /// The keys of the objects; none where the answer holds values.
  var keys: [Int64] { if case .keys(let keys) = content { keys } else { [] } }

  var count: Int {
    core.exclusively {
      if let current { return current.count }
      guard isPlain, !isLive else { return content.count }
      return Misuse.orStop { try session.count(plainQuery) }
    }
  }

  /// The number of elements, found together with them.
  var loadedCount: Int { content.count }

  func firstValue() -> Value? {
    core.exclusively {
      if current == nil, isPlain, !isLive {
        var one = plainQuery
        one.limit = min(1, query.limit ?? 1)
        let key = Misuse.orStop { try session.keys(one).keys.first }
        return key.map { .link(ObjectKey($0)) }
      }
      return count == 0 ? nil : value(at: 0)
    }
  }

  func isSame(as other: any ElementSource) -> Bool {
    guard let other = other as? Answer, core === other.core, query == other.query,
      steps == other.steps
    else { return self === other }
    return switch (base, other.base) {
    case (.objects, .objects): true
    case (.elements(let first), .elements(let second)): first.isSame(as: second)
    default: false
    }
  }

  /// How the question will be answered, as text.
  func explain(_ options: PlanText.Options = [], measuring: Bool = false) -> String {
    guard case .objects = base else { return oneByOne }
    return core.exclusively {
      Misuse.orStop { try session.explain(plainQuery, options, measuring: measuring) }
    }
  }

  /// How the question will be answered, as JSON.
  func explainJSON(measuring: Bool) -> String {
    core.exclusively {
      Misuse.orStop {
        guard case .objects = base else {
          return try QuerySession.json(PlanReport("Elements", oneByOne))
        }
        return try session.explainJSON(plainQuery, measuring: measuring)
      }
    }
  }

  private var oneByOne: String {
    "Elements of a collection, one by one: \(query.predicate.summary)"
  }

  // MARK: Finding

  private var session: QuerySession { QuerySession(core.reader, schema: core.schema) }

  /// Whether the planner can answer the question by itself.
  private var isPlain: Bool {
    guard case .objects = base else { return false }
    return steps.allSatisfy { if case .sort = $0 { true } else { false } }
  }

  /// The question with all sorts, the last one deciding first.
  var plainQuery: ObjectQuery {
    var query = query
    for step in steps {
      if case .sort(let keys) = step { query.order = keys + query.order }
    }
    return query
  }

  private var content: Found {
    core.exclusively {
      requireValid()
      if let current { return current }
      bringUpToDate()
      return found?.content ?? .keys([])
    }
  }

  /// Whether what was found can be brought up to date by looking at a few objects.
  private var isLive: Bool { found.map { recentChanges(since: $0) != nil } ?? false }

  /// Brings what was found up to date.
  func bringUpToDate() { if follow() == nil { findAnew() } }

  /// Brings what was found up to date by the objects that have changed; nil where that is not possible.
  private func follow() -> Movement? {
    let movement = Misuse.orStop { try followChanges() }
    if movement != nil { stamp() }
    return movement
  }

  private func findAnew() {
    let content = Misuse.orStop { try find() }
    found = Finding(content: content, epoch: 0, version: 0)
    stamp()
  }

  private func stamp() {
    found?.version = core.committedVersion
    found?.epoch = core.epoch
  }

  private func find() throws -> Found {
    if isPlain { return .keys(try session.keys(plainQuery).keys) }
    switch base {
    case .objects:
      if let first = try firstByIndex() { return .keys(cut(try stepped(first, from: 1))) }
      var all = query
      (all.limit, all.offset) = (nil, 0)
      return .keys(cut(try stepped(try session.keys(all).keys)))
    case .elements(let source):
      let values = source.values()
      guard table != nil else { return .values(cut(try stepped(values))) }
      let keys = values.compactMap { value -> Int64? in
        if case .link(let key) = value { key.rawValue } else { nil }
      }
      let matching = try executor.matching(keys, of: query.className, query.predicate)
      return .keys(cut(try stepped(matching)))
    }
  }

  private var executor: Executor { Executor(core.reader, schema: core.schema) }

  /// The angles in radians between a place and the points of the objects, in their order; nil for an
  /// object that is at no place.
  func angles(from origin: GeoPoint, at path: PropertyPath) -> [Double?] {
    core.read { reader in
      try Executor(reader, schema: core.schema).angles(
        keys, of: query.className, at: path, from: origin)
    }
  }

  /// The first object of each value, where all objects are made distinct by an indexed property first;
  /// nil where that is not asked for, or an index does not help.
  private func firstByIndex() throws -> [Int64]? {
    guard query.predicate == .constant(true), query.order.isEmpty,
      case .distinct(let paths)? = steps.first, paths.count == 1
    else { return nil }
    return try executor.distinctByIndex(query.className, by: paths[0])
  }

  private func stepped(_ keys: [Int64], from first: Int = 0) throws -> [Int64] {
    var keys = keys
    var pending: [SortKey] = []
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

  /// The same for values, whose only property is themselves.
  private func stepped(_ values: [Value]) throws -> [Value] {
    steps.reduce(values) { values, step in
      switch step {
      case .sort(let keys):
        let isAscending = keys.first?.isAscending ?? true
        return values.enumerated().sorted { first, second in
          let order = first.element.ordering(second.element)
          guard order != .same else { return first.offset < second.offset }
          return (order == .ascending) == isAscending
        }.map(\.element)
      case .distinct: return Self.distinct(values)
      }
    }
  }

  /// The first of each run of values that are level, in the order in which they came.
  private static func distinct(_ values: [Value]) -> [Value] {
    let ordered = values.enumerated().sorted { first, second in
      let order = first.element.ordering(second.element)
      return order == .same ? first.offset < second.offset : order == .ascending
    }
    let kept = ordered.enumerated().filter { place, entry in
      place == 0 || ordered[place - 1].element.ordering(entry.element) != .same
    }
    return kept.map(\.element.offset).sorted().map { values[$0] }
  }

  private func cut<Element>(_ elements: [Element]) -> [Element] {
    let start = min(elements.count, query.offset)
    let end = query.limit.map { start + min($0, elements.count - start) } ?? elements.count
    return Array(elements[start..<end])
  }

  // MARK: What it depends on

  var dependencies: QueryDependencies? { watched }

  private func makeDependencies() -> QueryDependencies? {
    guard let table else {
      if case .elements(let source) = base { return source.dependencies }
      return nil
    }
    let sorts = steps.flatMap { step in
      switch step {
      case .sort(let keys): keys.map(\.path)
      case .distinct(let paths): paths
      }
    }
    var dependencies = QueryDependencies(
      table.info.schema, query.predicate, sorts, in: core.schema, core.reader.catalogue)
    if case .elements(let source) = base {
      guard let elements = source.dependencies else { return nil }
      dependencies.formUnion(elements)
    }
    return dependencies
  }

  /// What was found, if nothing that the question depends on has changed since.
  private var current: Found? {
    core.checkThread()
    guard let found else { return nil }
    if found.epoch == core.epoch { return found.content }
    guard let watched, core.isUnchanged(watched, since: found.epoch) else { return nil }
    return found.content
  }

  // MARK: Following changes

  private func makeTrace() -> ChangeTrace? {
    guard isPlain, query.limit == nil, query.offset == 0, let watched, !watched.isUnbounded,
      !watched.followsLinksBackwards, plainQuery.order.allSatisfy(\.isByValue)
    else { return nil }
    return ChangeTrace(query.className, columns: watched.columns, in: core.reader.catalogue)
  }

  /// What has changed since something was found, if it is little enough to follow.
  private func recentChanges(since finding: Finding) -> ChangeSet? {
    guard case .keys(let keys) = finding.content, trace != nil,
      let changes = core.changes(since: finding.epoch, finding.version),
      changes.touchedCount <= max(Self.fewChanges, keys.count / 4)
    else { return nil }
    return changes
  }

  /// Changes that are followed whatever the number of objects that were found.
  private static let fewChanges = 64

  /// Follows what has changed since; nil where that cannot be told, or would take longer than asking again.
  private func followChanges() throws -> Movement? {
    guard let finding = found, case .keys(let keys) = finding.content, let trace,
      let changes = recentChanges(since: finding),
      var touched = try trace.keys(
        changedBy: changes, core.reader, limit: max(Self.fewChanges, keys.count / 4))
    else { return nil }
    let changed = changes.classes[query.className]
    let gone = changed?.deleted ?? []
    touched.formUnion(changed?.inserted ?? 0..<0)
    touched.subtract(gone)
    let order = plainQuery.order
    let candidates = try executor.matching(
      touched.sorted(), of: query.className, query.predicate)
    let matching = try executor.sorted(candidates, of: query.className, by: order)
    var list = KeyList(keys, isAscending: order.isEmpty)
    // Only this list holds the keys now, so that they are changed where they are.
    found?.content = .keys([])
    let movement = try list.replace(touched.union(gone), by: matching) { first, second in
      try executor.sorted([min(first, second), max(first, second)], of: query.className, by: order)
        .first == first
    }
    found?.content = .keys(list.keys)
    return movement
  }

  /// The keys that were found last, whatever has changed since; nil where values were.
  var foundKeys: KeyList? {
    guard case .keys(let keys)? = found?.content else { return nil }
    return KeyList(keys, isAscending: isPlain && plainQuery.order.isEmpty)
  }

  /// Forgets what was found; gives the number of elements that it had.
  func forgetFound() -> Int {
    defer { found = nil }
    return found?.content.count ?? 0
  }

  /// Brings what was found up to date, and tells what has moved.
  func moveOn() -> Movement {
    guard current == nil else { return Movement() }
    if let movement = follow() { return movement }
    let before = found?.content
    findAnew()
    return switch (before, found?.content) {
    case (.keys(let old)?, .keys(let new)?): Movement(from: old, to: new)
    case (.values(let old)?, .values(let new)?): Movement(from: old, to: new)
    default: Movement()
    }
  }
}

extension SortKey {
  /// Whether the order is that of a property's values.
  fileprivate var isByValue: Bool { origin == nil && words == nil }
}
