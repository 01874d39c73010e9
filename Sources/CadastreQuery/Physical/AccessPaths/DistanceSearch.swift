import CadastreGeometry
import CadastreModel
package import CadastrePredicate

/// A search of a spatial index for the geometries within a distance of a constant that differs from row to row.
///
///     GEODISTANCE(center, $0) <= radius
package struct DistanceSearch: Hashable, Sendable {
  /// The comparison: a distance to a constant on its left, and a number of the row on its right.
  package let comparison: BoundComparison
  private let distance: BoundDistance

  /// Creates the search for a condition; nil for conditions that no index can serve.
  init?(_ predicate: BoundPredicate) {
    guard case .comparison(let comparison) = predicate,
      comparison.operation == .less || comparison.operation == .lessOrEqual,
      case .distance(let distance) = comparison.left, distance.quantifier == .any,
      distance.right.constant != nil
    else { return nil }
    self.comparison = comparison
    self.distance = distance
  }

  /// The path to the geometry or the point.
  var path: BoundPath { distance.left }

  /// Returns the relation in which the geometries of all matching rows are; nil where the number has no known
  /// bound.
  ///
  /// - Parameter bounds: Returns the least and the greatest number of a property; nil where they are not known.
  /// - Returns: The relation.
  func reach(_ bounds: (BoundPath) -> ClosedRange<Double>?) -> BoundRelation? {
    guard let metres = comparison.right.bounds(bounds)?.upperBound,
      // The distance is computed with other roundings than the number.
      let limit = Distance.kilometers(max(0, metres * (1 + 1e-9) + 1e-3) / 1000),
      limit < .greatest
    else { return nil }
    return BoundRelation(
      path, .distance(.lessOrEqual, limit), distance.right, edges: distance.edges)
  }
}

extension BoundOperand {
  /// The bounds of a number of all rows, apart from NaN; nil where they are not known.
  fileprivate func bounds(
    _ column: (BoundPath) -> ClosedRange<Double>?
  ) -> ClosedRange<Double>? {
    switch self {
    case .property(let path): return column(path)
    case .value(let value):
      guard let number = value.doubleValue, number.isFinite else { return nil }
      return number...number
    case .arithmetic(let arithmetic):
      guard let left = arithmetic.left.bounds(column), let right = arithmetic.right.bounds(column)
      else { return nil }
      return arithmetic.operation.bounds(left, right)
    case .list, .object, .objects, .elements, .constants, .pattern, .aggregate, .subquery, .outer,
      .distance:
      return nil
    }
  }
}

extension ArithmeticOperation {
  /// The bounds of the results for numbers within bounds; nil where a result may be infinite.
  fileprivate func bounds(
    _ left: ClosedRange<Double>, _ right: ClosedRange<Double>
  ) -> ClosedRange<Double>? {
    let ends = { (operation: (Double, Double) -> Double) in
      [left.lowerBound, left.upperBound].flatMap { first in
        [right.lowerBound, right.upperBound].map { operation(first, $0) }
      }
    }
    let results: [Double]
    switch self {
    case .add: results = ends(+)
    case .subtract: results = ends(-)
    case .multiply: results = ends(*)
    case .divide:
      guard !right.contains(0) else { return nil }
      // The quotient of whole numbers is rounded towards zero.
      results = ends(/).flatMap { [$0 - 1, $0 + 1] }
    }
    guard let least = results.min(), let greatest = results.max(), results.allSatisfy(\.isFinite)
    else { return nil }
    return least...greatest
  }
}
