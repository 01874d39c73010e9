import CadastreModel
import CadastreSQLite
import Dispatch

/// Some columns of a class at the version of one reader, segment by segment.
///
/// A segment comes from the cache where it is valid for the reader's version. Otherwise it is read from the
/// file, and cached where possible.
package final class ColumnView {
  private let className: String
  private let columns: [Int]
  private let cache: ColumnCache
  private let version: Int64
  private let relation: ColumnCache.VersionRelation
  private let time: UInt64
  /// The uncommitted changes of the reader's transaction, which must not enter the cache.
  private let uncommitted: SegmentTouches?
  private let reader: SegmentReader
  /// The stored segments that are valid for the reader; nil if there are none.
  private lazy var stored = openStored()
  private let openStored: () -> StoredSegments?
  /// The columns, followed by the rows.
  private let requested: [Int]
  /// A column that is read and cached together with missing ones; nil for none.
  private let companion: Int?
  /// The cached segments at the start of a scan; nil before the scan, and for a reader at another version
  /// than the cache.
  private var published: PublishedColumns?
  /// The counts of rows that the scan has fetched by key.
  private var fetched = FetchCounts(before: SegmentMap())
  /// The number of lookups of segments since then that were not among them.
  private var misses = 0
  /// The number of cached columns that were used without the cache's lock.
  private var hits = 0
  /// The number of segments that came from the cache so far.
  package private(set) var segmentsInMemory = 0
  /// The number of segments that were read from the file so far, for at least one column.
  package private(set) var segmentsRead = 0
  /// Whether the cache had no room for a segment.
  private var isCacheFull = false

  /// Opens a view of some columns of a class; nil where the cache may not be used.
  ///
  /// - Parameters:
  ///   - layout: The class.
  ///   - columns: The columns.
  ///   - reader: The snapshot or transaction.
  ///   - companion: A column that is read and cached together with missing ones; nil for none.
  ///   - use: The use of the columns that the views of one scan share; nil for a view of its own.
  package init?(
    _ layout: TableLayout, _ columns: [Int], _ reader: any StoreReader,
    with companion: Int? = nil, sharing use: SharedUse? = nil
  ) {
    className = layout.schema.className
    guard let source = reader.columnSource(className),
      let opened = source.cache.open(
        className, columns, at: source.version, source.history, sharing: use)
    else { return nil }
    self.columns = columns
    cache = source.cache
    version = source.version
    uncommitted = source.uncommitted.flatMap { $0.isEmpty ? nil : $0 }
    (relation, time) = opened
    self.reader = SegmentReader(layout, reader.connection)
    let (connection, cache) = (reader.connection, source.cache)
    openStored = {
      source.stored.flatMap {
        StoredSegments($0, layout, connection, reporting: cache.reportDamage)
      }
    }
    requested = columns + [TableCache.rows]
    self.companion = companion.flatMap { columns.contains($0) ? nil : $0 }
  }

  deinit { noteInCache() }

  /// Returns a segment from the cache or the file.
  ///
  /// - Parameters:
  ///   - number: The number of the segment.
  ///   - use: The rows that the caller needs, which decide whether a segment is read that is not cached.
  /// - Returns: The segment; nil where the caller must fetch or stream its rows.
  /// - Throws: ``StoreError`` when reading fails.
  package func segment(
    _ number: Int64, for use: SegmentUse
  ) throws(StoreError) -> SegmentImage? {
    guard !isTouched(number) else { return nil }
    var use = use
    if let image = published?.image(number) {
      noteInMemory(1)
      return image
    }
    misses += 1
    if case .rows(let rows) = use {
      if isWorthReading(number, for: rows) {
        use = .allRows
      } else if published != nil {
        // A lookup takes longer, and rarely finds a segment that was not published.
        guard !fetched.add(number, rows), cache.noteFetched(className, number, rows) else {
          return nil
        }
        use = .allRows
      }
    }
    while true {
      let lookup = cache.lookUp(
        className, number, requested, with: companion, at: version, relation, for: use, time: time)
      switch lookup {
      case .full(let entries):
        // Stored segments cost less than rows, also where each scan reads them again.
        guard case .scan = use, let read = try fill(number, entries, fromRows: false) else {
          isCacheFull = true
          return nil
        }
        return readImage(number, read, entries)
      case .done(let entries):
        if let image = image(number, entries.map(Self.content)) {
          segmentsInMemory += 1
          return image
        }
        // A reader of an older version does not fill the cache, but reads the segments of its version.
        guard case .scan = use, let read = try fill(number, entries, fromRows: false) else {
          return nil
        }
        return readImage(number, read, entries)
      case .wait(let reading):
        reading.wait()
        reading.signal()
      case .fill(let entries):
        var read = SegmentContents()
        defer {
          let isStored = cache.finish(
            className, number, read, at: version, time: time, companion: companion)
          isCacheFull = isCacheFull || !isStored && read.stored == 0
        }
        if let filled = try fill(number, entries, fromRows: true) { read = filled }
        return readImage(number, read, entries)
      }
    }
  }

  /// Whether a segment is stored, so that reading its columns costs less than reading some rows by key.
  private func isWorthReading(_ number: Int64, for rows: Int) -> Bool {
    rows >= Self.rowsOfStoredSegment && columns.allSatisfy { stored?.has(number, $0) == true }
  }

  /// The number of rows by key that take as long as reading a column of a stored segment, about: 40 µs.
  private static let rowsOfStoredSegment = 16

  /// Reads a segment whose columns the reader's transaction has changed, without caching the segment.
  ///
  /// - Parameter number: The number of the segment.
  /// - Returns: The segment; nil where the transaction has not changed these columns, or a column is too
  ///   large.
  /// - Throws: ``StoreError`` when reading fails.
  package func ownSegment(_ number: Int64) throws(StoreError) -> SegmentImage? {
    guard isTouched(number), let read = try reader.read(number, columns) else { return nil }
    return image(number, read.columns.map { .values($0) } + [.rows(read.rows)])
  }

  /// Returns whether most of the segments of some column are not cached.
  func isMostlyMissing(of rowCount: Int) -> Bool {
    cache.share(className, columns, of: rowCount) < 0.5
  }

  /// Prepares to read more rows of a scan.
  ///
  /// Insertions into the cache copy what scans hold of its maps, so the view takes the maps again only after many
  /// segments were not among those that it has.
  func continueScan() {
    guard let published, misses * Self.segmentsPerMiss <= published.count else {
      return beginScan()
    }
  }

  /// The number of published segments for each of the misses after which the view takes the maps again.
  private static let segmentsPerMiss = 8

  /// Prepares to read all segments.
  func beginScan() {
    guard case .current = relation else { return }
    noteInCache()
    misses = 0
    let opened = cache.published(className, columns, at: version)
    published = opened?.segments
    fetched = opened?.fetched ?? FetchCounts(before: SegmentMap())
  }

  /// Returns whether a segment was cached at the start of the scan.
  func isPublished(_ number: Int64) -> Bool { published?.image(number) != nil }

  /// Adds the counts of the view to those of the cache.
  private func noteInCache() {
    let counts = fetched.added
    // Released first: otherwise the cache would copy its dictionary of counts before it adds them.
    fetched = FetchCounts(before: SegmentMap())
    cache.note(className, hits: hits, fetched: counts)
    hits = 0
  }

  /// Returns some segments, after reading a few missing ones; nil where more are missing.
  func complete(_ segments: ClosedRange<Int64>) throws(StoreError) -> PublishedColumns? {
    guard uncommitted == nil, let published,
      let missing = published.missing(segments, limit: Self.fewSegments)
    else { return nil }
    guard !missing.isEmpty else { return published }
    var read = 0
    for number in missing where try segment(number, for: .allRows)?.rows.isEmpty == false {
      read += 1
    }
    beginScan()
    // The scan counts these segments again.
    noteInMemory(-read)
    let isComplete = self.published?.missing(segments, limit: 0) != nil
    return isComplete ? self.published : nil
  }

  /// The maximum number of missing segments: one thread reads them before other threads have begun to read.
  private static let fewSegments = 4

  /// Returns the end of a range of segments that a scan should stream, because the cache has neither the
  /// segments nor room for them; nil where the first segment is cached or has room.
  func endOfStreaming(from number: Int64, through last: Int64) -> Int64? {
    guard isCacheFull, let published else { return nil }
    // Keys may be far apart.
    let last = min(last, number + Self.mostStreamed - 1)
    var end = number
    while end <= last, published.image(end) == nil { end += 1 }
    return end > number ? end - 1 : nil
  }

  /// The maximum number of segments that a scan streams at once.
  private static let mostStreamed: Int64 = 1024

  /// Counts segments that were taken from the cache without its lock.
  func noteInMemory(_ count: Int) {
    segmentsInMemory += count
    hits += count * requested.count
  }

  private func isTouched(_ number: Int64) -> Bool {
    guard let uncommitted else { return false }
    return uncommitted.touchesRows(number)
      || columns.contains { uncommitted.touches(number, $0) }
  }

  private static func content(_ entry: ColumnCache.Entry) -> CachedSegment.Content? {
    if case .hit(let content) = entry { content } else { nil }
  }

  private func image(_ number: Int64, _ contents: [CachedSegment.Content?]) -> SegmentImage? {
    SegmentImage(number, rows: contents.last ?? nil, columns: contents.dropLast())
  }

  /// Returns a segment whose missing columns were read, which counts as read; nil where a column is too large.
  private func readImage(
    _ number: Int64, _ read: SegmentContents, _ entries: [ColumnCache.Entry]
  ) -> SegmentImage? {
    if !read.columns.isEmpty { segmentsRead += 1 }
    return image(
      number,
      requested.indices.map { index in
        read.columns.first { $0.column == requested[index] }?.content
          ?? Self.content(entries[index])
      })
  }

  /// Reads the columns of a segment that are missing or stale.
  ///
  /// - Parameters:
  ///   - number: The number of the segment.
  ///   - entries: What the cache has of the requested columns, and of the companion.
  ///   - fromRows: Whether to decode rows where a column is not stored.
  /// - Returns: The columns; nil where one is not stored, and rows may not be decoded.
  /// - Throws: ``StoreError`` when reading fails.
  private func fill(
    _ number: Int64, _ entries: [ColumnCache.Entry], fromRows: Bool
  ) throws(StoreError) -> SegmentContents? {
    var stale: [SegmentContents.Column] = []
    var missing: [Int] = []
    var changed: Set<Int32> = []
    for (column, entry) in zip(requested, entries) {
      switch entry {
      case .hit: continue
      case .missing: missing.append(column)
      case .stale(let content, let slots):
        stale.append((column, content))
        changed.formUnion(slots)
      }
    }
    var contents = SegmentContents()
    if !stale.isEmpty {
      if changed.count <= CachedSegment.mostPatches,
        let patched = try reader.patched(number, stale, at: changed.sorted())
      {
        (contents.columns, contents.patches) = (patched, patched.count)
      } else {
        missing += stale.map(\.column)
      }
    }
    guard !missing.isEmpty else { return contents }
    if let companion, entries.count > requested.count, case .missing? = entries.last {
      missing.append(companion)
    }
    guard
      let read = try read(number, missing.filter { $0 != TableCache.rows }, fromRows: fromRows)
    else { return nil }
    contents.columns += read.columns.filter { missing.contains($0.column) }
    contents.stored = read.stored
    return contents
  }

  /// Reads columns of a segment and its rows, from stored segments where these are valid; nil where rows would have to
  /// be decoded and may not.
  private func read(
    _ number: Int64, _ columns: [Int], fromRows: Bool
  ) throws(StoreError) -> SegmentContents? {
    guard let contents = try stored?.contents(number, columns),
      contents.rows != nil || !contents.columns.isEmpty
    else {
      guard fromRows else { return nil }
      cache.noteDecoded(className, number, columns)
      return SegmentContents(columns: try readRows(number, columns))
    }
    var others: [SegmentContents.Column] = []
    if contents.rows == nil || !contents.missing.isEmpty {
      guard fromRows else { return nil }
      cache.noteDecoded(className, number, contents.missing)
      others = try readRows(number, contents.missing)
    }
    var rows = contents.rows ?? RowSet()
    if case .rows(let read)? = others.last?.1 { rows = read }
    let found =
      contents.columns.map { column, content in
        if case .values(let values) = content {
          (column, .values(values.masked(rows)))
        } else {
          (column, content)
        }
      } as [SegmentContents.Column]
    return SegmentContents(
      columns: found + others.filter { $0.column != TableCache.rows }
        + [(TableCache.rows, .rows(rows))],
      stored: found.count + (contents.rows == nil ? 0 : 1))
  }

  /// Reads columns of a segment and its rows from the rows; columns that are too large get the content `tooLarge`.
  private func readRows(
    _ number: Int64, _ columns: [Int]
  ) throws(StoreError) -> [SegmentContents.Column] {
    if let read = try reader.read(number, columns) {
      return zip(columns, read.columns).map { ($0, .values($1)) }
        + [(TableCache.rows, .rows(read.rows))]
    }
    // One of the columns is too large; the others can be cached.
    guard columns.count > 1 else {
      return columns.map { ($0, .tooLarge) } + (try readRows(number, []))
    }
    var contents: [SegmentContents.Column] = []
    for column in columns {
      contents.removeAll { $0.column == TableCache.rows }
      contents += try readRows(number, [column])
    }
    return contents
  }

  /// Returns the lowest row key that is at least `first`; nil where there is none.
  func firstKey(from first: Int64) throws(StoreError) -> Int64? {
    try reader.firstKey(from: first)
  }
}
