import CadastreGeometry
import CadastreModel

extension Parser {
  /// Reads a distance: a number and a unit, or a number of radians.
  mutating func distance() throws(QueryPredicateError) -> Distance {
    let span = token.span
    let radians = try radius()
    guard let distance = Distance.radians(radians) else {
      throw QueryPredicateError(
        .invalidArgument, "a distance is 0 or more, found \(radians)", span: span)
    }
    return distance
  }
}
