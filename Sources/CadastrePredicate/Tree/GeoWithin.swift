public import CadastreGeometry
public import CadastreModel

/// Whether the point at the end of a path lies in a region.
public struct GeoWithin: Sendable {
  /// The way to an embedded object in the shape of a GeoJSON point, or to several.
  public var path: PropertyPath
  /// The region, its border included.
  public var shape: GeoShape { didSet { prepared = nil } }
  /// How the edges of boxes and polygons run between their corners.
  public var edges: EdgeModel { didSet { prepared = nil } }
  /// How many points must lie in the region where the path leads to several.
  ///
  /// Of no points at all, `all` is false, unlike in comparisons: nothing lies there.
  public var quantifier: Quantifier
  /// The region as it was prepared when the predicate was bound; shared by all copies.
  private var prepared: PreparedRegion?

  /// Asks whether the point at `path` lies in `shape`.
  public init(
    _ path: PropertyPath, _ shape: GeoShape, edges: EdgeModel = .spherical,
    quantifier: Quantifier = .any
  ) {
    self.path = path
    self.shape = shape
    self.edges = edges
    self.quantifier = quantifier
  }

  /// The region, checked and prepared; for a bound predicate that has been done once and for all.
  ///
  /// - Throws: What is wrong with the shape, and where.
  /// - Complexity: O(1) if bound, else O(n log n) for n vertices.
  package func region() throws(RegionError) -> PreparedRegion {
    if let prepared { return prepared }
    return try PreparedRegion(shape, edges: edges)
  }

  /// Checks the region and keeps it prepared.
  ///
  /// - Throws: What is wrong with the shape, and where.
  mutating func prepare() throws(RegionError) {
    prepared = try region()
  }
}

extension GeoWithin: Hashable {
  /// The same question; whether the regions have been prepared does not matter.
  public static func == (first: GeoWithin, second: GeoWithin) -> Bool {
    guard first.path == second.path, first.edges == second.edges,
      first.quantifier == second.quantifier
    else { return false }
    if let prepared = first.prepared, prepared === second.prepared { return true }
    return first.shape == second.shape
  }

  /// Hashes the question.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(path)
    hasher.combine(shape)
    hasher.combine(edges)
    hasher.combine(quantifier)
  }
}
