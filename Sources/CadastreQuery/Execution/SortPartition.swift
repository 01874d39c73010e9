import CadastreModel
import CadastrePredicate
import CadastreStore

/// A part of the rows of a sort: those whose values of the first criterion begin with some numbers.
///
/// A sort of all rows of a class whose buffers would exceed half of the limit of the cached columns reads the rows once
/// for each partition, and sorts one after the other. Cached columns give way to the buffers.
struct SortPartition: Hashable, Sendable {
  /// The numbers with which the values begin, see ``SortColumn``.
  let heads: ClosedRange<UInt64>
  /// Whether rows belong to the partition whose value is null or NaN.
  let hasLowest: Bool
  /// Whether rows behind a null link belong to the partition.
  let hasHighest: Bool

  /// Returns partitions with about as many rows each, in the order of the sort.
  ///
  /// - Parameters:
  ///   - sample: The beginnings of the values of some rows.
  ///   - count: The number of partitions; values that begin alike are never divided, so there may be fewer.
  ///   - isAscending: Whether the sort is ascending.
  /// - Returns: The partitions; each row belongs to one of them.
  static func dividing(
    _ sample: [UInt64], into count: Int, isAscending: Bool
  ) -> [SortPartition] {
    let heads = sample.sorted()
    var starts: [UInt64] = [.min]
    for part in 1..<max(1, count) where !heads.isEmpty {
      let start = heads[part * heads.count / count]
      if start > starts[starts.count - 1] { starts.append(start) }
    }
    let partitions = starts.indices.map { index in
      let isLast = index == starts.count - 1
      return SortPartition(
        heads: starts[index]...(isLast ? .max : starts[index + 1] - 1), hasLowest: index == 0,
        hasHighest: isLast)
    }
    return isAscending ? partitions : partitions.reversed()
  }
}

/// Sorts in partitions.
extension PlanRun {
  /// The number of rows from which the boundaries of partitions are taken, about.
  private static let sampleSize = 1 << 16
  /// The factor by which more rows may match than the planner expects.
  private static let margin = 8.0
  /// The maximum number of partitions, and so of scans.
  private static let mostPartitions = 64
  /// The size of buffers in bytes from which on cached columns give way to them.
  private static let leastLoan = 1 << 20

  /// Takes memory for the sort of a scan from that of the cached columns.
  ///
  /// - Returns: The partitions of a sort whose buffers would exceed their limit; nil for other runs.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(1); a scan of all rows where the buffers of the expected rows would exceed the limit.
  mutating func sortPartitions() throws -> [SortPartition]? {
    guard case .scan = plan.access, let sort = order?.part, sort.partition == nil else {
      return nil
    }
    let rowCount = try reader.rowCount(plan.query.className)
    // Without a filter, or where the planner is far off, all rows are expected.
    let most = Self.margin * plan.estimate.rows
    let expected = !plan.filters.isEmpty && most < Double(rowCount) ? Int(most) : rowCount
    let limit = max(1, threads.mostSortedBytes ?? .max)
    guard sort.byteCount(ofRows: expected) > limit else {
      let rows = Int(min(Double(expected), max(0, plan.estimate.rows)))
      borrowMemory(sort.byteCount(ofRows: rows), ofRows: rows)
      return nil
    }
    let step = max(1, rowCount / Self.sampleSize)
    var (count, sampled, textBytes, sample): (Int, Int, Int, [UInt64]) = (0, 0, 0, [])
    var run = try another()
    try run.forEachMatch { batch, rows in
      var chosen = rows
      chosen.keep { _ in
        count += 1
        return count % step == 0
      }
      sampled += chosen.count
      textBytes += sort.textBytes(of: batch, chosen)
      sample += sort.heads(of: batch, chosen)
    }
    let bytes = sort.byteCount(ofRows: count, textBytes: textBytes / max(1, sampled))
    let partitions = SortPartition.dividing(
      sample, into: min((bytes - 1) / limit + 1, Self.mostPartitions),
      isAscending: sort.isAscending)
    borrowMemory(min(bytes, limit), ofRows: count / max(1, partitions.count))
    return partitions.count > 1 ? partitions : nil
  }

  /// Takes memory for a sort, and for the columns of some rows that it keeps, from that of the cached columns.
  private mutating func borrowMemory(_ sortedBytes: Int, ofRows count: Int) {
    let keptBytes = min(threads.mostGatheredBytes, 8 * count * (output?.columns.count ?? 0))
    guard sortedBytes + keptBytes >= Self.leastLoan else { return }
    sortMemory = reader.columnSource(plan.query.className)?.cache.loan(sortedBytes + keptBytes)
  }

  /// Passes the rows of each partition, in their order, to a closure with a run that sorts them.
  mutating func forEach(
    _ partitions: [SortPartition], _ body: (inout PlanRun) throws -> Void
  ) throws {
    for partition in partitions {
      var run = try another()
      run.order?.partition = partition
      try body(&run)
      statistics.add(run.statistics)
      statistics.accessRows = run.statistics.accessRows
      statistics.matchedRows += run.statistics.matchedRows
      statistics.answerRows += run.statistics.answerRows
    }
  }

  /// The same run from its start.
  private func another() throws -> PlanRun {
    try PlanRun(plan, reader, schema, wantsOrder: wantsOrder, threads: threads, dives: dives)
  }
}
