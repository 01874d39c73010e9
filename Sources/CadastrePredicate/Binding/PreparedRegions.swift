import CadastreGeometry
import CadastreModel

/// The regions that queries of the process used last, prepared, by their value.
enum PreparedRegions {
  private struct Key: Hashable {
    let shape: GeoShape
    let edges: EdgeModel
  }

  /// A vertex costs 1; it takes about 200 bytes.
  private static let regions = Guarded(
    BoundedCache<Key, PreparedRegion>(maximumCount: 64, maximumCost: 50_000))

  /// A prepared region, which may be one that another query has used.
  ///
  /// - Throws: ``RegionError`` where the shape is no region.
  static func region(
    _ shape: GeoShape, edges: EdgeModel
  ) throws(RegionError) -> PreparedRegion {
    let key = Key(shape: shape, edges: edges)
    if let known = regions.withLock({ $0.value(for: key) }) { return known }
    // Outside the lock: large regions take long.
    let region = try PreparedRegion(shape, edges: edges)
    regions.withLock { $0.insert(region, for: key, cost: shape.vertexCount) }
    return region
  }
}
