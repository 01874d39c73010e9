import CadastreModel
import CadastrePredicate
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Testing

@testable import CadastreDatasets

/// Queries of the command line and the server that differ in their arguments.
@Suite struct RepeatedQueryTests {
  private static let texts = [
    "id == $0 AND crew >= $1", "crew == $0 OR id == $1", "NOT (crew < $0) AND draft > $1",
    "id IN {$0, $1} AND active == true", "berth.depth > $0 AND crew > $1",
    "name == 'a' AND id > $0",
    "id BETWEEN {$0, $1}", "draft > $0 AND crew != $1",
  ]

  @Test(arguments: Seeds.usual(231...232))
  func `repeated queries of a store agree with scans`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try TestStore.temporary(holding: random.fleet(harbors: 20, boats: 200))
    let snapshot = try file.snapshot()
    for text in Self.texts {
      for _ in 0..<12 {
        let arguments = (0..<2).map { _ -> PredicateArgument in
          let value =
            random.oneIn(4)
            ? Value.double(random.pick([.nan, 2.5, -1, 1e300])) : .int(Int64(random.below(200)))
          return .value(value)
        }
        let limit = random.oneIn(3) ? random.below(5) : nil
        func query(usesIndexes: Bool) throws -> StoreQuery {
          try StoreQuery(
            snapshot, className: "Boat", predicate: text, arguments: arguments, limit: limit,
            usesIndexes: usesIndexes)
        }
        let expected = Result { try query(usesIndexes: false).keys() }
        let found = Result { try query(usesIndexes: true).keys() }
        switch (found, expected) {
        case (.success(let found), .success(let expected)):
          #expect(found == expected, "seed \(seed): \(text), \(arguments)")
          #expect(try query(usesIndexes: true).count() == expected.count, "seed \(seed): \(text)")
        case (.failure(let found), .failure(let expected)):
          #expect("\(found)" == "\(expected)", "seed \(seed): \(text), \(arguments)")
        default: Issue.record("seed \(seed): \(text), \(arguments): \(found), expected \(expected)")
        }
      }
    }
  }

  @Test func `a repeated look-up by the primary key runs one statement`() throws {
    var random = SeededGenerator(seed: 9)
    let file = try TestStore.temporary(holding: random.fleet(harbors: 5, boats: 200))
    for id in 0..<5 {
      // Requests of the server open a snapshot each.
      let snapshot = try file.snapshot()
      let query = try StoreQuery(
        snapshot, className: "Boat", predicate: "id == $0 AND crew > $1",
        arguments: [.value(.int(Int64(id))), .value(.int(-1_000_000))])
      let before = snapshot.connection.statementsRun
      _ = try query.count()
      if id > 0 { #expect(snapshot.connection.statementsRun - before == 1) }
    }
  }
}
