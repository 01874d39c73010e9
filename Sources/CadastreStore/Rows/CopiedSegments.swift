/// The segments from which a reader copied single rows, as far as their rows may be needed again.
struct CopiedSegments {
  /// A segment and the columns that are copied.
  typealias Entry = (number: Int64, image: SegmentImage, columns: [BatchColumn])
  private var last: Entry?
  /// Segments before the highest one, which are needed again where the keys do not ascend.
  private var others: [Int64: Entry] = [:]
  private var highestNumber = Int64.min
  /// The maximum number of segments in `others`.
  private static let maximumCount = 1024

  /// Returns a segment that was inserted before; nil where it is not known.
  mutating func find(_ number: Int64) -> Entry? {
    if let last, last.number == number { return last }
    guard !others.isEmpty, let known = others[number] else { return nil }
    last = known
    return known
  }

  /// Keeps a segment.
  mutating func insert(_ entry: Entry) {
    last = entry
    // Of ascending keys no segment is needed again.
    if entry.number < highestNumber {
      if others.count >= Self.maximumCount { others = [:] }
      others[entry.number] = entry
    }
    highestNumber = max(highestNumber, entry.number)
  }
}
