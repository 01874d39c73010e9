/// The segments and columns of a class that some changes touch.
struct SegmentTouches: Sendable {
  private var inserted: Range<Int64> = 0..<0
  /// Segments in which rows were deleted.
  private var deleted: Set<Int64> = []
  /// The changed columns, by segment.
  private var modified: [Int64: Set<Int>] = [:]
  /// The last note; consecutive changes often touch the same segment and column.
  private var last: (segment: Int64, column: Int)?

  init() {}

  init(_ changes: ClassChanges) {
    noteInserted(changes.inserted)
    for key in changes.deleted { noteDeleted(key) }
    for (key, columns) in changes.modified {
      for column in columns { noteModified(key, column) }
    }
  }

  /// Whether nothing was touched.
  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }

  mutating func noteInserted(_ keys: Range<Int64>) { inserted = keys }

  mutating func noteDeleted(_ key: Int64) { deleted.insert(Segment.number(of: key)) }

  mutating func noteModified(_ key: Int64, _ column: Int) {
    let segment = Segment.number(of: key)
    if let last, last == (segment, column) { return }
    last = (segment, column)
    modified[segment, default: []].insert(column)
  }

  /// Returns whether rows of a segment were inserted or deleted.
  func touchesRows(_ segment: Int64) -> Bool {
    deleted.contains(segment) || Segment.slots(segment, in: inserted) != nil
  }

  /// Returns whether values of a column in a segment may have changed.
  func touches(_ segment: Int64, _ column: Int) -> Bool {
    touchesRows(segment) || modified[segment]?.contains(column) == true
  }
}
