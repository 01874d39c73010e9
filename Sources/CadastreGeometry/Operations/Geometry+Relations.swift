/// Relations of two geometries as closed sets of points: a line contains its ends, a polygon contains its
/// rings, including the rings of its holes.
///
/// | relation | true if | at the border |
/// | --- | --- | --- |
/// | ``intersects(_:edges:)`` | there is a common point | one common border point is enough |
/// | ``isDisjoint(from:edges:)`` | there is no common point | |
/// | ``isWithin(_:edges:)`` | every point is in the other one | a part of the border is within |
/// | ``contains(_:edges:)`` | the other one is within this one, as OGC `covers` | contains its border |
/// | ``equals(_:edges:)`` | each is within the other | whatever the order of positions |
/// | ``distance(to:edges:)`` | 0 if they intersect | from a hole, to its ring |
///
/// An empty geometry is disjoint from all geometries, and has no other relation and no distance. With
/// spherical edges a vertex within 25 nanometres of an edge is on the edge. A multi-polygon is the union of its
/// polygons.
/// An edge of 360° of longitude is the whole parallel. Rings of an invalid polygon are evaluated by the
/// even-odd rule. Altitudes are ignored.
extension Geometry {
  /// Returns whether the geometries have a common point.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - edges: How the edges run between positions.
  /// - Returns: False if a geometry is empty.
  /// - Complexity: O((n + m) log (n + m)) for n and m positions.
  public func intersects(_ other: Geometry, edges: EdgeModel = .spherical) -> Bool {
    prepared(edges).intersects(other.prepared(edges))
  }

  /// Returns whether the geometries have no common point.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - edges: How the edges run between positions.
  /// - Returns: True if a geometry is empty.
  /// - Complexity: O((n + m) log (n + m)) for n and m positions.
  public func isDisjoint(from other: Geometry, edges: EdgeModel = .spherical) -> Bool {
    !intersects(other, edges: edges)
  }

  /// Returns whether every point of this geometry is in another one.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - edges: How the edges run between positions.
  /// - Returns: False if a geometry is empty.
  /// - Complexity: O((n + m) log (n + m)) for n and m positions.
  public func isWithin(_ other: Geometry, edges: EdgeModel = .spherical) -> Bool {
    other.contains(self, edges: edges)
  }

  /// Returns whether every point of another geometry is in this one, as `covers` of the OGC.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - edges: How the edges run between positions.
  /// - Returns: False if a geometry is empty.
  /// - Complexity: O((n + m) log (n + m)) for n and m positions.
  public func contains(_ other: Geometry, edges: EdgeModel = .spherical) -> Bool {
    prepared(edges).covers(other.prepared(edges))
  }

  /// Returns whether the geometries have the same points, whatever the order of positions.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - edges: How the edges run between positions.
  /// - Returns: False if a geometry is empty.
  /// - Complexity: O((n + m) log (n + m)) for n and m positions.
  public func equals(_ other: Geometry, edges: EdgeModel = .spherical) -> Bool {
    prepared(edges).equals(other.prepared(edges))
  }

  /// Returns the least distance to another geometry along the sphere.
  ///
  /// - Parameters:
  ///   - other: The other geometry.
  ///   - edges: How the edges run between positions; with planar edges the distance is accurate to
  ///     about 1e-8 of its value.
  /// - Returns: 0 if and only if the geometries intersect; nil if a geometry is empty.
  /// - Complexity: O((n + m) log (n + m)) for n and m positions.
  public func distance(to other: Geometry, edges: EdgeModel = .spherical) -> Distance? {
    prepared(edges).distance(to: other.prepared(edges))
  }

  /// Returns whether the least distance to another geometry is at most a limit.
  ///
  /// - Parameters:
  ///   - limit: The greatest distance.
  ///   - other: The other geometry.
  ///   - edges: How the edges run between positions.
  /// - Returns: False if a geometry is empty.
  /// - Complexity: O((n + m) log (n + m)) for n and m positions.
  public func isWithin(
    _ limit: Distance, of other: Geometry, edges: EdgeModel = .spherical
  ) -> Bool {
    prepared(edges).isWithin(limit, of: other.prepared(edges))
  }

  private func prepared(_ edges: EdgeModel) -> PreparedGeometry {
    PreparedGeometry(self, edges: edges)
  }
}
