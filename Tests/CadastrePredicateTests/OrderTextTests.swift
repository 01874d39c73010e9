import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// Orders with collations and positions of null, as text and by their keys.
@Suite struct OrderTextTests {
  @Test(arguments: [
    "TRUEPREDICATE SORT(name ASC[c])", "TRUEPREDICATE SORT(name DESC[cdn] NULLS LAST)",
    "TRUEPREDICATE SORT(crew ASC NULLS FIRST, name ASC[localized], draft DESC NULLS LAST)",
    "TRUEPREDICATE SORT(name ASC[dn] NULLS FIRST) DISTINCT(name, crew) LIMIT(3)",
  ]) func `an order is printed as text that reads back`(text: String) throws {
    let parsed = try QueryText(parsing: text)
    #expect(parsed.description == text)
    #expect(try QueryText(parsing: parsed.description) == parsed)
    let root = try #require(Boats.schema["Boat"])
    #expect(try parsed.bound(to: Boats.schema, root: root).orderings == parsed.orderings)
  }

  @Test func `letters may be in any case and order`() throws {
    let text = try QueryText(
      parsing: "TRUEPREDICATE SORT(name asc[NC] nulls last, crew DESC[Localized])")
    #expect(
      text.orderings == [
        .sort([
          SortTerm(PropertyPath("name"), collation: [.caseInsensitive, .numeric], nulls: .last),
          SortTerm(PropertyPath("crew"), isAscending: false, collation: .localized),
        ])
      ])
  }

  @Test(arguments: [
    (
      "SORT(name ASC[x])",
      "expected [c], [d], [n], several of these letters, or [localized], found [x]"
    ),
    ("SORT(name ASC[])", "expected [c], [d] or [cd]"),
    ("SORT(name ASC NULLS)", "expected FIRST or LAST, found ')'"),
    ("SORT(name ASC NULLS MIDDLE)", "expected FIRST or LAST, found 'MIDDLE'"),
    ("SORT(crew ASC[c])", "Cannot sort on key path 'crew' with [c], which applies to strings"),
    ("SORT(name ASC [c] DESC)", "expected ',' or ')'"),
  ]) func `a mistake is named`(text: String, message: String) throws {
    let root = try #require(Boats.schema["Boat"])
    let error = #expect(throws: QueryPredicateError.self, "\(text)") {
      _ = try QueryText(parsing: "TRUEPREDICATE \(text)").bound(to: Boats.schema, root: root)
    }
    #expect(error?.message.contains(message) == true, "\(text): \(error?.message ?? "")")
  }

  @Test func `localized excludes other options`() throws {
    let key = SortKey(
      PropertyPath("name"), isAscending: true, collation: [.localized, .numeric], nulls: nil)
    let error = #expect(throws: QueryPredicateError.self) {
      _ = try ObjectQuery("Boat", order: [key]).bound(to: Boats.schema)
    }
    #expect(error?.message.contains("[localized] takes no other options") == true)
  }

  @Test func `the usual place of null is none`() throws {
    func nulls(_ path: String, _ isAscending: Bool, _ nulls: NullOrder) throws -> NullOrder? {
      let key = SortKey(
        PropertyPath(path), isAscending: isAscending, collation: [], nulls: nulls)
      return try ObjectQuery("Boat", order: [key]).bound(to: Boats.schema).order[0].nulls
    }
    #expect(try nulls("name", true, .first) == nil && nulls("name", false, .last) == nil)
    #expect(try nulls("name", true, .last) == .last && nulls("name", false, .first) == .first)
    #expect(try nulls("crew", true, .last) == nil, "it is never null")
    // Without the option, values behind a null link are at the other end than null.
    #expect(try nulls("berth.name", true, .first) == .first)
  }

  @Test func `numbers in texts`() {
    let order = ExpectedOrder(isAscending: true, collation: .numeric, nulls: nil)
    let texts = [
      "file2", "file10", "file", "file02", "file2a", "10", "9", "", "a1b2", "a1b10", "a01b3",
      "file ",
      "7:00", "07:30", "filE3", "9999999999999999999999", "10000000000000000000000", "x٣", "x2",
    ]
    for first in texts where first.count < 15 {
      for second in texts where second.count < 15 {
        let keys = [first, second].map { Collation.numeric.key(of: .string($0)) }
        let isLess = Collation.numeric.ordering(keys[0], keys[1]) == .ascending
        #expect(
          isLess == order.precedes(.string(first), .string(second)), "'\(first)', '\(second)'")
      }
    }
    let large = texts.filter { $0.count > 15 }.map { Collation.numeric.key(of: .string($0)) }
    #expect(Collation.numeric.ordering(large[0], large[1]) == .ascending)
  }
}
