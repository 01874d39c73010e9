import CadastreGeometry
import CadastreModel

/// Reads distances.
extension Parser {
  /// Reads `GEODISTANCE(a, b)`, from after its opening bracket.
  mutating func geometryDistance() throws(QueryPredicateError) -> MeasuredDistance {
    let first = token.span
    let allowsParameter = allowsDistanceParameter
    allowsDistanceParameter = false
    let left = try geometrySide(try side(), Self.distanceName, first)
    guard try take(",") else { throw expected("',' and the other geometry") }
    if allowsParameter, try takeParameter(.geometry) {
      return MeasuredDistance(left.0, .geometry(Geometry()), quantifier: left.1)
    }
    let second = token.span
    if let objects = try objectGeometries() {
      return MeasuredDistance(left.0, .objects(objects), quantifier: left.1)
    }
    let other =
      allowsParameter
      ? try wholeRegion { (parser) throws(QueryPredicateError) in try parser.side() } : try side()
    let right = try geometrySide(other, Self.distanceName, second)
    guard right.1 == .any else {
      throw QueryPredicateError(
        .syntax, "ANY, ALL and NONE can only be on the left of \(Self.distanceName)", span: second)
    }
    return MeasuredDistance(left.0, right.0, quantifier: left.1)
  }

  /// Reads the comparison of a distance with a length, or with a number of the object in metres.
  mutating func comparison(
    of distance: MeasuredDistance
  ) throws(QueryPredicateError) -> QueryPredicate {
    let span = token.span
    guard let operation = try takeOperator(),
      [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(operation)
    else {
      throw QueryPredicateError(
        .syntax, "a distance compares by <, <=, > or >= with a length such as 5km", span: span)
    }
    var distance = distance
    distance.edges = try edgeModel()
    let (start, argument) = (token, argumentIndex)
    if try takeParameter(.limit(nil)) {
      _ = try unit()
      return .relation(distance.compared(operation, .zero))
    }
    switch start.kind {
    case .constant, .argument, .nextArgument: break
    default:
      return try comparison(of: distance, operation, try expression(after: nil), start.span)
    }
    let (number, unit) = try length()
    if unit == nil, token.isArithmetic, case .constant(let constant) = start.kind {
      let right = try expression(after: .operand(.value(constant)))
      return try comparison(of: distance, operation, right, start.span)
    }
    note(argument, .limit(unit))
    guard let limit = Distance.limit(number, unit) else {
      throw QueryPredicateError(
        .invalidArgument, "a distance is 0 or more, found \(number)", span: start.span)
    }
    return .relation(distance.compared(operation, limit))
  }

  /// The comparison of a distance with a number of the object.
  private func comparison(
    of distance: MeasuredDistance, _ operation: ComparisonOperator, _ right: Side,
    _ span: TextSpan
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard case .operand(let operand) = right, operand.readsObject else {
      throw QueryPredicateError(
        .syntax,
        "expected a length such as 5km, or a number of the object in metres, such as a property",
        span: span)
    }
    return .comparison(Comparison(.distance(distance), operation, operand))
  }

  private static let distanceName = "GEODISTANCE"
}

extension Distance {
  /// Returns the distance for a number and a unit, in radians without a unit; nil for numbers below 0.
  static func limit(_ number: Double, _ unit: DistanceUnit?) -> Distance? {
    unit?.distance(number) ?? Distance.radians(number)
  }
}

extension Token {
  /// Whether the token is an operator of a calculation.
  fileprivate var isArithmetic: Bool {
    isMark("+") || isMark("-") || isMark("*") || isMark("/")
  }
}

extension Operand {
  /// Whether the operand is a value of the object or computed from one.
  fileprivate var readsObject: Bool {
    switch self {
    case .property, .elements, .aggregate, .subquery, .outer, .distance: true
    case .arithmetic(let arithmetic): arithmetic.left.readsObject || arithmetic.right.readsObject
    case .value, .list, .constants, .object, .objects, .content, .pattern, .now: false
    }
  }
}
