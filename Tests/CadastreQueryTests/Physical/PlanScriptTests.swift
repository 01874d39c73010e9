import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Plans as text.
///
/// A query is a class, a predicate, and optionally `ORDER`, `LIMIT` and `OFFSET`.
@Suite struct PlanScriptTests {
  /// A thousand boats, enough for indexes to be chosen; every fifth has no position.
  private static let boats: PlainObjects = {
    var objects = PlainObjects(schema: Boats.schema)
    for number in 0..<20 {
      objects.insert(
        "Harbor",
        [
          "code": .value(.string("H\(number)")), "name": .value(.string("Harbor \(number)")),
          "depth": .value(.double(Double(number))), "site": Boats.point(Double(number), 50),
        ])
    }
    for number in 0..<1000 {
      var boat: PlainObject = [
        "id": .value(.int(Int64(number))), "name": .value(.string("boat \(number % 100)")),
        "log": .value(.string("")), "crew": .value(.int(Int64(number % 50))),
        "draft": .value(.double(Double(number) / 100)),
        "active": .value(.bool(number.isMultiple(of: 2))),
        "key": .value(.objectId(ObjectId())),
        "built": .value(.date(Timestamp(seconds: Int64(number) * 86_400))),
        "berth": .value(.link(ObjectKey(Int64(number % 20) + 1))),
        "engine": .embedded([
          "maker": .value(.string("maker \(number % 10)")), "torque": .value(.double(1)),
        ]),
      ]
      if !number.isMultiple(of: 5) {
        boat["place"] = Boats.point(Double(number % 36) * 10 - 180, Double(number % 17) * 10 - 80)
      }
      objects.insert("Boat", boat)
    }
    return objects
  }()

  @Test(arguments: [
    "plans/indexes.script", "plans/orders.script", "plans/regions.script", "plans/rules.script",
    "plans/several.script",
  ])
  func `plans are as recorded, and indexes and scans agree`(script: String) throws {
    let snapshot = try TestStore.temporary(holding: Self.boats).snapshot()
    let oracle = ScanOracle(Self.boats)
    let differences = try ScriptRunner(script).run { text in
      let query = try Self.query(text)
      let plan = Planner(StoreCatalog(snapshot)).plan(query)
      let scan = Planner(StoreCatalog(snapshot), options: .withoutIndexes).plan(query)
      let found = try Executor(snapshot).keys(plan).keys
      #expect(try Executor(snapshot).keys(scan).keys == found, "\(text)")
      #expect(try oracle.keys(query) == found, "\(text)")
      #expect(try Executor(snapshot).count(plan).count == found.count, "\(text)")
      return "\(PlanText(plan).text())\nfinds \(found.count)"
    }
    for difference in differences { Issue.record("\(difference)") }
  }

  /// Parses a query such as `Boat crew == 3 ORDER crew, name DESC LIMIT 3 OFFSET 1`.
  static func query(_ text: String) throws -> BoundQuery {
    let text = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: " ")
    var rest = text[...]
    func take(_ word: String) -> Substring? {
      guard let range = rest.range(of: " \(word) ") else { return nil }
      defer { rest = rest[..<range.lowerBound] }
      return rest[range.upperBound...]
    }
    let offset = take("OFFSET").flatMap { Int($0) } ?? 0
    let limit = take("LIMIT").flatMap { Int($0) }
    let order = (take("ORDER") ?? "").split(separator: ",").map { key in
      let words = key.split(separator: " ")
      return SortKey(PropertyPath(String(words[0])), isAscending: words.count == 1)
    }
    let className = String(rest.prefix { $0 != " " })
    return try ObjectQuery(
      className, where: QueryPredicate(parsing: String(rest.dropFirst(className.count))),
      order: order, offset: offset, limit: limit
    ).boundWithAnyOrder(to: Boats.schema)
  }
}
