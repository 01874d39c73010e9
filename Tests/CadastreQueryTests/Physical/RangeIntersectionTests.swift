import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// What two sets of ranges of an index have in common, and what one of them has.
@Suite struct RangeIntersectionTests {
  /// Ranges that lie apart, in any order.
  private func ranges(_ random: inout SeededGenerator) -> [ValueRange] {
    var found: [ValueRange] = Bool.random(using: &random) ? [.exactly(.null)] : []
    var start = Int64.random(in: -2...3, using: &random)
    while start < 20, Int.random(in: 0...5, using: &random) > 0 {
      let end = start + Int64.random(in: 0...4, using: &random)
      let isSingle = start == end
      func bound(_ value: Int64) -> ValueRange.Bound {
        ValueRange.Bound(.int(value), isIncluded: isSingle || Bool.random(using: &random))
      }
      found.append(
        ValueRange(
          lower: start < 0 ? nil : bound(start),
          upper: end > 18 ? nil : bound(end)))
      if end > 18 { break }
      start = end + 1 + Int64.random(in: 0...2, using: &random)
    }
    return found.filter { !$0.isEmpty }.shuffled(using: &random)
  }

  private func holds(_ ranges: [ValueRange], _ value: Value) -> Bool {
    ranges.contains { !$0.intersection(.exactly(value)).isEmpty }
  }

  @Test(arguments: Seeds.usual(1...200)) func `they have what both have`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (first, second) = (ranges(&random), ranges(&random))
    let common = IndexSearchSource.intersection(first, second)
    for value in [Value.null] + (-1...22).map({ Value.double(Double($0)) })
      + (-1...22).map({ Value.double(Double($0) + 0.5) })
    {
      #expect(
        holds(common, value) == (holds(first, value) && holds(second, value)),
        "\(value) in \(first) and \(second), seed \(seed)")
    }
    #expect(common.count <= first.count + second.count)
  }

  @Test(arguments: Seeds.usual(1...200)) func `their union has what either has`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (first, second) = (ranges(&random), ranges(&random))
    let union = IndexSearchSource.union(first, second)
    for value in [Value.null] + (-1...22).map({ Value.double(Double($0)) })
      + (-1...22).map({ Value.double(Double($0) + 0.5) })
    {
      let count = union.count { !$0.intersection(.exactly(value)).isEmpty }
      #expect(
        count == (holds(first, value) || holds(second, value) ? 1 : 0),
        "\(value) in \(first) and \(second), seed \(seed)")
    }
    #expect(IndexSearchSource.intersection(union, [.exactly(.null), ValueRange()]) == union)
  }

  @Test func `ranges that touch become one`() {
    let five = ValueRange.Bound(.int(5), isIncluded: true)
    let above = ValueRange(lower: ValueRange.Bound(.int(5), isIncluded: false))
    let below = ValueRange(upper: ValueRange.Bound(.int(5), isIncluded: false))

    #expect(IndexSearchSource.union([above], [.exactly(.int(5))]) == [ValueRange(lower: five)])
    #expect(IndexSearchSource.union([above], [below]) == [below, above])
    #expect(
      IndexSearchSource.union([above, .exactly(.null)], [below, .exactly(.int(5))])
        == ValueRange.everything)
  }

  @Test func `thousands meet thousands`() {
    func values(_ step: Int64) -> [ValueRange] { (0..<20_000).map { .exactly(.int($0 * step)) } }
    #expect(IndexSearchSource.intersection(values(2), values(3)).count == 6667)
  }
}
