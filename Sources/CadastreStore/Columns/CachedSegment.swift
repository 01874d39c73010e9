/// A cached column of one segment, or its rows, which is valid for a range of versions.
struct CachedSegment: Sendable {
  enum Content: Sendable {
    case rows(RowSet)
    case values(EncodedColumn)
    /// The content is too large for the cache.
    case tooLarge
  }

  let content: Content
  /// The version at which the content was read.
  let first: Int64
  /// The last version for which the content is valid; nil for the newest version of the table's cache.
  private(set) var last: Int64?
  /// The slots that later commits changed.
  private(set) var changed: [Int32] = []
  /// The memory that the entry takes, in bytes.
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

  /// Whether the content is that of a version, which is the newest of the table's cache.
  func isValid(at newest: Int64) -> Bool { first <= newest && newest <= last ?? newest }

  /// The memory of an entry beside its arrays, in bytes, estimated.
  private static let overhead = 256

  /// The number of changed slots beyond which the whole segment is read again; fetching so many rows by
  /// their keys takes about as long.
  static let mostPatches = 256

  /// Notes slots that changed after a version; returns false where reading the whole segment is cheaper.
  mutating func noteChanged(_ slots: Range<Int>, after version: Int64) -> Bool {
    if case .tooLarge = content { return false }
    guard changed.count + slots.count <= Self.mostPatches else { return false }
    if last == nil { last = version }
    for slot in slots where changed.last != Int32(slot) { changed.append(Int32(slot)) }
    return true
  }
}
