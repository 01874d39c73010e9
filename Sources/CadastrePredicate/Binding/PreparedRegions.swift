import CadastreGeometry
import CadastreModel

/// The regions that queries of the process used last, prepared, by their value.
enum PreparedRegions {
  private struct Key: Hashable {
    let shape: GeoShape
    let edges: EdgeModel
  }

  private struct Entry {
    let region: PreparedRegion
    var lastUse: Int
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var clock = 0
    var vertexCount = 0
  }

  private static let state = Guarded(State())

  /// The largest number of regions.
  private static let maximumRegions = 64
  /// The largest number of vertices of all regions; a vertex takes about 200 bytes.
  private static let maximumVertices = 50_000

  /// A prepared region, which may be one that another query has used.
  ///
  /// - Throws: ``RegionError`` where the shape is no region.
  static func region(
    _ shape: GeoShape, edges: EdgeModel
  ) throws(RegionError) -> PreparedRegion {
    let key = Key(shape: shape, edges: edges)
    let known = state.withLock { state -> PreparedRegion? in
      state.clock += 1
      state.entries[key]?.lastUse = state.clock
      return state.entries[key]?.region
    }
    if let known { return known }
    // Outside the lock: large regions take long.
    let region = try PreparedRegion(shape, edges: edges)
    guard shape.vertexCount <= maximumVertices else { return region }
    state.withLock { state in
      guard state.entries[key] == nil else { return }
      state.entries[key] = Entry(region: region, lastUse: state.clock)
      state.vertexCount += shape.vertexCount
      while state.entries.count > maximumRegions || state.vertexCount > maximumVertices,
        let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.entries[oldest.key] = nil
        state.vertexCount -= oldest.key.shape.vertexCount
      }
    }
    return region
  }
}
