import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// The objects that link to an object, where some of them are embedded in the rows of their owners.
///
/// No table has these objects, so no plan of a query finds them: they are tested and ordered one by one in memory.
final class EmbeddedLinks: ElementSource {
  /// An operation on the objects, in the order of the steps.
  enum Step: Equatable {
    case filter(QueryPredicate)
    case sort([SortKey])
    case distinct([PropertyPath])
    case limit(Int, offset: Int)
  }

  private let search: LinkSearch
  private let info: ClassInfo
  private let steps: [Step]
  private var cached: (generation: UInt64, objects: [ObjectBase])?

  private init(_ search: LinkSearch, _ info: ClassInfo, _ steps: [Step]) {
    self.search = search
    self.info = info
    self.steps = steps
  }

  convenience init(_ search: LinkSearch, _ type: ObjectBase.Type) {
    self.init(search, ClassInfo.of(type), [])
  }

  /// Returns the objects after another step.
  ///
  /// - Throws: `QueryPredicateError` for a predicate or a path that does not fit the class.
  func adding(_ step: Step) throws(QueryPredicateError) -> EmbeddedLinks {
    switch step {
    case .filter(let predicate): _ = try predicate.bound(to: core.schema, root: info.schema)
    case .sort(let keys): _ = try bound(keys)
    case .distinct(let paths): _ = try bound(paths.map { SortKey($0) })
    case .limit: break
    }
    return EmbeddedLinks(search, info, steps + [step])
  }

  private func bound(_ keys: [SortKey]) throws(QueryPredicateError) -> [BoundSortKey] {
    let bound = try ObjectQuery(info.schema.className, order: keys)
      .bound(to: info.unmanagedCatalogue.schema, allowsEmbedded: true).order
    guard bound.allSatisfy({ $0.criterion.isOfValue }) else {
      throw QueryPredicateError(
        .sort, "Objects that are embedded in their owners are not sorted by distance")
    }
    return bound
  }

  // MARK: Elements

  var core: RealmCore { search.core }
  var table: ManagedTable? { nil }
  var isValid: Bool { search.isValid }
  var isReadable: Bool { search.isReadable }
  var kindName: String { "Results" }
  var dependencies: QueryDependencies? { nil }
  var count: Int { objects.count }

  func values() -> [Value] { objects.map { .link($0.position?.row.key ?? ObjectKey(0)) } }

  func value(at index: Int) -> Value {
    let objects = objects
    return objects.indices.contains(index)
      ? .link(objects[index].position?.row.key ?? ObjectKey(0)) : .null
  }

  func context(at index: Int) -> StoredContext {
    let objects = objects
    guard objects.indices.contains(index), let position = objects[index].position else {
      return StoredContext(core)
    }
    return StoredContext(core, table: position.row.table, embedded: position.embeddedLayout)
  }

  func isSame(as other: any ElementSource) -> Bool {
    guard let other = other as? EmbeddedLinks else { return false }
    return steps == other.steps && search.isSame(as: other.search)
  }

  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    (search.counterpart(in: core) as? LinkSearch).map { EmbeddedLinks($0, info, steps) }
  }

  /// The current objects.
  var objects: [ObjectBase] {
    core.exclusively {
      requireValid()
      if let cached, cached.generation == core.currentGeneration { return cached.objects }
      return core.attempt(or: []) {
        var objects = search.objects(of: info.type)
        for step in steps { objects = try result(of: step, objects) }
        cached = (core.currentGeneration, objects)
        return objects
      }
    }
  }

  // MARK: Steps

  private func result(of step: Step, _ objects: [ObjectBase]) throws -> [ObjectBase] {
    switch step {
    case .filter(let predicate): return try filtered(objects, by: predicate)
    case .sort(let keys): return sorted(objects, by: try bound(keys))
    case .distinct(let paths):
      var seen: Set<[ValueKey]> = []
      return objects.filter { object in
        let values = paths.map { Self.value(of: object, at: $0) }
        // Objects with a null link in a path are omitted.
        guard !values.contains(nil) else { return false }
        return seen.insert(values.compactMap { $0.map(ValueKey.init) }).inserted
      }
    case .limit(let count, let offset): return Array(objects.dropFirst(offset).prefix(count))
    }
  }

  private func filtered(
    _ objects: [ObjectBase], by predicate: QueryPredicate
  ) throws -> [ObjectBase] {
    let bound = try predicate.bound(to: core.schema, root: info.schema)
    let reader = try core.currentReader()
    /// The filter of the objects in a column of the rows of a table.
    var filters: [(table: ManagedTable, embedded: EmbeddedLayout?, filter: RowFilter)] = []
    return try objects.filter { object in
      guard let position = object.position else { return false }
      let (table, embedded) = (position.row.table, position.embeddedLayout)
      let known = filters.first { $0.table.isSame(as: table) && $0.embedded == embedded }
      let filter =
        try known?.filter
        ?? RowFilter(bound, on: table.layout, embedded: embedded, core.schema, reader)
      if known == nil { filters.append((table, embedded, filter)) }
      return try filter.matches(position.row.key.rawValue)
    }
  }

  private func sorted(_ objects: [ObjectBase], by keys: [BoundSortKey]) -> [ObjectBase] {
    let rows = objects.map { object in
      (object, keys.map { key in Self.value(of: object, at: key.path.path).map(key.rule.key) })
    }
    let order = rows.enumerated().sorted { first, second in
      for (index, key) in keys.enumerated() {
        switch key.rule.ordering(first.element.1[index], second.element.1[index]) {
        case .ascending: return true
        case .descending: return false
        case .same: continue
        }
      }
      return first.offset < second.offset
    }
    return order.map(\.element.0)
  }

  /// The value at the end of a path; nil behind a null link.
  private static func value(of object: ObjectBase, at path: PropertyPath) -> Value? {
    object.content(at: path.names)?.value
  }
}

extension SortCriterion {
  /// Whether objects are ordered by a value, not by a distance or by their relevance.
  fileprivate var isOfValue: Bool {
    switch self {
    case .value, .text: true
    case .distance, .relevance: false
    }
  }
}
