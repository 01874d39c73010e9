import CadastreModel
import CadastreSQLite
import Foundation

/// An upgrade of a store of an earlier format to the current one.
///
/// Format 2 stores a date between 1677 and 2262 as the nanoseconds with the fewest digits that convert to the
/// same date. Format 1 stored the nearest nanoseconds, so that `.1` and the nearest `Date` were different
/// values.
struct StoreUpgrade {
  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  /// Upgrades the store in one transaction.
  ///
  /// The caller has the write lock, and has checked that no other process has the store open.
  ///
  /// - Throws: ``StoreError``; the store is unchanged then.
  /// - Complexity: O(n) in the number of rows of classes with dates or with values of any type.
  func run() throws(StoreError) {
    try connection.inWriteTransaction { () throws(StoreError) in
      let version = try StoreVersions(reading: connection).catalogue
      for table in try Catalogue.read(from: connection, version: version).tables {
        try rewriteDates(table.tableName, table.columns, key: [TableLayout.keyName])
        for collection in table.collections {
          let slot = CollectionLayout.slotName(collection.kind)
          let key = collection.kind == .set ? [slot] : [CollectionLayout.ownerName, slot]
          try rewriteDates(collection.tableName, [collection.element], key: key)
        }
      }
      try connection.run("PRAGMA user_version = \(FileProbe.formatVersion)")
    }
    // The header of the file names its format, and `FileProbe` reads no log.
    try connection.checkpoint(truncating: true)
  }

  private func rewriteDates(
    _ table: String, _ columns: [Column], key: [String]
  ) throws(StoreError) {
    for column in columns where column.type == .date || column.type == .any {
      try rewriteDates(SQL.quoted(table), column, key.map { SQL.quoted($0) })
    }
  }

  /// Rewrites the values of one column, some thousand rows at a time.
  private func rewriteDates(
    _ table: String, _ column: Column, _ key: [String]
  ) throws(StoreError) {
    let keys = key.joined(separator: ", ")
    let placeholders = Array(repeating: "?", count: key.count).joined(separator: ", ")
    let isCandidate = Self.isCandidate(column)
    let sql =
      "SELECT \(keys), \(column.sqlNames.joined(separator: ", ")) FROM \(table) WHERE \(isCandidate)"
    // A set may contain the old and the new value.
    let update = try connection.statement(
      "UPDATE OR IGNORE \(table) SET \(column.sqlNames[0]) = ? WHERE (\(keys)) = (\(placeholders))")
    var last: [Value]?
    repeat {
      let rows = try connection.statement(
        sql + (last == nil ? "" : " AND (\(keys)) > (\(placeholders))")
          + " ORDER BY \(keys) LIMIT \(Self.batch)")
      for (index, value) in (last ?? []).enumerated() { try rows.bind(value, at: index + 1) }
      var changed: [(key: [Value], value: Value)] = []
      var count = 0
      while try rows.step() {
        count += 1
        last = key.indices.map {
          rows.storage($0) == .text ? .string(rows.text($0)) : .int(rows.integer($0))
        }
        let value = rows.value(key.count, as: column.type)
        let rewritten = Self.rewritten(value)
        if rewritten != value, let last { changed.append((last, rewritten)) }
      }
      for (key, value) in changed {
        try update.bind(column.type == .any ? MixedForm(value).value : value, at: 1)
        for (index, part) in key.enumerated() { try update.bind(part, at: index + 2) }
        try update.run()
      }
      if count < Self.batch { return }
    } while true
  }

  private static let batch = 4096

  /// Returns the condition of rows with dates that have a fraction.
  private static func isCandidate(_ column: Column) -> String {
    let name = column.sqlNames[0]
    let fraction =
      "typeof(\(name)) = 'integer' AND \(name) % \(Timestamp.nanosecondsPerSecond) <> 0"
    guard column.type == .any else { return fraction }
    let type = column.sqlNames[1]
    return "(\(type) = '\(PropertyType.date)' AND \(fraction) OR \(type) IN "
      + "('\(MixedForm.listName)', '\(MixedForm.mapName)') AND instr(\(name), '\"$date\"') > 0)"
  }

  /// Returns a value of format 1 in the current format.
  private static func rewritten(_ value: Value) -> Value {
    switch value {
    case .date(let timestamp):
      // Format 1 rounded the fraction of a date to the nearest nanosecond.
      let interval = timestamp.date.timeIntervalSinceReferenceDate
      let fraction = ((interval - interval.rounded(.down)) * 1e9).rounded()
      return Int64(fraction) == Int64(timestamp.nanoseconds)
        ? .date(Timestamp(timestamp.date)) : value
    case .list(let values): return .list(values.map(rewritten))
    case .map(let map):
      return .map(ValueMap(map.entries.map { ($0.key, rewritten($0.value)) }))
    default: return value
    }
  }
}
