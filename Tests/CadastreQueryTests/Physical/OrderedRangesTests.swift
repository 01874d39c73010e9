import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing

@testable import CadastreQuery

/// The ranges of an index that conditions on its property allow.
@Suite struct OrderedRangesTests {
  private func ranges(_ path: String, _ text: String) throws -> OrderedRanges {
    let query = try ObjectQuery(
      "Boat", where: QueryPredicate(parsing: text),
      order: [SortKey(PropertyPath(path.split(separator: ".").map(String.init)))]
    ).bound(to: Boats.schema)
    return OrderedRanges(query.order[0].path, query.predicate.conjuncts)
  }

  private func range(
    from lower: Int64?, through upper: Int64?, includingLower: Bool = true,
    includingUpper: Bool = true
  ) -> ValueRange {
    ValueRange(
      lower: lower.map { ValueRange.Bound(.int($0), isIncluded: includingLower) },
      upper: upper.map { ValueRange.Bound(.int($0), isIncluded: includingUpper) })
  }

  @Test func `bounds become one range, and other conditions are left`() throws {
    let found = try ranges("crew", "crew > 3 AND name == 'a' AND crew <= 9")

    #expect(found.ranges == [range(from: 3, through: 9, includingLower: false)])
    #expect(found.decided == [0, 2] && found.nearlyDecided.isEmpty)
    #expect(!found.includesNull)
  }

  @Test func `without conditions all entries are allowed`() throws {
    for text in ["TRUEPREDICATE", "name == 'a'", "NOT crew == 3", "crew == 3 OR name == 'a'"] {
      let found = try ranges("crew", text)

      #expect(found.ranges == ValueRange.everything && found.decided.isEmpty, "\(text)")
      #expect(found.nearlyDecided.isEmpty && found.includesNull, "\(text)")
    }
  }

  @Test func `the page after a row begins at its value, which is tested`() throws {
    let found = try ranges("crew", "crew > 10 OR (crew == 10 AND id > 500)")

    #expect(found.ranges == [range(from: 10, through: nil)])
    #expect(found.decided.isEmpty && found.nearlyDecided == [0])
    #expect(found.undecidedValues == [.exactly(.int(10))])
  }

  @Test func `a part of a disjunction that decides its values makes others needless`() throws {
    let found = try ranges("crew", "crew >= 10 OR (crew == 12 AND id > 500)")

    #expect(found.ranges == [range(from: 10, through: nil)])
    #expect(found.decided == [0])
  }

  @Test func `a disjunction of ranges with other conditions is tested`() throws {
    let found = try ranges("crew", "(crew < 3 AND id > 5) OR crew > 8")

    #expect(
      found.ranges == [
        range(from: nil, through: 3, includingUpper: false),
        range(from: 8, through: nil, includingLower: false),
      ])
    #expect(found.decided.isEmpty && found.nearlyDecided.isEmpty)
  }

  @Test func `null is a range of its own`() throws {
    let missing = try ranges("built", "built == null OR built > 1970-01-01@0:0:10")
    let text = try ranges("name", "name < 'b'")

    #expect(missing.ranges.first == .exactly(.null) && missing.ranges.count == 2)
    #expect(missing.decided == [0] && missing.includesNull)
    #expect(text.ranges.first == .exactly(.null) && text.decided == [0])
  }

  @Test func `contradictions leave no range`() throws {
    #expect(try ranges("crew", "crew > 5 AND crew < 3").ranges == [])
    #expect(try ranges("draft", "draft == nan").ranges == [])
  }

  @Test func `long lists are left to other indexes`() throws {
    let list = (0..<500).map(String.init).joined(separator: ", ")

    #expect(try ranges("crew", "crew IN {\(list)}").ranges == ValueRange.everything)
  }
}
