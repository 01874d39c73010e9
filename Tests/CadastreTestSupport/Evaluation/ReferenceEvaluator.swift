package import CadastreModel
package import CadastrePredicate

/// Tests whether one object matches a predicate.
///
/// The oracle of the tests: it reads one property and one value at a time. Names are resolved as in bound predicates;
/// values have the rules of ``ReferenceRules`` and ``ReferenceText``, which are written from the pages Predicates, Equality and
/// FullText of the documentation. It shares no code with plans and filters.
///
/// A new kind of operand is a case of `side`, a new step of a path one of `next`, a new operator one of
/// `ReferenceRules.holds`.
package struct ReferenceEvaluator {
  let schema: Schema
  let root: ObjectSchema
  let primaryKey: (ObjectReference) -> ObjectKey?
  /// The objects round a subquery, the innermost last.
  private var enclosing: [(evaluator: ReferenceEvaluator, subject: any PredicateSubject)] = []

  /// An evaluator for objects of one class.
  ///
  /// - Parameters:
  ///   - schema: All classes that paths may lead to.
  ///   - root: The class of the objects.
  ///   - primaryKey: Finds the object that a reference names by its primary key.
  package init(
    schema: Schema, root: ObjectSchema,
    primaryKey: @escaping (ObjectReference) -> ObjectKey? = { _ in nil }
  ) {
    self.schema = schema
    self.root = root
    self.primaryKey = primaryKey
  }

  /// Whether an object matches a bound predicate.
  ///
  /// - Throws: ``QueryPredicateError`` where the predicate does not fit the schema.
  package func matches(
    _ subject: any PredicateSubject, _ predicate: QueryPredicate
  ) throws(QueryPredicateError) -> Bool {
    switch predicate {
    case .not(let inner): return try !matches(subject, inner)
    case .and(let parts):
      for part in parts where try !matches(subject, part) { return false }
      return true
    case .or(let parts):
      for part in parts where try matches(subject, part) { return true }
      return false
    case .constant, .comparison, .geoWithin, .relation: return try matches(subject, leaf: predicate)
    }
  }

  /// Apart from the recursion on the logic, whose frames must be small.
  private func matches(
    _ subject: any PredicateSubject, leaf: QueryPredicate
  ) throws(QueryPredicateError) -> Bool {
    switch leaf {
    case .constant(let value): value
    case .comparison(let comparison): try matches(subject, comparison)
    case .geoWithin(let within): try matches(subject, within)
    case .relation(let relation): try matches(subject, relation)
    case .not, .and, .or: try matches(subject, leaf)
    }
  }

  /// The sort value of an object; nil where a link or an embedded object on the path is null.
  package func sortValue(
    of subject: any PredicateSubject, at path: PropertyPath
  ) throws(QueryPredicateError) -> Value? {
    let route = try schema.resolve(path, from: root)
    switch nodes(route.hops, from: subject).first {
    case .behindNull?, nil: return nil
    case let node?: return value(of: node)
    }
  }

  // MARK: Comparisons

  /// One side of a comparison, evaluated for an object.
  private struct Side {
    var quantifier: Quantifier = .any
    var values: [Value]
    /// Whether the values are of any type, so that null has no order.
    var isMixed = false
    /// Whether the values were stored, so that NaN equals NaN.
    var isStored = false
  }

  private func matches(
    _ subject: any PredicateSubject, _ comparison: Comparison
  ) throws(QueryPredicateError) -> Bool {
    if case .property(let path) = comparison.left, comparison.operation.isEquality,
      let expected = wholeContent(comparison.right)
    {
      let route = try schema.resolve(path, from: root)
      if case .collection(let property, _) = route.end {
        // A missing element of a list has no collection to compare.
        if nodes(route.hops.dropLast(), from: subject).isEmpty { return false }
        let found = nodes(route.entered.hops, from: subject).map(value)
        // An object that is not there is equal to nothing.
        let isSame =
          !expected.contains(nil)
          && ReferenceRules.areEqual(
            found, expected.compactMap(\.self), inOrder: !property.isSet)
        return isSame == (comparison.operation == .equal)
      }
    }
    let left = try side(comparison.left, subject)
    let right = try side(comparison.right, subject)
    let compare = comparer(comparison, left, right)
    return Self.holds(left.quantifier, left.values, compare)
  }

  /// The constants to which a whole collection may be equal, nil for a missing object.
  private func wholeContent(_ operand: Operand) -> [Value?]? {
    switch operand {
    case .list(let values): values
    case .objects(let references): references.map(value)
    default: nil
    }
  }

  /// Whether as many elements pass a test as a quantifier requires.
  package static func holds<Element>(
    _ quantifier: Quantifier, _ elements: [Element], _ test: (Element) -> Bool
  ) -> Bool {
    switch quantifier {
    case .any: elements.contains(where: test)
    case .all: elements.allSatisfy(test)
    case .none: !elements.contains(where: test)
    }
  }

  /// The comparison of one value of the left side.
  private func comparer(
    _ comparison: Comparison, _ left: Side, _ right: Side
  ) -> (Value) -> Bool {
    let bothStored = left.isStored && right.isStored
    func fits(_ first: Value, _ operation: ComparisonOperator, _ second: Value) -> Bool {
      ReferenceRules.holds(
        first, operation, second, comparison.options, areStored: bothStored,
        areMixed: left.isMixed || right.isMixed)
    }
    switch (comparison.operation, comparison.right) {
    case (.between, _):
      return { value in
        fits(value, .greaterOrEqual, right.values[0]) && fits(value, .lessOrEqual, right.values[1])
      }
    case (let operation, .object), (let operation, .objects):
      // An object that is not there is equal to nothing.
      return { value in right.values.contains(value) == (operation != .notEqual) }
    case (.isIn, _): return { value in right.values.contains { fits(value, .equal, $0) } }
    case (let operation, _):
      return { value in Self.holds(right.quantifier, right.values) { fits(value, operation, $0) } }
    }
  }

  // MARK: Operands

  private func side(
    _ operand: Operand, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> Side {
    switch operand {
    case .property(let path): return try side(.any, path, subject)
    case .elements(let quantifier, let path): return try side(quantifier, path, subject)
    case .value(let value): return Side(values: [value])
    case .list(let values): return Side(values: values)
    case .constants(let quantifier, let values):
      return Side(quantifier: quantifier, values: values)
    case .object(let reference): return Side(values: [reference].compactMap(value))
    case .objects(let references): return Side(values: references.compactMap(value))
    case .content, .now: return Side(values: [])
    case .aggregate(let aggregate): return try side(aggregate, subject)
    case .subquery(let subquery): return Side(values: [.int(try count(subquery, subject))])
    case .outer(let outer):
      let (evaluator, object) = enclosing[enclosing.count - outer.level]
      return try evaluator.side(outer.operand, object)
    case .arithmetic(let arithmetic): return try side(arithmetic, subject)
    case .distance(let distance):
      return Side(quantifier: distance.quantifier, values: try metres(distance, subject))
    }
  }

  private func side(
    _ quantifier: Quantifier, _ path: PropertyPath, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> Side {
    let route = try schema.resolve(path, from: root).entered
    return Side(
      quantifier: quantifier, values: nodes(route.hops, from: subject).map(value),
      isMixed: route.end == .value(.any), isStored: true)
  }

  private func side(
    _ aggregate: Aggregate, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> Side {
    let collection = try schema.resolve(aggregate.collection, from: root).entered
    var elements = nodes(collection.hops, from: subject)
    var end = collection.end
    if let member = aggregate.member {
      let route =
        if case .object(let target) = collection.end {
          try schema.resolve(member, from: target)
        } else {
          try schema.resolveMeasures(member)
        }
      elements = elements.flatMap { follow(route.hops, [$0], subject, isToMany: true) }
      end = route.end
    }
    var isDecimal = false
    if case .value(let type) = end { isDecimal = type == .decimal128 }
    let result = ReferenceRules.aggregate(
      aggregate.operation, elements.map(value), isDecimal: isDecimal)
    return Side(values: [result], isMixed: end == .value(.any))
  }

  private func count(
    _ subquery: Subquery, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> Int64 {
    let route = try schema.resolve(subquery.collection, from: root).entered
    guard case .object(let target) = route.end else { return 0 }
    var evaluator = ReferenceEvaluator(schema: schema, root: target, primaryKey: primaryKey)
    evaluator.enclosing = enclosing + [(self, subject)]
    var count: Int64 = 0
    for node in nodes(route.hops, from: subject) {
      guard case .object(let element, _) = node else { continue }
      if try evaluator.matches(element, subquery.predicate) { count += 1 }
    }
    return count
  }

  private func side(
    _ arithmetic: Arithmetic, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> Side {
    let left = try side(arithmetic.left, subject)
    let right = try side(arithmetic.right, subject)
    // Only one of the two sides may be many values, so its quantifier is that of the results.
    return Side(
      quantifier: left.quantifier == .any ? right.quantifier : left.quantifier,
      values: left.values.flatMap { first in
        right.values.map { ReferenceRules.result(first, arithmetic.operation, $0) }
      })
  }

  private func value(_ reference: ObjectReference) -> Value? {
    switch reference.identity {
    case .key(let key): .object(ObjectAddress(className: reference.className, key: key))
    case .primaryKey:
      primaryKey(reference).map {
        .object(ObjectAddress(className: reference.className, key: $0))
      }
    case .embedded(let owner, let path, let number):
      .embedded(in: owner, at: path, number: number)
    // An object that is not stored is equal to nothing.
    case .unmanaged: nil
    }
  }
}
