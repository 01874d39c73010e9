import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation

/// Measures parsing, binding and planning of predicates, compared with SQLite's preparation of SQL.
@main enum PredicateBenchmark {
  static func main() throws {
    print(line("", ["bytes", "MB/s", "parse", "bind", "plan", "all", "SQLite", "ratio"]))
    guard let boat = Fleet.schema["Boat"] else { return }
    let snapshot = try TestStore.temporary(holding: Fleet.examples).snapshot()
    let planner = Planner(StoreCatalog(snapshot))
    let peer = PeerDatabase()
    for query in PredicateQuery.all {
      let parsed = try QueryPredicate(parsing: query.text)
      let bound = try parsed.bound(to: Fleet.schema, root: boat)
      if let problem = peer.prepare(query.sql) { print("SQLite: \(problem)") }
      let bytes = query.text.utf8.count
      let parse = try microseconds { _ = try QueryPredicate(parsing: query.text) }
      let bind = try microseconds { _ = try parsed.bound(to: Fleet.schema, root: boat) }
      let plan = microseconds { _ = planner.plan(BoundQuery("Boat", where: bound)) }
      let prepare = microseconds { _ = peer.prepare(query.sql) }
      let all = parse + bind + plan
      print(
        line(
          query.name,
          ["\(bytes)"] + [Double(bytes) / parse, parse, bind, plan, all, prepare].map(digits)
            + [String(format: "%.2f", all / prepare)]))
    }
  }

  /// Returns the median microseconds of a closure over 15 rounds of at least 10 ms each.
  private static func microseconds(_ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    func time(_ count: Int) throws -> Double {
      let time = try clock.measure { for _ in 0..<count { try body() } }.components
      return (Double(time.seconds) * 1e6 + Double(time.attoseconds) / 1e12) / Double(count)
    }
    let count = max(1, Int(10_000 / max(0.1, try time(3))))
    return try (0..<15).map { _ in try time(count) }.sorted()[7]
  }

  private static func digits(_ number: Double) -> String {
    String(format: number < 100 ? "%.1f" : "%.0f", number)
  }

  private static func line(_ name: String, _ columns: [String]) -> String {
    columns.reduce(name.padding(toLength: 34, withPad: " ", startingAt: 0)) { line, text in
      line + String(repeating: " ", count: max(1, 9 - text.count)) + text
    }
  }
}
