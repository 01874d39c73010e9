import CadastreSQLite
import CadastreStore
import Foundation

/// The right results of ``DamageReading`` for the rows that a file contains, computed without its indexes.
struct PlainReading {
  private(set) var results: [String: [String]] = [:]

  private struct Row {
    let key: Int64
    let id: Int64
    let number: Int64
    let flag: Bool
    let name: String
    let words: String
    let latitude: Double?
  }

  init(_ path: String) throws {
    let connection = try OpenStores.store(at: path).snapshot().connection
    var rows: [Row] = []
    let statement = try connection.statement(
      """
      SELECT "#key", id, number, flag, name, words, "site.latitude" FROM Everything NOT INDEXED
      """)
    while try statement.step() {
      rows.append(
        Row(
          key: statement.integer(0), id: statement.integer(1), number: statement.integer(2),
          flag: statement.integer(3) != 0, name: statement.text(4), words: statement.text(5),
          latitude: statement.isNull(6) ? nil : statement.real(6)))
    }
    func ids(_ condition: (Row) -> Bool) -> [String] {
      rows.filter(condition).map { "\($0.id)" }.sorted()
    }
    results["count"] = ["\(rows.count)"]
    results["all"] = ids { _ in true }
    results["number"] = ids { $0.number > 40 }
    results["name"] = ids { ["name 31", "name 12"].contains($0.name) }
    results["flag"] = ids(\.flag)
    results["sum"] = ["\(rows.map(\.number).reduce(0, &+))"]
    results["sorted"] = rows.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    results["words"] = ids { $0.words.split(separator: " ").contains("word7") }
    // No latitude of the intact store is near the circle of 45 degrees.
    results["north"] = ids { ($0.latitude ?? -90) > 45 }
    results["lists"] = try rows.map { row in
      var numbers: [Int] = []
      let elements = try connection.statement(
        "SELECT value FROM \"Everything.numbers\" NOT INDEXED WHERE owner = \(row.key) ORDER BY position"
      )
      while try elements.step() { numbers.append(Int(elements.integer(0))) }
      let names = try connection.integer(
        "SELECT count(*) FROM \"Everything.names\" NOT INDEXED WHERE owner = \(row.key)")
      let prices = try connection.integer(
        "SELECT count(*) FROM \"Everything.prices\" NOT INDEXED WHERE owner = \(row.key)")
      return "\(row.id): \(numbers) \(names ?? 0) \(prices ?? 0)"
    }.sorted()
  }
}
