import CadastreGeometry
import CadastreModel

/// The units of distances in the text of predicates, written after a number: `5km`.
enum DistanceUnit: String, CaseIterable {
  case meters = "m"
  case kilometers = "km"
  case miles = "mi"
  case degrees = "deg"
  case radians = "rad"

  /// Returns a number of the unit as a distance; nil if it is negative or NaN.
  func distance(_ number: Double) -> Distance? {
    switch self {
    case .meters: .kilometers(number / 1_000)
    case .kilometers: .kilometers(number)
    case .miles: .miles(number)
    case .degrees: .degrees(number)
    case .radians: .radians(number)
    }
  }
}

extension Parser {
  /// Reads a number and its unit; a number without a unit is in radians.
  mutating func distance() throws(QueryPredicateError) -> Distance {
    let span = token.span
    let value: Value?
    switch token.kind {
    case .constant(let constant): value = constant
    case .argument(let index): value = single(try argument(index, span))
    case .nextArgument: value = single(try takeNextArgument(span))
    default: throw expected("a distance such as 5km")
    }
    guard let number = value?.doubleValue else {
      throw QueryPredicateError(
        .invalidArgument, "expected a distance such as 5km, or a number of radians", span: span)
    }
    try advance()
    var unit = DistanceUnit.radians
    if case .name(let name, isForced: false) = token.kind,
      let found = DistanceUnit(rawValue: name.lowercased())
    {
      unit = found
      try advance()
    }
    guard let distance = unit.distance(number) else {
      throw QueryPredicateError(
        .invalidArgument, "a distance is 0 or more, found \(number)", span: span)
    }
    return distance
  }
}
