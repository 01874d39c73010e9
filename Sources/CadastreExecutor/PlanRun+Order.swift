import CadastreGeometry
import CadastreModel
import CadastrePlanner
import CadastrePredicate
import CadastreStore

/// Access paths that yield rows in order.
extension PlanRun {
  /// The matching rows, nearest first, until no other row can be among those needed; nil for other
  /// access paths, and where too many rows were read: then the rows must be scanned.
  mutating func nearest() throws -> [Int64]? {
    guard case .nearestSearch(let index, let origin) = plan.access, let emptyOrder = order else {
      return nil
    }
    let vantage = DistanceOrigin(longitude: origin.longitude, latitude: origin.latitude)
    let traversal = try RTreeNearest(
      layout.spatialIndexes[index.position], reader.connection, from: vantage,
      pool: reader.spatialNodes)
    // A row fetched by key costs several times as much as a row of a scan.
    let enough = try max(1000, reader.rowCount(index.className) / 8)
    var found: [Int64] = []
    var batch = batches.makeBatch()
    var size = min(ColumnBatch.capacity, max(16, plan.query.rowsNeeded ?? 16))
    while case let neighbours = try traversal.next(size), !neighbours.isEmpty {
      statistics.accessRows += neighbours.count
      try batches.read(neighbours, into: &batch)
      found += try matching(batch)
      statistics.nodesRead = traversal.nodesRead
      statistics.boxesTested = traversal.boxesTested
      if let angle = order?.lastNeededAngle(), traversal.leastAngle > angle { return found }
      if statistics.accessRows > enough { break }
      size = min(ColumnBatch.capacity, size * 2)
    }
    if statistics.accessRows <= enough, order?.lastNeededAngle() != nil { return found }
    // Too few points match, or they are far apart: a scan finds the rest.
    order = emptyOrder
    return nil
  }

  /// The matching rows, in the order of an index, until no other row can be among those needed; nil
  /// for other access paths, and where too many rows were read: then the rows must be scanned.
  mutating func inIndexOrder() throws -> [Int64]? {
    guard case .orderedSearch(let index, let isAscending) = plan.access, let emptyOrder = order
    else { return nil }
    let traversal = try ValueIndexTraversal(
      layout.valueIndexes[index.position], layout, isAscending: isAscending, reader)
    // A row fetched by key costs several times as much as a row of a scan.
    let enough = try max(1000, reader.rowCount(index.className) / 8)
    // A null in the index may belong to a missing embedded object, which sorts elsewhere.
    if filter.parts.isEmpty, index.path.hops.count == 1, let needed = plan.query.rowsNeeded {
      let found = try first(needed, of: traversal, isAscending: isAscending, atMost: enough)
      // The rows are in order already.
      if found != nil { order = nil }
      return found
    }
    var found: [Int64] = []
    var batch = batches.makeBatch()
    // One row more than needed shows whether the last one has ties.
    var size = min(ColumnBatch.capacity - 1, max(15, plan.query.rowsNeeded ?? 0)) + 1
    while case let keys = try traversal.next(size), !keys.isEmpty {
      statistics.accessRows += keys.count
      try batches.read(keys, into: &batch)
      found += try matching(batch)
      if keys.count < size { return found }
      // Ties are in order of key, so all rows that tie with the last one must be read.
      if let last = order?.lastNeededValue(), last.ordering(traversal.lastValue) != .same {
        return found
      }
      if statistics.accessRows > enough {
        order = emptyOrder
        return nil
      }
      size = min(ColumnBatch.capacity, size * 2)
    }
    return found
  }

  /// The first rows of an index, ties in order of key; nil where too many rows were read.
  private mutating func first(
    _ needed: Int, of traversal: ValueIndexTraversal, isAscending: Bool, atMost limit: Int
  ) throws -> [Int64]? {
    var found: [Int64] = []
    var level: [Int64] = []
    var value: Value?
    while let entry = try traversal.next() {
      if entry.value != value {
        found += isAscending ? level : level.reversed()
        level = []
        value = entry.value
        if found.count >= needed { break }
      }
      // In ascending order an index has ties in order of key.
      if isAscending, found.count + level.count >= needed { break }
      level.append(entry.key)
      statistics.accessRows += 1
      if statistics.accessRows > limit { return nil }
    }
    return found + (isAscending ? level : level.reversed())
  }
}
