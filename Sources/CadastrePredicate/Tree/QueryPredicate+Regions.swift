package import CadastreGeometry
package import CadastreModel

/// The regions that a predicate speaks of, those inside of subqueries included.
extension QueryPredicate {
  /// The same question with the edges of all regions running some way.
  package func withEdges(_ edges: EdgeModel) -> QueryPredicate {
    rebuilt { (leaf) throws(Never) in
      switch leaf {
      case .geoWithin(var within):
        within.edges = edges
        return .geoWithin(within)
      case .comparison(var comparison):
        comparison.left = comparison.left.withEdges(edges)
        comparison.right = comparison.right.withEdges(edges)
        return .comparison(comparison)
      case .constant, .not, .and, .or: return leaf
      }
    } node: {
      $0
    }
  }

  /// The conditions that ask for a region, from left to right.
  package var regions: [GeoWithin] {
    var regions: [GeoWithin] = []
    var waiting = [self]
    while let predicate = waiting.popLast() {
      switch predicate {
      case .constant: break
      case .not(let inner): waiting.append(inner)
      case .and(let parts), .or(let parts): waiting += parts.reversed()
      case .geoWithin(let within): regions.append(within)
      case .comparison(let comparison):
        regions += comparison.left.regions + comparison.right.regions
      }
    }
    return regions
  }
}

/// Predicates that ask for nothing but where one point lies.
extension QueryPredicate {
  /// The path of the point, if all that is asked is in which regions it lies; nil for anything else.
  package var pointPath: PropertyPath? {
    switch self {
    case .geoWithin(let within): return within.quantifier == .any ? within.path : nil
    case .not(let inner): return inner.pointPath
    case .and(let parts), .or(let parts):
      guard let first = parts.first?.pointPath else { return nil }
      return parts.dropFirst().allSatisfy { $0.pointPath == first } ? first : nil
    case .constant, .comparison: return nil
    }
  }

  /// Whether a point that is nowhere matches, of which nothing else is asked.
  package var matchesNowhere: Bool {
    switch self {
    case .geoWithin, .comparison: false
    case .constant(let value): value
    case .not(let inner): !inner.matchesNowhere
    case .and(let parts): parts.allSatisfy(\.matchesNowhere)
    case .or(let parts): parts.contains(where: \.matchesNowhere)
    }
  }

  /// The regions, where nothing else is asked; nil else.
  ///
  /// - Throws: What is wrong with a region; nothing in a bound predicate.
  package func regionTree() throws(RegionError) -> RegionTree? {
    switch self {
    case .geoWithin(let within): return .region(try within.region())
    case .not(let inner): return try inner.regionTree().map(RegionTree.not)
    case .and(let parts): return try Self.trees(parts).map(RegionTree.and)
    case .or(let parts): return try Self.trees(parts).map(RegionTree.or)
    case .constant, .comparison: return nil
    }
  }

  private static func trees(_ parts: [QueryPredicate]) throws(RegionError) -> [RegionTree]? {
    var trees: [RegionTree] = []
    for part in parts {
      guard let tree = try part.regionTree() else { return nil }
      trees.append(tree)
    }
    return trees
  }
}

extension Operand {
  fileprivate func withEdges(_ edges: EdgeModel) -> Operand {
    switch self {
    case .subquery(var subquery):
      subquery.predicate = subquery.predicate.withEdges(edges)
      return .subquery(subquery)
    case .arithmetic(var arithmetic):
      arithmetic.left = arithmetic.left.withEdges(edges)
      arithmetic.right = arithmetic.right.withEdges(edges)
      return .arithmetic(arithmetic)
    default: return self
    }
  }

  fileprivate var regions: [GeoWithin] {
    switch self {
    case .subquery(let subquery): subquery.predicate.regions
    case .arithmetic(let arithmetic): arithmetic.left.regions + arithmetic.right.regions
    default: []
    }
  }
}
