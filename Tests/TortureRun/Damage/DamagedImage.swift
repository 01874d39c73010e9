import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation

/// A damaged copy of a store, as a function of a seed.
struct DamagedImage {
  /// What was done to the store.
  let description: String
  /// Whether SQLite changed rows with their indexes, so that the store is consistent with other values.
  let isEdit: Bool

  private static let pageSize = 4096

  /// Copies the intact stores and damages the copy.
  ///
  /// - Parameters:
  ///   - intact: A folder with `store.cadastre`, the same store with a log as `logged.cadastre`, and another
  ///     store `other.cadastre`.
  ///   - folder: The folder of the image, which gets `store.cadastre`.
  ///   - random: The seed's random numbers.
  /// - Throws: ``StoreError`` or the error of a file.
  init(from intact: String, in folder: String, _ random: inout SeededGenerator) throws {
    let path = folder + "/store.cadastre"
    let kind = random.below(12)
    if kind >= 10 {
      description = try Self.addLog(intact, path, kind == 10, &random)
      isEdit = false
      return
    }
    var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: intact + "/store.cadastre")))
    isEdit = kind >= 7
    guard !isEdit else {
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      description = try Self.edit(path, &random)
      return
    }
    description = Self.damage(&bytes, kind, &random)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private static func damage(
    _ bytes: inout [UInt8], _ kind: Int, _ random: inout SeededGenerator
  ) -> String {
    let pages = bytes.count / pageSize
    switch kind {
    case 0:
      let (offset, bit) = (random.below(bytes.count), random.below(8))
      bytes[offset] ^= 1 << UInt8(bit)
      return "bit \(bit) of byte \(offset)"
    case 1, 2:
      let count = random.pick([1, 2, 5, 20])
      for _ in 0..<count { random.damage(&bytes) }
      return "\(count) changes of bytes"
    case 3:
      let (first, second) = (random.below(pages), random.below(pages))
      for offset in 0..<pageSize {
        bytes.swapAt(first * pageSize + offset, second * pageSize + offset)
      }
      return "pages \(first) and \(second) swapped"
    case 4:
      let (source, target) = (random.below(pages), random.below(pages))
      let page =
        random.oneIn(3)
        ? [UInt8](repeating: 0, count: pageSize)
        : Array(bytes[source * pageSize..<(source + 1) * pageSize])
      bytes.replaceSubrange(target * pageSize..<(target + 1) * pageSize, with: page)
      return "page \(target) replaced by page \(source) or zeros"
    case 5:
      let size = random.oneIn(2) ? random.below(pages) * pageSize : random.below(bytes.count)
      bytes.removeLast(bytes.count - size)
      return "cut to \(size) bytes"
    default:
      // The header and the pointers of a page's cells.
      let page = random.below(pages)
      for _ in 0..<random.pick([1, 2, 4]) {
        let offset = page * pageSize + (page == 0 ? 100 : 0) + random.below(60)
        bytes[offset] =
          random.oneIn(2) ? UInt8(random.below(256)) : random.pick([0, 1, 0x7F, 0xFF])
      }
      return "header of page \(page)"
    }
  }

  // MARK: Values

  /// Changes values or removes rows by SQL, in tables of the catalogue, of classes and of indexes.
  private static func edit(_ path: String, _ random: inout SeededGenerator) throws -> String {
    let connection = try Connection(path: path, mode: .readWrite)
    var tables: [String] = []
    let names = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' "
        + "AND name NOT LIKE 'sqlite_%' ORDER BY name")
    while try names.step() { tables.append(names.text(0)) }
    let table =
      random.oneIn(3)
      ? random.pick(tables.filter { $0.hasPrefix("cadastre_") })
      : random.pick(tables)
    let name = SQL.quoted(table)
    let columns = try connection.statement("SELECT * FROM \(name) LIMIT 1")
    let column = SQL.quoted(columns.columnName(random.below(columns.columnCount)))
    columns.reset()
    let rows = try connection.integer("SELECT count(*) FROM \(name)") ?? 0
    let row = random.below(max(1, Int(rows)))
    let value = value(&random)
    let selection = "WHERE rowid IN (SELECT rowid FROM \(name) LIMIT 1 OFFSET \(row))"
    let keyed = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = '\(table)' AND sql LIKE '%WITHOUT ROWID%'")
    let condition = keyed == 0 && !random.oneIn(8) ? selection : ""
    let sql =
      random.oneIn(6)
      ? "DELETE FROM \(name) \(condition)"
      : "UPDATE OR IGNORE \(name) SET \(column) = \(value) \(condition)"
    try connection.withWritableShadowTables { () throws(StoreError) in
      // SQLite refuses some values of keys.
      try? connection.runUncached(sql)
    }
    return sql
  }

  private static func value(_ random: inout SeededGenerator) -> String {
    random.pick([
      "NULL", "0", "1", "-1", "7", "9223372036854775807", "-9223372036854775808", "1e300", "0.5",
      "''", "'x'", "'Everything'", "'number'", "x'00'", "x'ffffffffffffffff'", "zeroblob(3000)",
      "-9e999", "'list'", "'geometry'", "2147483648", "'int'", "hex(randomblob(400))",
    ])
  }

  // MARK: Logs and journals

  /// Adds a damaged or foreign log or journal.
  private static func addLog(
    _ intact: String, _ path: String, _ isLog: Bool, _ random: inout SeededGenerator
  ) throws -> String {
    func read(_ name: String) throws -> [UInt8] {
      try [UInt8](Data(contentsOf: URL(fileURLWithPath: intact + "/" + name)))
    }
    func write(_ bytes: [UInt8], _ suffix: String) throws {
      try Data(bytes).write(to: URL(fileURLWithPath: path + suffix))
    }
    if isLog {
      let isForeign = random.oneIn(3)
      try write(try read(random.oneIn(4) ? "store.cadastre" : "logged.cadastre"), "")
      var log = try read(isForeign ? "other.cadastre-wal" : "logged.cadastre-wal")
      let count = random.pick([0, 1, 3, 30])
      for _ in 0..<count { random.damage(&log) }
      if random.oneIn(4) { log.removeLast(random.below(log.count)) }
      try write(log, "-wal")
      return "\(isForeign ? "foreign" : "own") log with \(count) changes, \(log.count) bytes"
    }
    try write(try read("store.cadastre"), "")
    // The magic of a journal, then anything.
    let pages = UInt8(random.below(6))
    var journal: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7, 0, 0, 0, pages]
    for _ in 0..<random.below(20_000) { journal.append(UInt8(random.below(256))) }
    if random.oneIn(2), journal.count > 28 {
      journal.replaceSubrange(
        16..<28, with: [0, 0, 0, UInt8(random.below(90)), 0, 0, 2, 0, 0, 0, 0x10, 0])
    }
    try write(journal, "-journal")
    return "journal of \(journal.count) bytes"
  }
}
