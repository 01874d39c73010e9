/// What is kept in memory of one table.
///
/// Everything in it is known at one version, the newest at which the table was asked about; what later
/// commits changed is marked when somebody asks at a newer one, and read again when it is needed.
struct TableImage: Sendable {
  /// One column, or the rows.
  struct Column: Sendable {
    var segments: [Int64: CachedSegment] = [:]
    /// When it was last asked for.
    var lastUse: UInt64 = 0
  }

  /// Stands for the rows among the columns.
  static let rows = -1

  /// The version at which everything is known.
  private(set) var version: Int64
  private(set) var columns: [Int: Column] = [:]
  /// Bytes of memory.
  private(set) var byteCount = 0
  /// Rows of segments that were fetched one by one, since the segment was last read.
  private var fetched: [Int64: Int] = [:]

  init(version: Int64) { self.version = version }

  /// The number of segments that are kept, each column's counted.
  var segmentCount: Int { columns.values.reduce(0) { $0 + $1.segments.count } }

  subscript(column: Int, segment: Int64) -> CachedSegment? { columns[column]?.segments[segment] }

  mutating func noteUse(_ wanted: [Int], at time: UInt64) {
    for column in wanted { columns[column, default: Column()].lastUse = time }
  }

  mutating func insert(_ entry: CachedSegment, _ column: Int, _ segment: Int64) {
    let previous = columns[column, default: Column()].segments.updateValue(entry, forKey: segment)
    byteCount += entry.byteCount - (previous?.byteCount ?? 0)
  }

  mutating func remove(_ column: Int, _ segment: Int64) {
    guard let removed = columns[column]?.segments.removeValue(forKey: segment) else { return }
    byteCount -= removed.byteCount
  }

  /// Removes some segment of a column; false where there is none.
  mutating func removeOne(of column: Int) -> Bool {
    guard let segment = columns[column]?.segments.popFirst() else { return false }
    byteCount -= segment.value.byteCount
    return true
  }

  /// Counts rows of a segment that are fetched one by one unless it is read now.
  ///
  /// What was fetched so far has cost what reading the segment costs when this says that it should be
  /// read, so that both together cost twice the better of the two at most, whatever comes after: the
  /// ski rental problem, of Karlin and others, Competitive snoopy caching, 1988.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - rows: The rows.
  /// - Returns: Whether it should be read.
  mutating func noteFetched(_ segment: Int64, _ rows: Int) -> Bool {
    let sum = fetched[segment, default: 0] + rows
    let isOwed = sum > Segment.capacity / Segment.scannedRows
    fetched[segment] = isOwed ? nil : sum
    return isOwed
  }

  mutating func removeAll() {
    fetched = [:]
    columns = [:]
    byteCount = 0
  }

  // MARK: Newer versions

  /// Moves to a newer version, at which everything is still right.
  mutating func advance(to version: Int64) { self.version = version }

  /// Moves to a newer version, marking what the commits in between changed.
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
    // New rows mostly fill up the last segment; of those after it nothing can be kept.
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
