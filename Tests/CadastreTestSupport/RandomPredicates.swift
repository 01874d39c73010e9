import CadastreGeometry
package import CadastreModel
package import CadastrePredicate
import Foundation

/// A generator of random queries on a class, all of which can be bound.
package struct RandomPredicates {
  struct Choice {
    var path: PropertyPath
    var property: Property
    var isNullable: Bool
  }

  private let schema: Schema
  let root: ObjectSchema
  private let objects: PlainObjects?
  private(set) var scalars: [Choice] = []
  private(set) var links: [Choice] = []
  private var embedded: [Choice] = []
  private var points: [Choice] = []

  /// Generates queries on a class; many constants are taken from the given objects.
  package init(_ className: String, in schema: Schema, from objects: PlainObjects? = nil) {
    self.schema = schema
    self.objects = objects
    root = schema[className] ?? ObjectSchema(className: className, properties: [])
    collect(root, [], isNullable: false, hops: 2)
  }

  private mutating func collect(
    _ owner: ObjectSchema, _ names: [String], isNullable: Bool, hops: Int
  ) {
    for property in owner.properties where property.collection == nil {
      let path = PropertyPath(names + [property.name])
      let choice = Choice(
        path: path, property: property, isNullable: isNullable || property.isOptional)
      guard let target = schema.target(of: property) else {
        scalars.append(choice)
        continue
      }
      if !target.isEmbedded {
        links.append(choice)
      } else {
        embedded.append(choice)
        if target.isPointShaped { points.append(choice) }
      }
      let left = target.isEmbedded ? hops : hops - 1
      if left > 0 { collect(target, path.names, isNullable: true, hops: left) }
    }
  }

  // MARK: Trees

  /// Returns a predicate with a maximum number of levels of logic, in the form that the parser gives it: no
  /// conjunction of one part, no double negation.
  package func predicate(depth: Int, _ random: inout SeededGenerator) -> QueryPredicate {
    switch depth > 0 ? random.below(8) : 7 {
    case 0, 1:
      return .and((0..<random.below(3) + 2).map { _ in predicate(depth: depth - 1, &random) })
    case 2, 3:
      return .or((0..<random.below(3) + 2).map { _ in predicate(depth: depth - 1, &random) })
    case 4:
      let inner = predicate(depth: depth - 1, &random)
      if case .not = inner { return inner }
      return .not(inner)
    default: return term(&random)
    }
  }

  private func term(_ random: inout SeededGenerator) -> QueryPredicate {
    switch random.below(20) {
    case 0: .constant(random.oneIn(2))
    case 1, 2: link(&random)
    case 3: null(&random)
    case 4, 5, 6, 7: within(&random)
    case 8: coordinates(&random)
    case 9, 10: properties(&random)
    default: comparison(&random)
    }
  }

  // MARK: Terms

  private func comparison(_ random: inout SeededGenerator) -> QueryPredicate {
    let choice = random.pick(scalars)
    let type = choice.property.type
    var operations: [ComparisonOperator] = [
      .equal, .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn, .between,
    ]
    if type == .string || type == .data {
      operations += [.beginsWith, .endsWith, .contains, .like, .equal, .isIn]
    }
    let operation = random.pick(operations)
    var options: StringOptions = []
    if type == .string || type == .data, operation.acceptsOptions, random.oneIn(3) {
      options = [random.pick([.caseInsensitive, .diacriticInsensitive]), .caseInsensitive]
      if operation != .like, random.oneIn(3) { options = .diacriticInsensitive }
      if operation == .like { options = .caseInsensitive }
    }
    let right: Operand =
      switch operation {
      case .isIn:
        .list((0..<random.below(12)).map { _ in constant(choice, mayBeNull: true, &random) })
      case .between: .list((0..<2).map { _ in constant(choice, mayBeNull: false, &random) })
      case .like where type == .string: .value(pattern(&random))
      default: .value(constant(choice, mayBeNull: true, &random))
      }
    return .comparison(
      Comparison(.property(choice.path), operation, right, options: options))
  }

  private func constant(
    _ choice: Choice, mayBeNull: Bool, _ random: inout SeededGenerator
  ) -> Value {
    if mayBeNull, choice.isNullable, random.oneIn(8) { return .null }
    let type = choice.property.type
    if random.oneIn(2), choice.path.names.count == 1, let objects,
      let key = Optional(random.pick(objects.keys(root.className))),
      case .value(let value)? = objects.object(root.className, key)?[choice.property.name],
      !value.isNull, type != .int || value.doubleValue?.isFinite == true
    {
      return value
    }
    guard type.isNumeric else { return random.value(type) }
    // Numbers of different types may be compared.
    let value = random.value(random.pick([.int, .float, .double, type]))
    return type == .int && value.doubleValue?.isFinite != true ? .int(3) : value
  }

  private func pattern(_ random: inout SeededGenerator) -> Value {
    if random.oneIn(8) { return .null }
    var pattern = ""
    for _ in 0..<random.below(4) {
      pattern += random.pick(["*", "?", "a", "l", "Æ", random.pick(SeededGenerator.strings)])
    }
    return .string(pattern)
  }

  private func properties(_ random: inout SeededGenerator) -> QueryPredicate {
    let first = random.pick(scalars)
    let type = first.property.type
    let alike = scalars.filter {
      $0.property.type == type || $0.property.type.isNumeric && type.isNumeric
    }
    var operations: [ComparisonOperator] = [
      .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    if type == .string || type == .data { operations += [.beginsWith, .endsWith, .contains] }
    let operation = random.pick(operations)
    let takesOptions = operation.acceptsOptions && (type == .string || type == .data)
    return .comparison(
      Comparison(
        .property(first.path), operation, .property(random.pick(alike).path),
        options: takesOptions && random.oneIn(3) ? .caseInsensitive : []))
  }

  private func link(_ random: inout SeededGenerator) -> QueryPredicate {
    guard !links.isEmpty else { return null(&random) }
    let choice = random.pick(links)
    let operation = random.pick([ComparisonOperator.equal, .notEqual])
    let className = choice.property.objectClassName ?? ""
    let identity: ObjectReference.Identity
    switch random.below(6) {
    case 0: return .compare(choice.path, operation, .null)
    case 1: identity = .unmanaged
    case 2: identity = .key(ObjectKey(Int64(random.below(2000)) + 1))
    case 3 where className == "Harbor": identity = .primaryKey(.string("H\(random.below(8))"))
    default: identity = .key(ObjectKey(Int64(random.below(8)) + 1))
    }
    return .comparison(
      Comparison(
        .property(choice.path), operation,
        .object(ObjectReference(className: className, identity: identity))))
  }

  private func null(_ random: inout SeededGenerator) -> QueryPredicate {
    let choices = (embedded + scalars + links).filter(\.isNullable)
    guard !choices.isEmpty else { return .constant(false) }
    return .compare(random.pick(choices).path, random.pick([.equal, .notEqual]), .null)
  }

  private func coordinates(_ random: inout SeededGenerator) -> QueryPredicate {
    guard !points.isEmpty else { return .constant(true) }
    let choice = random.pick(points)
    var values: [Value] = []
    if case .embedded(let spot) = random.spot(), case .list(let found)? = spot["coordinates"] {
      values = found
    }
    if choice.path.names.count == 1, let objects, random.oneIn(2),
      let key = Optional(random.pick(objects.keys(root.className))),
      case .embedded(let spot)? = objects.object(root.className, key)?[choice.property.name],
      case .list(let found)? = spot["coordinates"]
    {
      values = found
    }
    return .comparison(
      Comparison(
        .property(choice.path.appending("coordinates")), random.pick([.equal, .equal, .notEqual]),
        .list(values)))
  }

  // MARK: Regions

  private func within(_ random: inout SeededGenerator) -> QueryPredicate {
    guard !points.isEmpty else { return .constant(false) }
    while true {
      let edges: EdgeModel = random.oneIn(5) ? .planar : .spherical
      guard let shape = shape(&random),
        (try? PreparedRegion(shape, edges: edges)) != nil
      else { continue }
      return .geoWithin(GeoWithin(random.pick(points).path, shape, edges: edges))
    }
  }

  private func shape(_ random: inout SeededGenerator) -> GeoShape? {
    let center = random.place()
    switch random.below(5) {
    case 0, 1:
      let radius = random.oneIn(3) ? random.pick([0, 0.001, .pi, 4]) : random.number(0...2)
      return point(center).flatMap { GeoCircle(center: $0, radiusInRadians: radius) }
        .map(GeoShape.circle)
    case 2:
      guard let first = point(center), let second = point(random.place()) else { return nil }
      return .box(GeoBox(bottomLeft: first, topRight: second))
    case 3:
      guard let first = polygon(center, &random), let second = polygon(random.place(), &random)
      else { return nil }
      return .multiPolygon([first, second])
    default: return polygon(center, &random).map(GeoShape.polygon)
    }
  }

  /// Returns a star-shaped polygon around a position, which may be a pole or on the antimeridian.
  private func polygon(
    _ center: (longitude: Double, latitude: Double), _ random: inout SeededGenerator
  ) -> GeoPolygon? {
    let corners = random.below(6) + 3
    let reach = random.number(1...60)
    var ring: [GeoPoint] = []
    for corner in 0..<corners {
      let bearing = (Double(corner) + random.number(-0.3...0.3)) * 2 * .pi / Double(corners)
      let angle = reach * random.number(0.4...1) * .pi / 180
      guard let point = point(Self.place(from: center, bearing: bearing, angle: angle)) else {
        return nil
      }
      ring.append(point)
    }
    return GeoPolygon(outerRing: ring + ring.prefix(1), holes: [])
  }

  private func point(_ place: (longitude: Double, latitude: Double)) -> GeoPoint? {
    GeoPoint(latitude: place.latitude, longitude: place.longitude)
  }

  private static func place(
    from center: (longitude: Double, latitude: Double), bearing: Double, angle: Double
  ) -> (longitude: Double, latitude: Double) {
    let latitude = center.latitude * .pi / 180
    let height = sin(latitude) * cos(angle) + cos(latitude) * sin(angle) * cos(bearing)
    let turn = atan2(
      sin(bearing) * sin(angle) * cos(latitude), cos(angle) - sin(latitude) * height)
    let longitude = center.longitude + turn * 180 / .pi
    return (
      longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
      asin(height) * 180 / .pi
    )
  }
}

extension RandomPredicates {
  /// Returns a query: a predicate, often with an order, and sometimes with an offset and a limit.
  package func query(depth: Int, _ random: inout SeededGenerator) -> ObjectQuery {
    var query = ObjectQuery(root.className, where: predicate(depth: depth, &random))
    if random.oneIn(3) {
      query.order = (0..<random.below(2) + 1).map { _ in
        let choice = random.pick(scalars + links)
        let collations: [Collation] =
          choice.property.type == .string
          ? [
            [], [], .caseInsensitive, .caseInsensitive, .numeric,
            [.caseInsensitive, .diacriticInsensitive],
          ] : [[]]
        return SortKey(
          choice.path, isAscending: random.oneIn(2), collation: random.pick(collations),
          nulls: random.oneIn(3) ? random.pick([.first, .last]) : nil)
      }
    }
    if random.oneIn(3) { query.limit = random.pick([0, 1, 2, 5, 50, 10_000]) }
    if random.oneIn(5) { query.offset = random.pick([1, 3, 40, 10_000]) }
    return query
  }
}

extension SeededGenerator {
  /// Returns the predicate with some constants and regions replaced by others, whose types may not fit.
  package mutating func withOtherConstants(_ predicate: QueryPredicate) -> QueryPredicate {
    switch predicate {
    case .constant: return predicate
    case .not(let inner): return .not(withOtherConstants(inner))
    case .and(let parts): return .and(parts.map { withOtherConstants($0) })
    case .or(let parts): return .or(parts.map { withOtherConstants($0) })
    case .geoWithin(var within):
      if let circle = circle() { within.shape = .circle(circle) }
      return .geoWithin(within)
    case .relation(var relation):
      if case .geometry = relation.right { relation.right = .geometry(geometry()) }
      return .relation(relation)
    case .comparison(var comparison):
      comparison.right = withOtherConstants(comparison.right)
      return .comparison(comparison)
    }
  }

  private mutating func withOtherConstants(_ operand: Operand) -> Operand {
    switch operand {
    case .value(let value): return .value(other(value))
    case .list(let values):
      switch below(6) {
      case 0: return .list([])
      // BETWEEN with reversed bounds.
      case 1: return .list(values.reversed())
      default: return .list(values.map { other($0) })
      }
    default: return operand
    }
  }

  /// Returns another constant, usually of the same type.
  private mutating func other(_ value: Value) -> Value {
    if oneIn(8) { return .null }
    if oneIn(12) { return .double(.nan) }
    switch value {
    case .int(let number): return .int(number &+ Int64(below(40) - 20))
    case .double(let number): return .double(number + self.number(-5...5))
    case .float(let number): return .float(number + Float(self.number(-5...5)))
    case .bool: return .bool(oneIn(2))
    case .string(let text): return .string(oneIn(3) ? "" : String(text.dropLast(below(3))))
    case .date(let date): return oneIn(2) ? value : .date(date)
    default: return value
    }
  }

  private mutating func circle() -> GeoCircle? {
    guard
      let center = GeoPoint(latitude: number(-80...80), longitude: number(-180...180)),
      let radius = Distance.kilometers(number(0...6000))
    else { return nil }
    return GeoCircle(center: center, radius: radius)
  }
}
