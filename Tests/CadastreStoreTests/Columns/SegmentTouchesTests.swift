import Testing

@testable import CadastreStore

/// The segments and columns that changes touch.
@Suite struct SegmentTouchesTests {
  private let second = KeySegment.firstKey(1)

  @Test func `each changed column of each segment is touched, and no other`() {
    var touches = SegmentTouches()
    #expect(touches.isEmpty)
    let changes = [(Int64(1), 2), (1, 2), (second, 2), (second, 0), (2, 2), (1, 4)]
    for (key, column) in changes { touches.noteModified(key, column) }

    let touched: [(segment: Int64, column: Int)] = [(0, 2), (1, 2), (1, 0), (0, 4)]
    for segment in Int64(0)...2 {
      for column in 0...5 {
        let isTouched = touched.contains { $0 == (segment, column) }
        #expect(touches.touches(segment, column) == isTouched, "\(segment), \(column)")
      }
      #expect(!touches.touchesRows(segment))
    }
    #expect(!touches.isEmpty)
  }

  @Test func `one change is touched`() {
    var touches = SegmentTouches()
    touches.noteModified(second, 3)
    #expect(!touches.isEmpty)
    #expect(touches.touches(1, 3))
    #expect(!touches.touches(1, 2) && !touches.touches(0, 3))
  }
}
