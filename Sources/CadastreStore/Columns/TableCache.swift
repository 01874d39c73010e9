/// The cached columns of one table.
///
/// The cache has one version: the newest at which a reader has opened the table. Advancing the cache to a
/// newer version marks the slots that the commits in between changed; the next lookup reads these slots
/// again.
struct TableCache: Sendable {
  /// One column, or the rows.
  struct Column: Sendable {
    var segments = SegmentMap<CachedSegment>()
    /// The size in memory in bytes.
    var byteCount = 0
    /// The size of the segment that was read last, in bytes; 0 before the first one.
    var lastByteCount = 0
    /// The use of the column by readers.
    var use = CacheUse()

    /// The size in bytes that a segment probably has which is not cached.
    var expectedByteCount: Int {
      segments.isEmpty ? lastByteCount : byteCount / segments.count
    }
  }

  /// The index that denotes the rows among the columns.
  static let rows = -1

  /// The version of the cache.
  private(set) var version: Int64
  private(set) var columns: [Int: Column] = [:]
  /// The size in memory in bytes.
  private(set) var byteCount = 0
  /// The number of rows that were fetched by key from each segment since the segment was last read.
  private(set) var fetched = SegmentMap<Int>()
  /// The number of fetched rows that cost as much as reading their segment.
  static let mostFetched = KeySegment.capacity / KeySegment.scannedRows

  init(version: Int64) { self.version = version }

  /// The number of cached segments, counted per column.
  var segmentCount: Int { columns.values.reduce(0) { $0 + $1.segments.count } }

  /// The size in bytes of each cached column, without the rows.
  var byteCountByColumn: [Int: Int] {
    columns.filter { $0.key != Self.rows && !$0.value.segments.isEmpty }.mapValues(\.byteCount)
  }

  subscript(column: Int, segment: Int64) -> CachedSegment? { columns[column]?.segments[segment] }

  /// Records that a reader uses columns and the rows.
  ///
  /// - Parameters:
  ///   - wanted: The columns.
  ///   - time: The time.
  /// - Returns: The time since which columns must not have been used that are evicted for these columns, see
  ///   ``CacheUse``.
  mutating func noteUse(_ wanted: [Int], at time: UInt64) -> UInt64 {
    columns[Self.rows, default: Column()].use.note(time)
    var since = time
    for column in wanted {
      columns[column, default: Column()].use.note(time)
      since = min(since, columns[column]?.use.previous ?? 0)
    }
    return since
  }

  mutating func insert(_ entry: CachedSegment, _ column: Int, _ segment: Int64) {
    let previous = columns[column, default: Column()].segments.update(segment, with: entry)
    columns[column]?.lastByteCount = entry.byteCount
    add(entry.byteCount - (previous?.byteCount ?? 0), to: column)
  }

  mutating func remove(_ column: Int, _ segment: Int64) {
    guard let removed = columns[column]?.segments.remove(segment) else { return }
    add(-removed.byteCount, to: column)
  }

  private mutating func add(_ bytes: Int, to column: Int) {
    columns[column]?.byteCount += bytes
    byteCount += bytes
  }

  /// The size in bytes of the columns that were last used before a time.
  func byteCount(unusedSince time: UInt64) -> Int {
    columns.values.reduce(0) { $0 + ($1.use.last < time ? $1.byteCount : 0) }
  }

  /// Returns the segments of some columns, and the rows.
  func published(_ wanted: [Int]) -> PublishedColumns {
    PublishedColumns(
      columns: wanted.map { columns[$0]?.segments ?? SegmentMap() },
      rows: columns[Self.rows]?.segments ?? SegmentMap(), at: version)
  }

  /// Removes an arbitrary segment of a column; returns false where there is none.
  mutating func removeOne(of column: Int) -> Bool {
    guard let segment = columns[column]?.segments.removeFirst() else { return false }
    add(-segment.byteCount, to: column)
    return true
  }

  /// Counts rows of a segment that a reader is about to fetch by key, and decides whether to read the segment
  /// instead, see ``SegmentUse``.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - rows: The number of rows.
  /// - Returns: Whether to read the segment.
  mutating func noteFetched(_ segment: Int64, _ rows: Int) -> Bool {
    let sum = (fetched[segment] ?? 0) + rows
    if sum > Self.mostFetched {
      fetched.remove(segment)
      return true
    }
    fetched.update(segment, with: sum)
    return false
  }

  /// Counts rows of segments that a reader has fetched by key.
  mutating func noteFetched(_ counts: [FetchCounts.Count]) {
    for count in counts {
      fetched.update(count.segment, with: (fetched[count.segment] ?? 0) + count.rows)
    }
  }

  mutating func removeAll() {
    fetched = SegmentMap()
    columns = [:]
    byteCount = 0
  }

  // MARK: Newer versions

  /// Advances to a newer version at which all entries are still valid.
  mutating func advance(to version: Int64) { self.version = version }

  /// Advances to a newer version and marks the slots that the commits in between changed.
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
    guard let last = keys.last, let cached = columns[column]?.segments else { return }
    let range = KeySegment.number(of: keys.lowerBound)...KeySegment.number(of: last)
    // New rows mostly fill the last segment; later segments cannot be cached yet.
    let touched =
      range.count < cached.count
      ? range.filter { cached[$0] != nil } : cached.numbers.filter(range.contains)
    for segment in touched {
      guard let slots = KeySegment.slots(segment, in: keys) else { continue }
      noteChanged(slots, segment, column)
    }
  }

  private mutating func noteChanged(_ key: Int64, _ column: Int) {
    let slot = KeySegment.slot(of: key)
    noteChanged(slot..<slot + 1, KeySegment.number(of: key), column)
  }

  private mutating func noteChanged(_ slots: Range<Int>, _ segment: Int64, _ column: Int) {
    let isKept = columns[column]?.segments.change(segment) { cached in
      cached.noteChanged(slots, after: version)
    }
    if isKept == false { remove(column, segment) }
  }
}

/// The use of a cached column, or of the nodes of a spatial index, by readers.
///
/// Something is evicted for a column only if it has not been used since the previous use of the column. So if queries
/// take turns and not everything fits into the cache, what is cached stays, and each turn uses it. If the queries
/// change, their columns replace the old ones with the second use.
struct CacheUse: Sendable {
  /// The time of the last use; 0 before the first one.
  private(set) var last: UInt64 = 0
  /// The time of the use before the last one; the time of the first use itself before the second one.
  private(set) var previous: UInt64 = 0

  /// Records a use.
  mutating func note(_ time: UInt64) {
    guard time != last else { return }
    previous = last == 0 ? time : last
    last = time
  }
}

/// A cached column of one segment, or its rows, which is valid for a range of versions.
struct CachedSegment: Sendable {
  enum Content: Sendable {
    case rows(RowSet)
    case values(EncodedColumn)
    /// The content is too large for the cache.
    case tooLarge
  }

  /// What was read, as an object: maps of segments are copied while scans hold them.
  private final class Loaded: Sendable {
    let content: Content
    let version: Int64
    let byteCount: Int

    init(_ content: Content, at version: Int64) {
      self.content = content
      self.version = version
      byteCount =
        switch content {
        case .rows(let rows): rows.byteCount + overhead
        case .values(let values): values.byteCount + overhead
        case .tooLarge: overhead
        }
    }
  }

  private let loaded: Loaded
  /// The last version for which the content is valid; nil for the newest version of the table's cache.
  private(set) var last: Int64?
  /// The slots that later commits changed.
  private(set) var changed: [Int32] = []

  init(_ content: Content, at version: Int64) { loaded = Loaded(content, at: version) }

  var content: Content { loaded.content }
  /// The version at which the content was read.
  var first: Int64 { loaded.version }
  /// The memory that the entry takes, in bytes.
  var byteCount: Int { loaded.byteCount }

  /// Returns whether the content is valid at the newest version of the table's cache.
  func isValid(at newest: Int64) -> Bool { first <= newest && newest <= last ?? newest }

  /// The estimated memory of an entry without its arrays, in bytes.
  private static let overhead = 256

  /// The number of changed slots above which the whole segment is read again: fetching so many rows by key
  /// takes about as long.
  static let mostPatches = 256

  /// Adds slots that changed after a version; returns false where reading the whole segment is cheaper.
  mutating func noteChanged(_ slots: Range<Int>, after version: Int64) -> Bool {
    if case .tooLarge = content { return false }
    guard changed.count + slots.count <= Self.mostPatches else { return false }
    if last == nil { last = version }
    for slot in slots where changed.last != Int32(slot) { changed.append(Int32(slot)) }
    return true
  }
}

/// The counts of rows that a reader fetches by key, by segment.
///
/// A scan compares them with the cache's counts at its start, without the cache's lock. At its end the scan
/// adds them to the cache's counts.
struct FetchCounts {
  /// The number of rows of a segment.
  typealias Count = (segment: Int64, rows: Int)

  /// The counts of the cache at the beginning of the scan.
  private let before: SegmentMap<Int>
  /// The counts of the scan.
  private(set) var added: [Count] = []

  init(before: SegmentMap<Int>) { self.before = before }

  /// Counts rows of a segment that the reader is about to fetch by key.
  ///
  /// - Parameters:
  ///   - segment: The segment.
  ///   - rows: The number of rows.
  /// - Returns: False where the fetches have cost as much as reading the segment; these rows are not counted.
  mutating func add(_ segment: Int64, _ rows: Int) -> Bool {
    guard (before[segment] ?? 0) + rows <= TableCache.mostFetched else { return false }
    added.append((segment, rows))
    return true
  }
}
