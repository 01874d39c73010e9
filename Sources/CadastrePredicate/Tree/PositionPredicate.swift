package import CadastreGeometry

/// Predicates that test nothing but the position of one point.
extension BoundPredicate {
  /// The path of the point, if the predicate tests only in which regions it lies; else nil.
  package var pointPath: BoundPath? {
    switch self {
    case .geoWithin(let within): return within.quantifier == .any ? within.path : nil
    case .not(let inner): return inner.pointPath
    case .and(let parts), .or(let parts):
      guard let first = parts.first?.pointPath else { return nil }
      return parts.dropFirst().allSatisfy { $0.pointPath == first } ? first : nil
    case .constant, .comparison, .relation: return nil
    }
  }

  /// Whether an object without a point matches, if the predicate tests only a point.
  package var matchesMissingPoint: Bool {
    switch self {
    case .geoWithin, .comparison, .relation: false
    case .constant(let value): value
    case .not(let inner): !inner.matchesMissingPoint
    case .and(let parts): parts.allSatisfy(\.matchesMissingPoint)
    case .or(let parts): parts.contains(where: \.matchesMissingPoint)
    }
  }

  /// The regions with their logic, if the predicate tests nothing else; else nil.
  fileprivate var regionTree: RegionTree? {
    switch self {
    case .geoWithin(let within): .region(within.shape.prepared)
    case .not(let inner): inner.regionTree.map(RegionTree.not)
    case .and(let parts): Self.trees(parts).map(RegionTree.and)
    case .or(let parts): Self.trees(parts).map(RegionTree.or)
    case .constant, .comparison, .relation: nil
    }
  }

  private static func trees(_ parts: [BoundPredicate]) -> [RegionTree]? {
    let trees = parts.compactMap(\.regionTree)
    return trees.count == parts.count ? trees : nil
  }
}

/// A predicate that tests nothing but the position of points, and its regions.
package struct PositionPredicate: Hashable, Sendable {
  /// The predicate.
  package let predicate: BoundPredicate
  /// The regions with their logic.
  package let regions: RegionTree

  /// Takes a predicate; nil where it tests something else.
  package init?(_ predicate: BoundPredicate) {
    guard let regions = predicate.regionTree else { return nil }
    self.predicate = predicate
    self.regions = regions
  }

  /// Two are equal when their predicates are.
  package static func == (first: PositionPredicate, second: PositionPredicate) -> Bool {
    first.predicate == second.predicate
  }

  /// Hashes the predicate.
  package func hash(into hasher: inout Hasher) { hasher.combine(predicate) }
}
