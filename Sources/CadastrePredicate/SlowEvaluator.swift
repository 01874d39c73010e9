import CadastreGeometry
package import CadastreModel

/// An object as the slow evaluator sees it: one property at a time.
package protocol PredicateSubject {
  /// The object's own key; nil for an embedded object.
  var key: ObjectKey? { get }
  /// The value of a property that holds a single one; the key of a link.
  func value(of property: Property) -> Value
  /// The object that a link or an embedded property leads to; nil where that is null.
  func object(at property: Property) -> (any PredicateSubject)?
  /// The elements of a list.
  func elements(of property: Property) -> [Value]
}

/// The slow truth: whether one object matches a predicate.
///
/// Written to be obviously right, one property and one value at a time, and shares nothing with the
/// executor; tests hold the executor against it.
package struct SlowEvaluator {
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
    case .constant(let value): return value
    case .not(let inner): return try !matches(subject, inner)
    case .and(let parts):
      for part in parts where try !matches(subject, part) { return false }
      return true
    case .or(let parts):
      for part in parts where try matches(subject, part) { return true }
      return false
    case .comparison(let comparison): return try matches(subject, comparison)
    case .geoWithin(let within): return try matches(subject, within)
    }
  }

  private func matches(
    _ subject: any PredicateSubject, _ comparison: Comparison
  ) throws(QueryPredicateError) -> Bool {
    guard case .property(let path) = comparison.left else { return false }
    let properties = try schema.resolve(path, from: root).properties
    let owner = follow(properties.dropLast(), from: subject)
    let leaf = properties[properties.count - 1]
    if leaf.isArray, case .list(let expected) = comparison.right {
      let found = owner?.elements(of: leaf) ?? []
      let isEqual =
        found.count == expected.count
        && zip(found, expected).allSatisfy { $0.matches(.equal, $1) }
      return (comparison.operation == .equal) == isEqual
    }
    let value: Value
    if schema.isEmbedded(leaf) {
      value = owner?.object(at: leaf) == nil ? .null : .bool(true)
    } else {
      value = owner?.value(of: leaf) ?? .null
    }
    return try matches(subject, value, comparison)
  }

  private func matches(
    _ subject: any PredicateSubject, _ value: Value, _ comparison: Comparison
  ) throws(QueryPredicateError) -> Bool {
    let options = comparison.options
    switch comparison.right {
    case .value(let other): return value.matches(comparison.operation, other, options: options)
    case .list(let others) where comparison.operation == .between:
      return value.matches(.greaterOrEqual, others[0]) && value.matches(.lessOrEqual, others[1])
    case .list(let others):
      return others.contains { value.matches(.equal, $0, options: options) }
    case .property(let otherPath):
      let properties = try schema.resolve(otherPath, from: root).properties
      let owner = follow(properties.dropLast(), from: subject)
      let other = owner?.value(of: properties[properties.count - 1]) ?? .null
      return value.matches(
        comparison.operation, other, options: options, isNaNEqualToItself: true)
    case .object(let reference):
      let isSame = key(reference).map { value == .link($0) } ?? false
      return (comparison.operation == .equal) == isSame
    }
  }

  private func key(_ reference: ObjectReference) -> ObjectKey? {
    switch reference.identity {
    case .key(let key): key
    case .primaryKey: primaryKey(reference)
    case .unmanaged: nil
    }
  }

  private func matches(
    _ subject: any PredicateSubject, _ within: GeoWithin
  ) throws(QueryPredicateError) -> Bool {
    let properties = try schema.resolve(within.path, from: root).properties
    guard let point = follow(properties[...], from: subject),
      let target = schema.target(of: properties[properties.count - 1]),
      let place = Self.place(of: point, target)
    else { return false }
    do throws(RegionError) {
      return try PreparedRegion(within.shape, edges: within.edges)
        .contains(longitude: place.longitude, latitude: place.latitude)
    } catch {
      throw QueryPredicateError(.invalidArgument, error.description)
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
    return PointShape.place(
      type: name, coordinates: point.elements(of: coordinates).compactMap(\.doubleValue))
  }

  private func follow(
    _ properties: ArraySlice<Property>, from subject: any PredicateSubject
  ) -> (any PredicateSubject)? {
    properties.reduce(subject) { owner, property in owner?.object(at: property) }
  }
}
