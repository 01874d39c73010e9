/// A column of one segment, or its rows, as the store held them in a range of versions.
struct CachedSegment: Sendable {
  enum Content: Sendable {
    case rows(SegmentRows)
    case values(ColumnVector)
    /// There is more than is worth keeping.
    case tooLarge
  }

  let content: Content
  /// The first version that is known to have this content.
  let first: Int64
  /// The last version that has it; nil where that is the newest that its table is known at.
  private(set) var last: Int64?
  /// The slots that have changed since.
  private(set) var changed: [Int32] = []
  /// Bytes of memory.
  let byteCount: Int

  init(_ content: Content, at version: Int64) {
    self.content = content
    first = version
    byteCount =
      switch content {
      case .rows(let rows): rows.byteCount + Self.overhead
      case .values(let values): values.byteCount + Self.overhead
      case .tooLarge: Self.overhead
      }
  }

  /// What an entry takes beside its arrays, about.
  private static let overhead = 256

  /// Changed slots from which on a segment is read anew, which takes about as long as fetching so many
  /// rows by their keys.
  static let mostPatches = 256

  /// Notes that slots have changed after a version; false where it is not worth patching any more.
  mutating func noteChanged(_ slots: Range<Int>, after version: Int64) -> Bool {
    if case .tooLarge = content { return false }
    guard changed.count + slots.count <= Self.mostPatches else { return false }
    if last == nil { last = version }
    for slot in slots where changed.last != Int32(slot) { changed.append(Int32(slot)) }
    return true
  }
}
