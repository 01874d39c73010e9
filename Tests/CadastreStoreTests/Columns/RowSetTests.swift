import CadastreStore
import CadastreTestSupport
import Testing

/// Property: a set of rows does what the standard library's set does.
@Suite struct RowSetTests {
  @Test(arguments: Seeds.usual(1...3))
  func `row sets agree with sets`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<120 {
      let limit = random.pick([0, 1, 63, 64, 65, 128, 700, 4096])
      let share = random.pick([1, 2, 10, 200])
      let first = Set((0..<limit).filter { _ in random.oneIn(share) })
      let second = Set((0..<random.pick([limit, 4096])).filter { _ in random.oneIn(3) })
      let (rows, others) = (RowSet(first.sorted()), RowSet(second.sorted()))
      #expect(Array(rows) == first.sorted(), "seed \(seed)")
      #expect(
        rows.count == first.count && rows.isEmpty == first.isEmpty && rows.last == first.max())
      #expect((0..<limit + 70).allSatisfy { rows.contains($0) == first.contains($0) })

      var found = rows
      found.formIntersection(others)
      #expect(Set(found) == first.intersection(second), "seed \(seed)")
      found = rows
      found.formUnion(others)
      #expect(Set(found) == first.union(second), "seed \(seed)")
      found = rows
      found.subtract(others)
      #expect(Set(found) == first.subtracting(second), "seed \(seed)")

      found = rows
      let count = random.below(limit + 2)
      let removed = found.removeFirst(count)
      #expect(Array(removed) == Array(first.sorted().prefix(count)), "seed \(seed)")
      #expect(Array(found) == Array(first.sorted().dropFirst(count)), "seed \(seed)")
    }
    #expect([0, 1, 64, 130].allSatisfy { Array(RowSet(below: $0)) == Array(0..<$0) })
  }

  @Test(arguments: Seeds.usual(4...5))
  func `filters of elements agree with filters of rows`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let limit = random.pick([1, 64, 100, 1000, 4096])
      let elements = (0..<limit).map { _ in UInt16(random.below(1000)) }
      // Each 64 rows have a density of their own.
      let shares = (0...limit / 64 + 2).map { _ in random.pick([1, 2, 9, 100]) }
      // Rows without an element do not pass.
      let first = Set((0..<limit + 100).filter { random.oneIn(shares[$0 / 64]) })
      let bound = UInt16(random.below(1100))
      let expected = first.filter { $0 < limit && elements[$0] <= bound }.sorted()
      var (dense, single) = (RowSet(first.sorted()), RowSet(first.sorted()))
      elements.withUnsafeBufferPointer { elements in dense.keep(elements) { $0 <= bound } }
      single.keep { $0 < limit && elements[$0] <= bound }
      #expect(Array(dense) == expected && Array(single) == expected, "seed \(seed)")
    }
  }
}
