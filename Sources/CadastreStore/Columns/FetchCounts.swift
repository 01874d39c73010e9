/// The numbers of rows that a reader fetches one by one, by segment.
///
/// They are compared with the counts at the beginning of a scan, without the lock of the cache, and added to
/// those of the cache when the scan ends.
struct FetchCounts {
  /// The number of rows of a segment.
  typealias Count = (segment: Int64, rows: Int)

  /// The counts of the cache at the beginning of the scan.
  private let before: [Int64: Int]
  /// The counts of the scan.
  private(set) var added: [Count] = []

  init(before: [Int64: Int]) { self.before = before }

  /// Counts rows of a segment that are about to be fetched one by one.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - rows: The number of rows.
  /// - Returns: False where the segment may be read instead; the rows are not counted then.
  mutating func add(_ segment: Int64, _ rows: Int) -> Bool {
    guard before[segment, default: 0] + rows <= TableCache.mostFetched else { return false }
    added.append((segment, rows))
    return true
  }
}
