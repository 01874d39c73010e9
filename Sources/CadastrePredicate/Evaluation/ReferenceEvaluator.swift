import CadastreGeometry
package import CadastreModel

/// Tests whether one object matches a predicate.
///
/// The oracle of the tests: it evaluates one property and one value at a time, and shares no code
/// with the planner or the executor.
package struct ReferenceEvaluator {
  private let schema: Schema
  private let root: ObjectSchema
  private let primaryKey: (ObjectReference) -> ObjectKey?

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
    /// Whether the values were stored, so that a NaN may meet itself.
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
        // Of a missing element of a list, no collection can be compared.
        if nodes(route.hops.dropLast(), from: subject).isEmpty { return false }
        let found = nodes(route.entered.hops, from: subject).map(value)
        // An object that is not there is equal to nothing.
        let isSame =
          !expected.contains(nil)
          && Self.isSame(found, expected.compactMap(\.self), inOrder: !property.isSet)
        return isSame == (comparison.operation == .equal)
      }
    }
    let left = try side(comparison.left, subject)
    let right = try side(comparison.right, subject)
    let compare = comparer(comparison, left, right)
    return try left.quantifier.holds(left.values) { (value) throws(QueryPredicateError) in
      compare(value)
    }
  }

  /// The constants to which a whole collection may be equal, nil for a missing object.
  private func wholeContent(_ operand: Operand) -> [Value?]? {
    switch operand {
    case .list(let values): values
    case .objects(let references): references.map(value)
    default: nil
    }
  }

  /// The comparison of one value of the left side.
  private func comparer(
    _ comparison: Comparison, _ left: Side, _ right: Side
  ) -> (Value) -> Bool {
    let bothStored = left.isStored && right.isStored
    func fits(_ first: Value, _ operation: ComparisonOperator, _ second: Value) -> Bool {
      first.matches(
        operation, second, options: comparison.options, isNaNEqualToItself: bothStored,
        isNullOrdered: !left.isMixed && !right.isMixed)
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
      return { value in right.quantifier.holds(right.values) { fits(value, operation, $0) } }
    }
  }

  private static func isSame(_ found: [Value], _ expected: [Value], inOrder: Bool) -> Bool {
    if inOrder {
      return found.count == expected.count
        && zip(found, expected).allSatisfy { $0.matches(.equal, $1) }
    }
    return found.allSatisfy { one in expected.contains { one.matches(.equal, $0) } }
      && expected.allSatisfy { one in found.contains { one.matches(.equal, $0) } }
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
    let result = aggregate.operation.result(elements.map(value), isDecimal: isDecimal)
    return Side(values: [result], isMixed: end == .value(.any))
  }

  private func count(
    _ subquery: Subquery, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> Int64 {
    let route = try schema.resolve(subquery.collection, from: root).entered
    guard case .object(let target) = route.end else { return 0 }
    let evaluator = ReferenceEvaluator(schema: schema, root: target, primaryKey: primaryKey)
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
        right.values.map { arithmetic.operation.result(first, $0) }
      })
  }

  private func value(_ object: ObjectReference) -> Value? { object.value { primaryKey(object) } }

  // MARK: Nodes

  /// A node that a path reaches.
  private enum Node {
    /// An object, and its class.
    case object(any PredicateSubject, ObjectSchema)
    /// A link or an embedded object that is null.
    case null
    /// A value behind a null link.
    case behindNull
    /// A single value, or one of any type.
    case value(Value)
    /// A collection of an object.
    case collection(any PredicateSubject, Property)
    /// A collection behind a null link, which reads as empty.
    case noCollection
  }

  private func nodes(
    _ hops: some Sequence<BoundPath.Hop>, from subject: any PredicateSubject
  ) -> [Node] {
    follow(hops, [.object(subject, root)], subject, isToMany: false)
  }

  private func follow(
    _ hops: some Sequence<BoundPath.Hop>, _ start: [Node], _ subject: any PredicateSubject,
    isToMany: Bool
  ) -> [Node] {
    var nodes = start
    var isToMany = isToMany
    for hop in hops {
      nodes = nodes.flatMap { next(hop, $0, subject, isToMany: isToMany) }
      if hop == .elements || hop == .keys { isToMany = true }
    }
    // Properties of objects in values of any type may be collections.
    return nodes.flatMap { node in
      if case .collection(let owner, let property) = node {
        return elements(of: property, owner)
      }
      return [node]
    }
  }

  /// The value of a node in a comparison.
  private func value(of node: Node) -> Value {
    switch node {
    case .object(let subject, _): subject.identity
    case .value(let value): value
    case .null, .behindNull, .collection, .noCollection: .null
    }
  }

  private func next(
    _ hop: BoundPath.Hop, _ node: Node, _ subject: any PredicateSubject, isToMany: Bool
  ) -> [Node] {
    switch hop {
    case .property(let bound): follow(bound.property, from: node, isToMany: isToMany)
    case .elements: elements(of: node)
    case .element(let index): element(index, of: node)
    case .entry(let key): entry(key, of: node)
    case .keys: keys(of: node)
    case .member(let name): member(name, of: node, subject, isToMany: isToMany)
    case .incomingLinks:
      if case .object(let target, _) = node {
        [.value(.int(Int64(target.incomingLinkCount)))]
      } else {
        [.value(.int(0))]
      }
    case .count(let ofLink): count(of: node, ofLink: ofLink)
    case .length: [.value(Self.byteCount(value(of: node)) ?? .int(0))]
    case .measure(let measure): [.value(measure.value(of: value(of: node)))]
    case .type(let type):
      [.value(.string(type.map(TypeName.of) ?? TypeName.of(value(of: node))))]
    }
  }

  private func follow(_ property: Property, from node: Node, isToMany: Bool) -> [Node] {
    guard case .object(let subject, _) = node else {
      // A null link inside a collection adds nothing; elsewhere values behind it are null.
      if isToMany { return [] }
      return [property.isCollection ? .noCollection : .behindNull]
    }
    if property.isCollection { return [.collection(subject, property)] }
    guard property.type == .object else { return [.value(subject.value(of: property))] }
    return [object(subject.object(at: property), property)]
  }

  private func object(_ subject: (any PredicateSubject)?, _ property: Property) -> Node {
    guard let subject, let target = schema.target(of: property) else { return .null }
    return .object(subject, target)
  }

  private func elements(of node: Node) -> [Node] {
    switch node {
    case .collection(let subject, let property): elements(of: property, subject)
    case .value(.list(let values)): values.map(Node.value)
    case .value(.map(let map)): map.entries.map { .value($0.value) }
    case .value, .object, .null, .behindNull, .noCollection: []
    }
  }

  private func elements(of property: Property, _ subject: any PredicateSubject) -> [Node] {
    guard property.type == .object || property.type == .linkingObjects else {
      return subject.elements(of: property).map(Node.value)
    }
    return subject.objects(in: property).map { object($0, property) }
  }

  private func element(_ index: BoundPath.ListPosition, of node: Node) -> [Node] {
    if case .value(let value) = node {
      guard case .list = value else { return [] }
    }
    let elements = elements(of: node)
    switch index {
    case .index(let index): return elements.indices.contains(index) ? [elements[index]] : []
    case .first: return Array(elements.prefix(1))
    case .last: return Array(elements.suffix(1))
    }
  }

  private func entry(_ key: String, of node: Node) -> [Node] {
    switch node {
    case .collection(let subject, let property):
      let keys = subject.keys(of: property)
      guard let node = keys.firstIndex(where: { $0.utf8.elementsEqual(key.utf8) }) else {
        return [property.type == .object ? .null : .value(.null)]
      }
      return [elements(of: property, subject)[node]]
    case .value(.map(let map)): return map[key].map { [.value($0)] } ?? []
    case .noCollection: return [.null]
    case .value, .object, .null, .behindNull: return []
    }
  }

  private func keys(of node: Node) -> [Node] {
    switch node {
    case .collection(let subject, let property):
      subject.keys(of: property).map { .value(.string($0)) }
    case .value(.map(let map)): map.keys.map { .value(.string($0)) }
    case .value, .object, .null, .behindNull, .noCollection: []
    }
  }

  /// A step by name from a value of any type.
  private func member(
    _ name: String, of node: Node, _ subject: any PredicateSubject, isToMany: Bool
  ) -> [Node] {
    switch node {
    case .value(.map): return entry(name, of: node)
    case .value(.object(let address)):
      guard let target = schema[address.className], let found = subject.object(at: address),
        let property = target[name] ?? target.computedProperty(name)
      else { return [] }
      return follow(property, from: .object(found, target), isToMany: isToMany)
    case .object(_, let target):
      guard let property = target[name] ?? target.computedProperty(name) else { return [] }
      return follow(property, from: node, isToMany: isToMany)
    case .value(let value): return ValueMeasure.value(name, of: value).map { [.value($0)] } ?? []
    // Values behind a null link of such an object are null, as behind any other.
    case .null: return isToMany ? [] : [.null]
    case .collection, .behindNull, .noCollection: return []
    }
  }

  private func count(of node: Node, ofLink: Bool) -> [Node] {
    switch node {
    case .collection(let subject, let property):
      return [.value(.int(Int64(elements(of: property, subject).count)))]
    case .noCollection: return [.value(.int(0))]
    case .object: return [.value(.int(1))]
    case .null, .behindNull: return [.value(ofLink ? .int(0) : .null)]
    case .value(.list(let values)): return [.value(.int(Int64(values.count)))]
    case .value(.map(let map)): return [.value(.int(Int64(map.entries.count)))]
    case .value(.null): return [.value(.null)]
    case .value(let value): return Self.byteCount(value).map { [.value($0)] } ?? []
    }
  }

  /// The bytes of text or of data; nil for other values.
  private static func byteCount(_ value: Value) -> Value? {
    switch value {
    case .string(let text): .int(Int64(text.utf8.count))
    case .data(let data): .int(Int64(data.count))
    default: nil
    }
  }

  // MARK: Geography

  private func matches(
    _ subject: any PredicateSubject, _ within: GeoWithin
  ) throws(QueryPredicateError) -> Bool {
    let route = try schema.resolve(within.path, from: root).entered
    if case .value(.geometry) = route.end {
      return try matches(
        subject,
        GeometryRelation(
          .path(within.path), .within, .region(within.shape), edges: within.edges,
          quantifier: within.quantifier))
    }
    guard case .object(let target) = route.end else { return false }
    let points = nodes(route.hops, from: subject)
    if points.isEmpty { return within.quantifier == .none }
    let region: PreparedRegion
    do throws(RegionError) {
      region = try PreparedRegion(within.shape, edges: within.edges)
    } catch {
      throw QueryPredicateError(.invalidArgument, error.description)
    }
    return within.quantifier.holds(points) { point in
      guard case .object(let point, _) = point, let place = Self.place(of: point, target) else {
        return false
      }
      return region.contains(longitude: place.longitude, latitude: place.latitude)
    }
  }

  private func matches(
    _ subject: any PredicateSubject, _ relation: GeometryRelation
  ) throws(QueryPredicateError) -> Bool {
    let sides = (
      try geometries(relation.left, subject, relation.edges),
      try geometries(relation.right, subject, relation.edges)
    )
    // Of no geometries, NONE is true and ALL is false.
    if sides.0.isEmpty { return relation.quantifier == .none || relation.kind == .disjoint }
    return relation.quantifier.holds(sides.0) { left in
      guard let left else { return relation.kind == .disjoint }
      if case .objects = relation.right {
        return sides.1.contains { $0.map { relation.kind.holds(left, $0) } ?? false }
      }
      guard let right = sides.1.first ?? nil else { return relation.kind == .disjoint }
      return relation.kind.holds(left, right)
    }
  }

  /// The geometries of one side; nil for each that is missing.
  func geometries(
    _ side: GeometryRelation.Side, _ subject: any PredicateSubject, _ edges: EdgeModel
  ) throws(QueryPredicateError) -> [PreparedGeometry?] {
    switch side {
    case .geometry(let geometry): return [PreparedGeometry(geometry, edges: edges)]
    case .region(let shape): return [PreparedGeometry(region: shape, edges: edges)]
    case .objects(let objects):
      guard let target = schema[objects.className] else { return [] }
      let evaluator = ReferenceEvaluator(schema: schema, root: target, primaryKey: primaryKey)
      var found: [PreparedGeometry?] = []
      for object in subject.objects(of: objects.className)
      where try evaluator.matches(object, objects.predicate) {
        found += try evaluator.geometries(.path(objects.path), object, edges)
      }
      return found
    case .path(let path):
      let route = try schema.resolve(path, from: root).entered
      return nodes(route.hops, from: subject).map { node in
        if case .object(let object, _) = node, case .object(let target) = route.end {
          return Self.place(of: object, target).flatMap {
            GeoPoint(latitude: $0.latitude, longitude: $0.longitude)
          }.map { PreparedGeometry(Geometry($0), edges: edges) }
        }
        guard case .geometry(let geometry) = value(of: node) else { return nil }
        return PreparedGeometry(geometry, edges: edges)
      }
    }
  }

  /// Longitude and latitude of an embedded point; nil where it does not hold a valid one.
  private static func place(
    of point: any PredicateSubject, _ schema: ObjectSchema
  ) -> (longitude: Double, latitude: Double)? {
    guard let type = schema[ObjectSchema.pointTypeName],
      let coordinates = schema[ObjectSchema.pointCoordinatesName],
      case .string(let name) = point.value(of: type)
    else { return nil }
    return PointShape.location(
      type: name, coordinates: point.elements(of: coordinates).compactMap(\.doubleValue))
  }
}
