import CadastreModel
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation

/// All rows and indexes of a store as SQLite reads them, for comparing two states of a store.
///
/// Numbers of commits and times are left out: a repeated workload has other ones.
struct StoreContent: Hashable {
  /// The definitions and the rows, one text each, in order.
  let lines: [String]
  /// The number of rows of each table, which does not depend on keys that are given again.
  let counts: [String: Int]

  /// Columns with numbers of commits and times, for each table that has some.
  private static let unstable: [String: Set<String>] = [
    "cadastre_state": ["commit_version", "catalogue_version", "segment_version"],
    "cadastre_history": ["base", "version", "time"],
  ]

  /// Reads a store; nil where there is none, or where its creation was interrupted.
  ///
  /// - Throws: ``StoreError`` where the store cannot be read.
  init?(of path: String) throws {
    guard let snapshot = try Self.snapshot(of: path) else { return nil }
    try self.init(snapshot.connection)
  }

  /// Reads what a connection sees.
  init(_ connection: Connection) throws {
    var lines: [String] = []
    var counts: [String: Int] = [:]
    var tables: [String] = []
    let objects = try connection.statement(
      "SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY name")
    while try objects.step() {
      let name = objects.text(1)
      // Stored columns are derived from the rows, and a check compares them. They add a column to the counters.
      if name.hasPrefix("cadastre_segment") { continue }
      let isCounters = name == "cadastre_state"
      lines.append(objects.text(0) + " " + name + " " + (isCounters ? "" : objects.text(2)))
      let isDerived = ["rtree_", "fts_", "sqlite_"].contains(where: name.hasPrefix)
      if objects.text(0) == "table", !isDerived { tables.append(name) }
    }
    for table in tables {
      var rows: [String] = []
      let unstable = Self.unstable[table, default: []]
      let statement = try connection.statement("SELECT * FROM \(SQL.quoted(table)) NOT INDEXED")
      while try statement.step() {
        rows.append(
          (0..<statement.columnCount).compactMap { column in
            unstable.contains(statement.columnName(column)) ? nil : Self.text(statement, column)
          }.joined(separator: "|"))
      }
      lines += rows.sorted().map { table + ": " + $0 }
      counts[table] = rows.count
    }
    self.lines = lines
    self.counts = counts
  }

  private static func text(_ statement: Statement, _ column: Int) -> String {
    switch statement.storage(column) {
    case .null: "null"
    case .integer: "\(statement.integer(column))"
    case .real: "\(statement.real(column).bitPattern)"
    case .text: "'" + statement.text(column) + "'"
    case .blob: statement.withBlobBytes(column) { Data($0).base64EncodedString() }
    }
  }

  /// The first lines that only one of two contents has.
  func difference(from other: StoreContent) -> String {
    let (own, others) = (Set(lines), Set(other.lines))
    let added = own.subtracting(others).sorted().prefix(2).map { "+ " + $0.prefix(160) }
    let removed = others.subtracting(own).sorted().prefix(2).map { "- " + $0.prefix(160) }
    return (added + removed).joined(separator: "; ")
  }
}

extension StoreContent {
  /// The problems that the check of a store finds.
  static func problems(of path: String) throws -> [String] {
    try snapshot(of: path).map { try StoreCheck($0).problems() } ?? []
  }

  /// Opens a store; nil where there is none, or where its creation was interrupted.
  private static func snapshot(of path: String) throws -> Snapshot? {
    do throws(StoreError) {
      return try OpenStores.readableStore(at: path).snapshot()
    } catch {
      guard error.reason == .fileNotFound else { throw error }
      return nil
    }
  }
}
