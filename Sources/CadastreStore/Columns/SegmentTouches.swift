/// The segments and columns of a class that some changes touch.
struct SegmentTouches: Sendable {
  /// A column of a segment.
  private struct Cell: Hashable {
    let segment: Int64
    let column: Int
  }

  private var inserted: Range<Int64> = 0..<0
  /// Segments in which rows were deleted.
  private var deleted: Set<Int64> = []
  /// The changed columns, except `last`.
  private var modified: Set<Cell> = []
  /// The column that was changed last; consecutive changes often touch the same one.
  private var last: Cell?

  init() {}

  init(_ changes: ClassChanges) {
    noteInserted(changes.inserted)
    for key in changes.deleted { noteDeleted(key) }
    for (key, columns) in changes.modified {
      for column in columns { noteModified(key, column) }
    }
  }

  /// Whether nothing was touched.
  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && last == nil }

  mutating func noteInserted(_ keys: Range<Int64>) { inserted = keys }

  mutating func noteDeleted(_ key: Int64) { deleted.insert(KeySegment.number(of: key)) }

  mutating func noteModified(_ key: Int64, _ column: Int) {
    let cell = Cell(segment: KeySegment.number(of: key), column: column)
    guard let last, last != cell else { return last = cell }
    modified.insert(last)
    self.last = cell
  }

  /// Returns whether rows of a segment were inserted or deleted.
  func touchesRows(_ segment: Int64) -> Bool {
    deleted.contains(segment) || KeySegment.slots(segment, in: inserted) != nil
  }

  /// Returns whether values of a column in a segment may have changed.
  func touches(_ segment: Int64, _ column: Int) -> Bool {
    let cell = Cell(segment: segment, column: column)
    return touchesRows(segment) || last == cell || modified.contains(cell)
  }
}
