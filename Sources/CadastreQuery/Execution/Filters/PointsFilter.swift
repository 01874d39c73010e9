import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows with as many points in a region as the quantifier requires.
struct PointsFilter: BatchFilter {
  let points: PathValues
  let region: PreparedRegion
  let quantifier: Quantifier

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    try rows.keep { try matches(batch.key($0)) }
  }

  private func matches(_ key: Int64) throws -> Bool {
    let nodes = try points.nodes(key)
    // Of no points, NONE is true and ALL is false.
    if nodes.isEmpty { return quantifier == .none }
    return try quantifier.holds(nodes) { (node) throws in try isInside(node) }
  }

  private func isInside(_ node: PathNode) throws -> Bool {
    guard case .object(let object) = node, let point = object.point, let row = try object.row(),
      let longitude = row[point.longitude].doubleValue,
      let latitude = row[point.latitude].doubleValue
    else { return false }
    return region.contains(longitude: longitude, latitude: latitude)
  }
}
