import CadastreGeometry
import CadastreModel
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
      layout.spatialIndexes[index.position], reader, from: vantage)
    let enough = RowsInOrder.most(of: try reader.rowCount(index.className))
    var found: [Int64] = []
    var batch = batches.makeBatch()
    var size = min(ColumnBatch.capacity, max(16, plan.query.rowsNeeded ?? 16))
    while case let neighbours = try traversal.next(size), !neighbours.isEmpty {
      statistics.accessRows += neighbours.count
      // The order is that of the exact distances; the rows are read in the order of the file.
      try batches.read(KeySort.ascending(neighbours), into: &batch)
      try appendMatching(batch, to: &found)
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

  /// The matching rows among the entries of an index, until no other row can be among those needed; nil where too
  /// many rows were read, or a row has a value of another program that the index has elsewhere: then the rows must be
  /// scanned.
  mutating func inOrder(of traversal: ValueIndexTraversal) throws -> [Int64]? {
    let needed = plan.query.rowsNeeded ?? .max
    // Where the index decides everything, the rows before the offset are counted in it.
    if filter.parts.isEmpty, order == nil {
      let found = try traversal.next(needed)
      statistics.accessRows = found.count
      gathered?.append(found)
      return traversal.hasForeignValues ? nil : found.map(\.key)
    }
    let most = RowsInOrder.most(of: try reader.rowCount(plan.query.className))
    var found: [Int64] = []
    var batch = batches.makeBatch()
    // One row more than needed shows whether the last one has ties.
    var size = min(needed, ColumnBatch.capacity - 1) + (order == nil ? 0 : 1)
    if !filter.parts.isEmpty { size = max(size, Self.fewRows) }
    while true {
      let keys = try traversal.next(size).map(\.key)
      statistics.accessRows += keys.count
      if traversal.hasForeignValues { return nil }
      try appendMatching(rows(keys, &batch), to: &found)
      if keys.count < size || hasEnough(found.count, through: traversal.lastValue) { return found }
      if statistics.accessRows > most { return nil }
      size = nextSize(found: found.count, of: needed)
    }
  }

  /// Returns the rows with some keys: in the order of the keys if it is that of the result, else in any order.
  ///
  /// Many rows are read in the order of the file.
  private func rows(_ keys: [Int64], _ batch: inout ColumnBatch) throws -> ColumnBatch {
    guard keys.count > RowsByKey.fewKeys, let sorted = KeyOrder(of: keys) else {
      try batches.read(keys, into: &batch)
      return batch
    }
    try batches.read(sorted.keys, into: &batch)
    guard order == nil else { return batch }
    // The order cannot be restored where a row is missing, as in a damaged file.
    if batch.addedKeys.count == keys.count { return batch.gathered(sorted.ranks[...]) }
    try batches.read(keys, into: &batch)
    return batch
  }

  /// Whether some rows, of all rows up to a value, are those that are needed.
  private mutating func hasEnough(_ count: Int, through value: Value) -> Bool {
    if let enough { return count >= enough }
    // The further criteria decide among the rows that tie with the last one, so all of them must be read.
    guard let last = order?.lastNeededValue() else { return false }
    return last.ordering(value) != .same
  }

  /// The number of entries to read next, by the share of the rows that matched so far.
  private func nextSize(found: Int, of needed: Int) -> Int {
    let (read, missing) = (Double(statistics.accessRows), Double(max(0, needed - found)))
    let more = missing == 0 ? read / 4 : found == 0 ? read : missing * read / Double(found)
    return min(ColumnBatch.capacity, Int(min(more, Double(ColumnBatch.capacity))) + Self.fewRows)
  }

  /// The number of rows that are read at once at little cost.
  private static let fewRows = 16

  /// The keys that a scan finds, after too many rows were read in order.
  mutating func keysOfScan() throws -> [Int64] {
    noteReading()
    gathered = nil
    var run = try PlanRun(
      plan.scan, reader, schema, wantsOrder: wantsOrder, threads: threads, dives: dives)
    run.statistics = statistics
    defer { statistics = run.statistics }
    return try run.keys()
  }
}
