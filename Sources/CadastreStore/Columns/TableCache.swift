/// The cache of one table.
///
/// All entries are known at one version, the newest at which the table was opened. Opening it at a newer
/// version marks the slots that the commits in between changed; they are read again when they are needed.
struct TableCache: Sendable {
  /// One column, or the rows.
  struct Column: Sendable {
    var segments: [Int64: CachedSegment] = [:]
    /// The time of its last use.
    var lastUse: UInt64 = 0
    /// Whether a scan read it without filling the cache.
    var isScanned = false
  }

  /// The index that denotes the rows among the columns.
  static let rows = -1

  /// The version at which all entries are known.
  private(set) var version: Int64
  private(set) var columns: [Int: Column] = [:]
  /// The size in memory in bytes.
  private(set) var byteCount = 0
  /// The number of rows that were fetched one by one from each segment since it was last read.
  private(set) var fetched: [Int64: Int] = [:]
  /// The number of fetched rows that cost as much as reading their segment.
  static let mostFetched = Segment.capacity / Segment.scannedRows

  init(version: Int64) { self.version = version }

  /// The number of cached segments, counted per column.
  var segmentCount: Int { columns.values.reduce(0) { $0 + $1.segments.count } }

  /// The size in memory in bytes of each column that has any, without the rows.
  var bytesByColumn: [Int: Int] {
    columns.filter { $0.key != Self.rows && !$0.value.segments.isEmpty }.mapValues { column in
      column.segments.values.reduce(0) { $0 + $1.byteCount }
    }
  }

  subscript(column: Int, segment: Int64) -> CachedSegment? { columns[column]?.segments[segment] }

  mutating func noteUse(_ wanted: [Int], at time: UInt64) {
    for column in wanted { columns[column, default: Column()].lastUse = time }
  }

  /// Notes a scan of a column; returns whether it is the first one.
  mutating func noteScan(of column: Int) -> Bool {
    defer { columns[column, default: Column()].isScanned = true }
    return columns[column]?.isScanned != true
  }

  mutating func insert(_ entry: CachedSegment, _ column: Int, _ segment: Int64) {
    let previous = columns[column, default: Column()].segments.updateValue(entry, forKey: segment)
    byteCount += entry.byteCount - (previous?.byteCount ?? 0)
  }

  mutating func remove(_ column: Int, _ segment: Int64) {
    guard let removed = columns[column]?.segments.removeValue(forKey: segment) else { return }
    byteCount -= removed.byteCount
  }

  /// Returns the segments of some columns, and the rows.
  func published(_ wanted: [Int]) -> PublishedColumns {
    PublishedColumns(
      columns: wanted.map { columns[$0]?.segments ?? [:] },
      rows: columns[Self.rows]?.segments ?? [:], at: version)
  }

  /// Removes any one segment of a column; returns false where there is none.
  mutating func removeOne(of column: Int) -> Bool {
    guard let segment = columns[column]?.segments.popFirst() else { return false }
    byteCount -= segment.value.byteCount
    return true
  }

  /// Counts rows of a segment that are about to be fetched one by one, and decides whether to read the
  /// segment instead.
  ///
  /// The segment is read as soon as the fetches so far have cost as much as reading it. The total cost is
  /// then at most twice the optimum for any sequence of fetches: the ski rental problem.
  /// Source: Karlin, Manasse, Rudolph and Sleator, "Competitive Snoopy Caching", Algorithmica 3, 1988.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - rows: The number of rows.
  /// - Returns: Whether to read the segment.
  mutating func noteFetched(_ segment: Int64, _ rows: Int) -> Bool {
    let sum = fetched[segment, default: 0] + rows
    let isDue = sum > Self.mostFetched
    fetched[segment] = isDue ? nil : sum
    return isDue
  }

  /// Counts rows of segments that were fetched one by one.
  mutating func noteFetched(_ counts: [FetchCounts.Count]) {
    for count in counts { fetched[count.segment, default: 0] += count.rows }
  }

  mutating func removeAll() {
    fetched = [:]
    columns = [:]
    byteCount = 0
  }

  // MARK: Newer versions

  /// Advances to a newer version at which all entries are still valid.
  mutating func advance(to version: Int64) { self.version = version }

  /// Advances to a newer version and marks what the commits in between changed.
  mutating func advance(to version: Int64, _ changes: ClassChanges) {
    for column in columns.keys {
      noteInserted(changes.inserted, column)
      for key in changes.deleted { noteChanged(key, column) }
    }
    for (key, changed) in changes.modified {
      for column in changed { noteChanged(key, column) }
    }
    self.version = version
  }

  private mutating func noteInserted(_ keys: Range<Int64>, _ column: Int) {
    guard let last = keys.last, let kept = columns[column]?.segments else { return }
    let range = Segment.number(of: keys.lowerBound)...Segment.number(of: last)
    // New rows mostly fill the last segment; later segments cannot be cached yet.
    let touched =
      range.count < kept.count ? range.filter { kept[$0] != nil } : kept.keys.filter(range.contains)
    for segment in touched {
      guard let slots = Segment.slots(segment, in: keys) else { continue }
      noteChanged(slots, segment, column)
    }
  }

  private mutating func noteChanged(_ key: Int64, _ column: Int) {
    let slot = Segment.slot(of: key)
    noteChanged(slot..<slot + 1, Segment.number(of: key), column)
  }

  private mutating func noteChanged(_ slots: Range<Int>, _ segment: Int64, _ column: Int) {
    guard columns[column]?.segments[segment] != nil else { return }
    if columns[column]?.segments[segment]?.noteChanged(slots, after: version) == true { return }
    remove(column, segment)
  }
}
