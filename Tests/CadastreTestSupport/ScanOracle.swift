package import CadastreModel
package import CadastrePlanner
package import CadastrePredicate

/// The right answer to a question, by asking every plain object in turn.
package struct ScanOracle {
  private let objects: PlainObjects

  /// An oracle that knows some objects.
  package init(_ objects: PlainObjects) { self.objects = objects }

  /// The keys of the objects that a question finds, in its order.
  package func keys(_ query: ObjectQuery) throws -> [Int64] {
    var keys = try matching(query.className, query.predicate)
    if !query.order.isEmpty, let root = objects.schema[query.className] {
      let paths = try query.order.map { try objects.schema.resolve($0.path, from: root) }
      let sortable = keys.map { key in (key, paths.map { sortValue(query.className, key, $0) }) }
      keys = sortable.sorted { precedes($0, $1, query.order) }.map(\.0)
    }
    return Array(keys.dropFirst(query.offset).prefix(query.limit ?? .max))
  }

  /// The keys of the objects of a class that match a bound predicate, ascending.
  package func matching(_ className: String, _ predicate: QueryPredicate) throws -> [Int64] {
    guard let root = objects.schema[className] else { return [] }
    let evaluator = SlowEvaluator(
      schema: objects.schema, root: root, primaryKey: { key(of: $0) })
    return try objects.keys(className).filter { key in
      try evaluator.matches(PlainSubject(objects, root, key), predicate)
    }
  }

  private func key(of reference: ObjectReference) -> ObjectKey? {
    guard case .primaryKey(let value) = reference.identity,
      let property = objects.schema[reference.className]?.primaryKeyProperty
    else { return nil }
    return objects.keys(reference.className).first { key in
      objects.object(reference.className, key)?[property.name] == .value(value)
    }.map(ObjectKey.init)
  }

  // MARK: Order

  /// What an object is sorted by; nil where a link or an embedded object on the way is null.
  private func sortValue(_ className: String, _ key: Int64, _ path: ResolvedPath) -> Value? {
    guard let root = objects.schema[className] else { return nil }
    var subject: (any PredicateSubject)? = PlainSubject(objects, root, key)
    for property in path.properties.dropLast() { subject = subject?.object(at: property) }
    return subject?.value(of: path.leaf)
  }

  private func precedes(
    _ first: (Int64, [Value?]), _ second: (Int64, [Value?]), _ order: [SortKey]
  ) -> Bool {
    for (place, key) in order.enumerated() {
      let rank = compare(first.1[place], second.1[place])
      if rank != 0 { return (rank < 0) == key.isAscending }
    }
    return first.0 < second.0
  }

  /// Null, then NaN, then values; what lies behind a null link last.
  private func compare(_ first: Value?, _ second: Value?) -> Int {
    func group(_ value: Value?) -> Int {
      guard let value else { return 3 }
      if value.isNull { return 0 }
      return value.doubleValue?.isNaN == true ? 1 : 2
    }
    let (one, other) = (group(first), group(second))
    guard one == 2, other == 2, let first, let second else { return one - other }
    if first.matches(.less, second) { return -1 }
    return second.matches(.less, first) ? 1 : 0
  }
}

/// One plain object, or one embedded in it, as the slow evaluator sees it.
package struct PlainSubject: PredicateSubject {
  private let objects: PlainObjects
  private let schema: ObjectSchema
  private let members: PlainObject
  package let key: ObjectKey?

  /// An object of its own.
  package init(_ objects: PlainObjects, _ schema: ObjectSchema, _ key: Int64) {
    self.objects = objects
    self.schema = schema
    self.key = ObjectKey(key)
    members = objects.object(schema.className, key) ?? [:]
  }

  private init(_ objects: PlainObjects, _ schema: ObjectSchema, embedded: PlainObject) {
    self.objects = objects
    self.schema = schema
    key = nil
    members = embedded
  }

  package func value(of property: Property) -> Value {
    if case .value(let value)? = members[property.name] { value } else { .null }
  }

  package func elements(of property: Property) -> [Value] {
    if case .list(let values)? = members[property.name] { values } else { [] }
  }

  package func object(at property: Property) -> (any PredicateSubject)? {
    guard let target = objects.schema.target(of: property) else { return nil }
    switch members[property.name] {
    case .embedded(let inner)?: return PlainSubject(objects, target, embedded: inner)
    case .value(.link(let key))?: return PlainSubject(objects, target, key.rawValue)
    default: return nil
    }
  }
}
