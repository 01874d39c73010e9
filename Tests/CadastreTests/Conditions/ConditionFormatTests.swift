@testable import Cadastre
import Foundation
import Testing

/// What conditions are written as.
@Suite struct ConditionFormatTests {
  private func expect(
    _ format: String, _ arguments: [AnyHashable], location: SourceLocation = #_sourceLocation,
    _ condition: (Query<Every>) -> Query<Bool>
  ) {
    let (text, found) = condition(Query<Every>._constructForTesting())._constructPredicate()
    #expect(text == format, sourceLocation: location)
    #expect(found.map { "\($0)" } == arguments.map { "\($0)" }, sourceLocation: location)
  }

  @Test func `comparisons, logic and texts`() {
    expect("(id == %@)", [3]) { $0.id == 3 }
    expect("((id > %@) && NOT (link.name CONTAINS[cd] %@))", [3, "x"]) {
      $0.id > 3 && !$0.link.name.contains("x", options: [.caseInsensitive, .diacriticInsensitive])
    }
    expect("((id == %@) || (id IN %@))", [1, [2, 3] as [Int]]) { $0.id == 1 || $0.id.in([2, 3]) }
    expect("(id BETWEEN {%@, %@})", [1, 4]) { $0.id.contains(1...4) }
    expect("((id >= %@) && (id < %@))", [1, 4]) { $0.id.contains(1..<4) }
    expect("(link == %@)", [NSNull()]) { $0.link == nil }
    expect("(grade == %@)", ["low"]) { $0.grade == .low }
  }

  @Test func `collections, maps and subqueries`() {
    expect("(ANY ints == %@)", [3]) { $0.ints == 3 }
    expect("(ANY links.rank > %@)", [3]) { $0.links.rank > 3 }
    expect("(ints.@count > %@)", [0]) { $0.ints.count > 0 }
    expect("((ints.@min >= %@) && (ints.@max <= %@))", [1, 2]) { $0.ints.contains(1...2) }
    expect("(links.@avg.rank == %@)", [1]) { $0.links.rank.avg == 1 }
    expect("(ANY intMap.@allKeys BEGINSWITH %@)", ["k"]) { $0.intMap.keys.starts(with: "k") }
    expect("(intMap[%@] == %@)", ["k", 1]) { $0.intMap["k"] == 1 }
    expect("(#any[%@][%@][%K] == %@)", ["k", 0, "#any", 1]) { $0.any["k"][0].any == .int(1) }
    expect(
      "(SUBQUERY(links, $col1, (($col1.rank > %@) && ($col1.name == %@))).@count > %@)",
      [1, "bob", 0]
    ) { ($0.links.rank > 1 && $0.links.name == "bob").count > 0 }
    expect(
      "((SUBQUERY(links, $col1, ($col1.rank > %@)).@count > %@) || "
        + "(SUBQUERY(linkSet, $col2, ($col2.rank > %@)).@count > %@))", [1, 2, 3, 4]
    ) { ($0.links.rank > 1).count > 2 || ($0.linkSet.rank > 3).count > 4 }
  }

  @Test func `a long chain is made and written`() throws {
    let condition = (0..<5000).reduce(Query<Every>().id == -1) { $0 || Query<Every>().id == $1 }
    #expect(condition._constructPredicate().1.count == 5001)
    let checks = try RandomEveries.checks(count: 3)
    #expect(try checks.matches { _ in condition } == [true, true, true])
  }

  @Test func `lists of embedded objects are queried`() throws {
    for every in try RandomEveries.checks(seed: 5).objects {
      #expect(
        every.knots.where { $0.text == "a" }.count == every.knots.count { $0.text == "a" })
    }
  }
}
