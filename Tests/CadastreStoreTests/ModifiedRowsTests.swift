import CadastreTestSupport
import Testing

@testable import CadastreStore

/// Modified rows, compared with a dictionary.
struct ModifiedRowsTests {
  /// Adds and removes rows; mostly ascending keys, then any.
  @Test(arguments: Seeds.usual(1...40)) func `rows are those of a dictionary`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // More sets of columns than those that share their storage, for some seeds.
    let columnCount = seed.isMultiple(of: 4) ? 9 : 2
    var rows = ModifiedRows()
    var expected: [Int64: Set<Int>] = [:]
    var next: Int64 = 0
    for _ in 0..<Int.random(in: 0..<400, using: &random) {
      let key: Int64
      switch Int.random(in: 0..<10, using: &random) {
      case 0: key = Int64.random(in: -5...60, using: &random)
      case 1...3: key = next
      default:
        next += Int64.random(in: 1...3, using: &random)
        key = next
      }
      if Int.random(in: 0..<12, using: &random) == 0 {
        rows.remove(key)
        expected[key] = nil
      } else {
        let column = Int.random(in: 0..<columnCount, using: &random)
        rows.insert(column, of: key)
        expected[key, default: []].insert(column)
      }
    }
    #expect(rows.count == expected.count && rows.isEmpty == expected.isEmpty, "seed \(seed)")
    for key in -6...(next + 1) { #expect(rows[key] == expected[key], "seed \(seed), key \(key)") }
    let listed = Dictionary(rows.map { ($0.key, $0.columns) }) { $1.union([-1]).union($0) }
    #expect(listed == expected, "seed \(seed)")

    var inAnotherOrder = ModifiedRows()
    for (key, columns) in expected { inAnotherOrder.insert(columns, of: key) }
    #expect(rows == inAnotherOrder && rows.hashValue == inAnotherOrder.hashValue, "seed \(seed)")
    inAnotherOrder.insert(100, of: 0)
    #expect(rows != inAnotherOrder, "seed \(seed)")
  }
}
