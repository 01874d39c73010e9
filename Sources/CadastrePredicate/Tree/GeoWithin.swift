public import CadastreGeometry

extension PredicateTree {
  /// Whether the point at the end of a path lies in a region.
  public struct GeoWithin: Hashable, Sendable {
    /// The path to an embedded object of the GeoJSON point shape, or to several.
    public var path: Phase.Path
    /// The region, its border included.
    public var shape: Phase.Region
    /// How the edges of boxes and polygons run between their corners.
    public var edges: EdgeModel
    /// How many points must lie in the region where the path leads to several.
    ///
    /// Of no points at all, `all` is false, unlike in comparisons: nothing lies there.
    public var quantifier: Quantifier
    /// Tests whether the point at `path` lies in `shape`.
    @inlinable
    public init(
      _ path: Phase.Path, _ shape: Phase.Region, edges: EdgeModel = .spherical,
      quantifier: Quantifier = .any
    ) {
      self.path = path
      self.shape = shape
      self.edges = edges
      self.quantifier = quantifier
    }
  }
}
