import CadastreModel
import CadastreSQLite
import Dispatch

/// Some columns of a class as one reader sees them, segment by segment.
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
  /// The uncommitted changes of the reader's own transaction, which must not enter the cache.
  private let own: SegmentTouches?
  private let reader: SegmentReader
  /// The columns and, last, the rows.
  private let wanted: [Int]
  /// The column of the primary key, where it is a whole number and not one of the columns: it is read with other
  /// columns of a segment, because the answer of a query is mostly identified by it.
  private let companion: Int?
  /// The cached segments at the beginning of a scan; nil before, and where they may not be used.
  private var published: PublishedColumns?
  /// The numbers of rows that were fetched one by one since.
  private var fetched = FetchCounts(before: [:])
  /// Cached columns that were found without the cache's lock.
  private var hits = 0
  /// Segments that came from the cache so far.
  package private(set) var segmentsInMemory = 0
  /// Segments of which some column was read from the file so far.
  package private(set) var segmentsRead = 0
  /// Whether a segment was read that the cache has no room for, beside what was used since the view was opened.
  private var isCacheFull = false

  /// Opens a view of some columns of a class; nil where the cache may not be used.
  package init?(_ layout: TableLayout, _ columns: [Int], _ reader: any StoreReader) {
    className = layout.schema.className
    guard let source = reader.columnSource(className),
      let opened = source.cache.open(className, columns, at: source.version, source.history)
    else { return nil }
    self.columns = columns
    cache = source.cache
    version = source.version
    own = source.own.flatMap { $0.isEmpty ? nil : $0 }
    (relation, time) = opened
    self.reader = SegmentReader(layout, reader.connection)
    wanted = columns + [TableCache.rows]
    companion = layout.wholeNumberKey.flatMap { columns.contains($0) ? nil : $0 }
  }

  deinit { noteInCache() }

  /// Returns a segment from the cache or the file.
  ///
  /// - Parameters:
  ///   - number: The number of the segment.
  ///   - filling: Whether to read a segment that is not cached.
  ///   - rows: The number of rows that the caller fetches one by one without the segment; after many such
  ///     rows the segment is read.
  /// - Returns: The segment; nil where its rows must be read in another way.
  /// - Throws: ``StoreError`` when reading fails.
  package func segment(
    _ number: Int64, filling: Bool, rows: Int = 1
  ) throws(StoreError) -> SegmentImage? {
    guard !isTouched(number) else { return nil }
    var filling = filling
    if let published {
      if let image = published.image(number) {
        noteInMemory(1)
        return image
      }
      // A lookup takes longer, and seldom finds what was not published.
      filling = filling || !fetched.add(number, rows) && cache.noteFetched(className, number, rows)
      guard filling else { return nil }
    }
    while true {
      let lookup = cache.lookUp(
        className, number, wanted, with: companion, at: version, relation, filling: filling,
        rows: rows)
      switch lookup {
      case .done(let entries):
        let image = image(number, entries.map(Self.content))
        if image != nil { segmentsInMemory += 1 }
        return image
      case .wait(let reading):
        reading.wait()
        reading.signal()
      case .fill(let entries):
        var read: (contents: [(column: Int, CachedSegment.Content)], patches: Int) = ([], 0)
        defer {
          let isKept = cache.finish(
            className, number, read.contents, patches: read.patches, at: version, time: time)
          isCacheFull = isCacheFull || !isKept
        }
        read = try fill(number, entries)
        segmentsRead += 1
        let contents = wanted.indices.map { index -> CachedSegment.Content? in
          read.contents.first { $0.column == wanted[index] }?.1 ?? Self.content(entries[index])
        }
        return image(number, contents)
      }
    }
  }

  /// Returns a segment whose columns the reader's own transaction has changed, as it is in the file; it is not
  /// cached.
  ///
  /// - Parameter number: The number of the segment.
  /// - Returns: The segment; nil where the transaction has changed none of the columns, or a column is too
  ///   large.
  /// - Throws: ``StoreError`` when reading fails.
  package func ownSegment(_ number: Int64) throws(StoreError) -> SegmentImage? {
    guard isTouched(number), let read = try reader.read(number, columns) else { return nil }
    return image(number, read.columns.map { .values($0) } + [.rows(read.rows)])
  }

  /// Returns whether no scan of these columns was begun yet, and most of their segments are not
  /// cached.
  func isFirstScan(of rowCount: Int) -> Bool {
    cache.isFirstScan(className, columns, of: rowCount)
  }

  /// Returns whether most of the segments of some column are not cached.
  func isMostlyMissing(of rowCount: Int) -> Bool {
    cache.share(className, columns, of: rowCount) < 0.5
  }

  /// Prepares to read all segments.
  func beginScan() {
    guard case .current = relation else { return }
    noteInCache()
    let opened = cache.published(className, columns, at: version)
    published = opened?.segments
    fetched = opened?.fetched ?? FetchCounts(before: [:])
  }

  /// Adds the counts so far to those of the cache.
  private func noteInCache() {
    let counts = fetched.added
    // Released before the cache changes its own counts, which are not copied then.
    fetched = FetchCounts(before: [:])
    cache.note(className, hits: hits, fetched: counts)
    hits = 0
  }

  /// Returns all segments between two numbers, both included, after reading a few that are not cached; nil where
  /// more must be read.
  func complete(
    _ first: Int64, through last: Int64
  ) throws(StoreError) -> PublishedColumns? {
    guard own == nil, let published,
      let missing = published.missing(first, through: last, limit: Self.fewSegments)
    else { return nil }
    guard !missing.isEmpty else { return published }
    var read = 0
    for number in missing where try segment(number, filling: true)?.rows.isEmpty == false {
      read += 1
    }
    beginScan()
    // The scan counts them with the others.
    noteInMemory(-read)
    let isComplete = self.published?.missing(first, through: last, limit: 0) != nil
    return isComplete ? self.published : nil
  }

  /// The number of segments that one thread reads in less time than others take to begin reading.
  private static let fewSegments = 4

  /// Returns the last of the segments from one on that a scan should stream, because the cache has neither them
  /// nor room for them; nil where the first is no such segment.
  func endOfStreaming(from number: Int64, through last: Int64) -> Int64? {
    guard isCacheFull, let published else { return nil }
    var end = number
    while end <= last, published.image(end) == nil { end += 1 }
    return end > number ? end - 1 : nil
  }

  /// Counts segments that were taken from the cache without its lock.
  func noteInMemory(_ count: Int) {
    segmentsInMemory += count
    hits += count * wanted.count
  }

  private func isTouched(_ number: Int64) -> Bool {
    guard let own else { return false }
    return own.touchesRows(number) || columns.contains { own.touches(number, $0) }
  }

  private static func content(_ entry: ColumnCache.Entry) -> CachedSegment.Content? {
    if case .hit(let content) = entry { content } else { nil }
  }

  private func image(_ number: Int64, _ contents: [CachedSegment.Content?]) -> SegmentImage? {
    SegmentImage(number, rows: contents.last ?? nil, columns: contents.dropLast())
  }

  /// Reads the columns of a segment that are missing or stale.
  private func fill(
    _ number: Int64, _ entries: [ColumnCache.Entry]
  ) throws(StoreError) -> (contents: [(column: Int, CachedSegment.Content)], patches: Int) {
    var stale: [(column: Int, content: CachedSegment.Content)] = []
    var missing: [Int] = []
    var changed: Set<Int32> = []
    for (column, entry) in zip(wanted, entries) {
      switch entry {
      case .hit: continue
      case .missing: missing.append(column)
      case .stale(let content, let slots):
        stale.append((column, content))
        changed.formUnion(slots)
      }
    }
    if changed.count > CachedSegment.mostPatches {
      missing += stale.map(\.column)
      stale = []
    }
    var contents: [(column: Int, CachedSegment.Content)] = []
    if !stale.isEmpty {
      contents = try reader.patched(number, stale, at: changed.sorted())
    }
    guard !missing.isEmpty else { return (contents, stale.count) }
    if let companion, entries.count > wanted.count, case .missing? = entries.last {
      missing.append(companion)
    }
    contents += try read(number, missing.filter { $0 != TableCache.rows })
      .filter { missing.contains($0.column) }
    return (contents, stale.count)
  }

  /// Reads columns of a segment and its rows; columns that are too large are marked so.
  private func read(
    _ number: Int64, _ columns: [Int]
  ) throws(StoreError) -> [(column: Int, CachedSegment.Content)] {
    if let read = try reader.read(number, columns) {
      return zip(columns, read.columns).map { ($0, .values($1)) }
        + [(TableCache.rows, .rows(read.rows))]
    }
    // One of the columns is too large; the others can be cached.
    guard columns.count > 1 else {
      return columns.map { ($0, .tooLarge) } + (try read(number, []))
    }
    var contents: [(column: Int, CachedSegment.Content)] = []
    for column in columns {
      contents.removeAll { $0.column == TableCache.rows }
      contents += try read(number, [column])
    }
    return contents
  }

  /// Returns the first row key that is not below another key; nil where there is none.
  func firstKey(from first: Int64) throws(StoreError) -> Int64? {
    try reader.firstKey(from: first)
  }
}
