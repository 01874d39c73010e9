import CadastreModel
import CadastreSQLite
import Dispatch

/// What one reader sees of some columns of a class, segment by segment.
///
/// Segments come from memory where they are right for the reader's version, and are read from the file and
/// kept where they can be.
package final class ColumnView {
  private let className: String
  private let columns: [Int]
  private let cache: ColumnCache
  private let version: Int64
  private let standing: ColumnCache.Standing
  private let time: UInt64
  /// What the reader's own transaction has changed, whose changes nobody else may see.
  private let own: SegmentTouches?
  private let reader: SegmentReader
  /// All that is asked for: the columns, and the rows after them.
  private let wanted: [Int]
  /// Segments given from memory so far.
  package private(set) var segmentsInMemory = 0
  /// Segments of which something had to be read from the file so far.
  package private(set) var segmentsRead = 0

  /// A view of some columns of a class; nil where nothing may be kept.
  package init?(_ layout: TableLayout, _ columns: [Int], _ reader: any StoreReader) {
    className = layout.schema.className
    guard let source = reader.columnSource(className),
      let opened = source.cache.open(className, columns, at: source.version, source.history)
    else { return nil }
    self.columns = columns
    cache = source.cache
    version = source.version
    own = source.own.flatMap { $0.isEmpty ? nil : $0 }
    (standing, time) = opened
    self.reader = SegmentReader(layout, reader.connection)
    wanted = columns + [TableImage.rows]
  }

  /// A segment.
  ///
  /// - Parameters:
  ///   - number: The number of the segment.
  ///   - filling: Whether it is to be read where it is not in memory.
  ///   - rows: The rows that are fetched one by one where it is not given; after many such rows it is read.
  /// - Returns: Nil where it must be read in another way.
  /// - Throws: ``StoreError``
  package func segment(
    _ number: Int64, filling: Bool, rows: Int = 1
  ) throws(StoreError) -> SegmentImage? {
    guard !isTouched(number) else { return nil }
    while true {
      let turn = cache.look(
        className, number, wanted, at: version, standing, filling: filling, rows: rows)
      switch turn {
      case .done(let found):
        let image = image(number, found.map(Self.content))
        if image != nil { segmentsInMemory += 1 }
        return image
      case .wait(let reading):
        reading.wait()
        reading.signal()
      case .fill(let found):
        var read: (contents: [(column: Int, CachedSegment.Content)], patches: Int) = ([], 0)
        defer {
          cache.finish(
            className, number, read.contents, patches: read.patches, at: version, time: time)
        }
        read = try fill(number, found)
        segmentsRead += 1
        let contents = wanted.indices.map { place -> CachedSegment.Content? in
          read.contents.first { $0.column == wanted[place] }?.1 ?? Self.content(found[place])
        }
        return image(number, contents)
      }
    }
  }

  private func isTouched(_ number: Int64) -> Bool {
    guard let own else { return false }
    return own.touchesRows(number) || columns.contains { own.touches(number, $0) }
  }

  private static func content(_ found: ColumnCache.Found) -> CachedSegment.Content? {
    if case .hit(let content) = found { content } else { nil }
  }

  private func image(_ number: Int64, _ contents: [CachedSegment.Content?]) -> SegmentImage? {
    guard case .rows(let rows)? = contents.last else { return nil }
    var vectors: [ColumnVector] = []
    for content in contents.dropLast() {
      guard case .values(let vector)? = content else { return nil }
      vectors.append(vector)
    }
    return SegmentImage(firstKey: Segment.firstKey(number), rows: rows, columns: vectors)
  }

  /// Reads what is missing of a segment.
  private func fill(
    _ number: Int64, _ found: [ColumnCache.Found]
  ) throws(StoreError) -> (contents: [(column: Int, CachedSegment.Content)], patches: Int) {
    var stale: [(column: Int, content: CachedSegment.Content)] = []
    var missing: [Int] = []
    var changed: Set<Int32> = []
    for (column, found) in zip(wanted, found) {
      switch found {
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
    contents += try read(number, missing.filter { $0 != TableImage.rows })
      .filter { missing.contains($0.column) }
    return (contents, stale.count)
  }

  /// Reads columns of a segment, and its rows.
  private func read(
    _ number: Int64, _ columns: [Int]
  ) throws(StoreError) -> [(column: Int, CachedSegment.Content)] {
    if let read = try reader.read(number, columns) {
      return zip(columns, read.columns).map { ($0, .values($1)) }
        + [(TableImage.rows, .rows(read.rows))]
    }
    // One of them is too large; the others need not suffer from it.
    guard columns.count > 1 else {
      return columns.map { ($0, .tooLarge) } + (try read(number, []))
    }
    var contents: [(column: Int, CachedSegment.Content)] = []
    for column in columns {
      contents.removeAll { $0.column == TableImage.rows }
      contents += try read(number, [column])
    }
    return contents
  }

  /// The first key of a row that is not below another; nil where there is none.
  func firstKey(from first: Int64) throws(StoreError) -> Int64? {
    try reader.firstKey(from: first)
  }

  /// The smallest and the largest key of all rows; nil where there are none.
  func keys() throws(StoreError) -> ClosedRange<Int64>? { try reader.keys() }
}
