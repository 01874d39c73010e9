package import CadastreGeometry

extension GeometryRelation.Kind {
  /// Returns whether a geometry is in the relation to another one.
  ///
  /// - Parameters:
  ///   - left: The left geometry.
  ///   - right: The right geometry, prepared for the same model of edges.
  ///   - edges: How the edges run between positions.
  /// - Returns: Whether the relation holds; points are not prepared for it where that can be avoided.
  package func holds(
    _ left: LocatedGeometry, _ right: LocatedGeometry, edges: EdgeModel
  ) -> Bool {
    switch (self, left, right) {
    case (.intersects, _, _), (.within, .point, _), (.contains, _, .point):
      return left.intersects(right, edges: edges)
    case (.distance(let operation, let limit), .point, .point):
      let distance = left.distance(to: right, edges: edges)
      return switch operation {
      case .less: distance < limit
      case .lessOrEqual: distance <= limit
      case .greater: distance > limit
      default: distance >= limit
      }
    default: return holds(left.prepared(edges), right.prepared(edges))
    }
  }

  /// Returns whether a geometry is in the relation to another one.
  func holds(_ left: PreparedGeometry, _ right: PreparedGeometry) -> Bool {
    switch self {
    case .intersects: return left.intersects(right)
    case .disjoint: return !left.intersects(right)
    case .within: return right.covers(left)
    case .contains: return left.covers(right)
    case .equals: return left.equals(right)
    case .touches: return Self.planar(left, right) { try $0.touches($1) }
    case .crosses: return Self.planar(left, right) { try $0.crosses($1) }
    case .overlaps: return Self.planar(left, right) { try $0.overlaps($1) }
    case .distance(.lessOrEqual, let limit): return left.isWithin(limit, of: right)
    case .distance(let operation, let limit):
      guard let distance = left.distance(to: right) else { return false }
      return switch operation {
      case .less: distance < limit
      case .greater: distance > limit
      default: distance >= limit
      }
    }
  }

  /// Returns whether GEOS finds a relation; a circle and an invalid geometry are in none.
  private static func planar(
    _ left: PreparedGeometry, _ right: PreparedGeometry,
    _ relation: (Geometry, Geometry) throws -> Bool
  ) -> Bool {
    guard let left = left.geometry, let right = right.geometry else { return false }
    return (try? relation(left, right)) ?? false
  }
}
