import CadastreGeometry
import CadastreModel

extension ReferenceEvaluator {
  /// Returns the distances of the left geometries to the right one in metres; none of missing ones.
  func metres(
    _ distance: MeasuredDistance, _ subject: any PredicateSubject
  ) throws(QueryPredicateError) -> [Value] {
    let lefts = try geometries(distance.left, subject, distance.edges)
    guard let right = try geometries(distance.right, subject, distance.edges).first ?? nil else {
      return []
    }
    return lefts.compactMap { left in
      left?.distance(to: right).map { .double($0.asMeters()) }
    }
  }
}
