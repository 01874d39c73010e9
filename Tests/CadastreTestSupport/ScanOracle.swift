package import CadastreModel
package import CadastrePredicate

/// An oracle for queries: the reference evaluator tests every plain object.
package struct ScanOracle {
  private let objects: PlainObjects

  /// Creates an oracle for some objects.
  package init(_ objects: PlainObjects) { self.objects = objects }

  /// Returns the keys of the objects of a class that match a bound predicate, ascending.
  package func matching(_ className: String, _ predicate: QueryPredicate) throws -> [Int64] {
    try matching(objects.keys(className), of: className, predicate)
  }

  /// Returns those of some keys whose objects match a bound predicate.
  package func matching(
    _ keys: [Int64], of className: String, _ predicate: QueryPredicate
  ) throws -> [Int64] {
    guard let root = objects.schema[className] else { return [] }
    let evaluator = ReferenceEvaluator(
      schema: objects.schema, root: root, primaryKey: { key(of: $0) })
    return try keys.filter { key in
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

  /// Returns the keys that match a query text, in its order.
  package func keys(_ className: String, _ text: QueryText) throws -> [Int64] {
    var keys = try matching(className, text.predicate)
    for ordering in text.orderings {
      switch ordering {
      case .sort(let terms):
        // The last of several sorts has the highest priority: each sort keeps the order of equal elements.
        keys = try sorted(keys, className, terms)
      case .distinct(let paths): keys = try distinct(keys, className, paths)
      case .limit(let count): keys = Array(keys.prefix(count))
      }
    }
    return keys
  }

  /// Returns keys in the order of their objects; equal objects keep their order.
  package func sorted(
    _ keys: [Int64], _ className: String, _ terms: [SortTerm]
  ) throws -> [Int64] {
    let sortable = try keys.enumerated().map { place, key in
      (key, place, try sortValues(className, key, terms.map(\.path)))
    }
    let orders = terms.map {
      ExpectedOrder(isAscending: $0.isAscending, collation: $0.collation, nulls: $0.nulls)
    }
    return sortable.sorted { first, second in
      for (place, order) in orders.enumerated() {
        if order.precedes(first.2[place], second.2[place]) { return true }
        if order.precedes(second.2[place], first.2[place]) { return false }
      }
      return first.1 < second.1
    }.map(\.0)
  }

  /// Returns the first of some keys for each combination of values; none behind a null link.
  package func distinct(
    _ keys: [Int64], _ className: String, _ paths: [PropertyPath]
  ) throws -> [Int64] {
    var seen: [[Value]] = []
    return try keys.filter { key in
      let values = try sortValues(className, key, paths).compactMap { $0 }
      guard values.count == paths.count else { return false }
      let isKnown = seen.contains { zip($0, values).allSatisfy { $0.ordering($1) == .same } }
      if !isKnown { seen.append(values) }
      return !isKnown
    }
  }

  /// Returns the sort values of an object; nil where a link or an embedded object on the path is null.
  private func sortValues(
    _ className: String, _ key: Int64, _ paths: [PropertyPath]
  ) throws -> [Value?] {
    guard let root = objects.schema[className] else { return [] }
    let evaluator = ReferenceEvaluator(schema: objects.schema, root: root)
    let subject = PlainSubject(objects, root, key)
    return try paths.map { try evaluator.sortValue(of: subject, at: $0) }
  }
}

extension ScanOracle {
  /// Returns the keys of the objects that match a query, in its order.
  package func keys(_ query: BoundQuery) throws -> [Int64] {
    let terms = query.order.map { key in
      var term = SortTerm(key.path.path, isAscending: key.isAscending, nulls: key.nulls)
      if case .text(let collation) = key.criterion { term.collation = collation }
      return term
    }
    let keys = try sorted(
      matching(query.className, query.predicate), query.className, terms)
    return Array(keys.dropFirst(query.offset).prefix(query.limit ?? .max))
  }

  /// Returns the keys of the objects of a class that match a bound predicate, ascending.
  package func matching(_ className: String, _ predicate: BoundPredicate) throws -> [Int64] {
    try matching(className, predicate.named)
  }
}

extension ObjectQuery {
  /// Returns the query bound to a schema; in contrast to `bound(to:)` it may be ordered by links.
  package func boundWithAnyOrder(
    to schema: Schema
  ) throws(QueryPredicateError) -> BoundQuery {
    let root = try schema.queriedClass(className)
    var query = self
    query.order = []
    var bound = try query.bound(to: schema)
    for key in order {
      bound.order.append(
        BoundSortKey(
          try schema.resolvedPaths.path(key.path, from: root, in: schema),
          isAscending: key.isAscending, by: key.criterion, nulls: key.nulls))
    }
    return bound
  }
}
