import CadastreModel
import CadastreSQLite
package import Foundation

/// The recorded changes of a store, each with what is needed to undo it.
///
/// They are in the table `cadastre_history`, which the first recorded change creates. The oldest changes lose their
/// records when all are larger than a limit, and the oldest entries are removed beyond ``mostEntries``.
package enum StoreHistory {
  /// The name of the table.
  static let table = "cadastre_history"
  /// The maximum size of all records in bytes, unless a program chooses another.
  package static let defaultLimit = 64 << 20
  /// The maximum number of entries.
  static let mostEntries = 1000
  /// The maximum number of bytes of a description.
  private static let longestCommand = 4096

  /// A recorded change.
  package struct Entry: Hashable, Sendable {
    /// The number of the change.
    package let number: Int64
    /// When it was committed.
    package let date: Date
    /// What has made the change, such as a command line.
    package let command: String
    /// The numbers of objects by class, as text.
    package let summary: String
    /// The number of the change that this one has undone; nil for others.
    package let undoes: Int64?
    /// The number of the change that has undone this one; nil if it was not undone.
    package let undoneBy: Int64?
    /// The size of the record in bytes; nil where it is not kept, so that the change cannot be undone.
    package let bytes: Int?
    /// The version of the store before and after the change.
    let versions: ClosedRange<Int64>
  }

  /// A change to be recorded.
  package struct Description: Sendable {
    /// What makes the change.
    let command: String
    /// The maximum size of all records in bytes; 0 to record nothing.
    let limit: Int

    /// Creates a description.
    package init(command: String, limit: Int = defaultLimit) {
      self.command =
        command.utf8.count <= StoreHistory.longestCommand
        ? command
        : String(decoding: command.utf8.prefix(StoreHistory.longestCommand), as: UTF8.self) + "…"
      self.limit = limit
    }
  }

  /// The statement that creates the table, as SQLite keeps it.
  private static let definition =
    "CREATE TABLE \(table)(number INTEGER PRIMARY KEY, base INTEGER NOT NULL, version INTEGER NOT NULL, "
    + "time INTEGER NOT NULL, command TEXT NOT NULL, summary TEXT NOT NULL, undoes INTEGER, "
    + "undone_by INTEGER, moves BLOB NOT NULL, record BLOB)"

  /// Returns whether the table exists; nil if another program has made something else of this name.
  private static func exists(_ connection: Connection) throws(StoreError) -> Bool? {
    let rows = try connection.statement("SELECT type, sql FROM sqlite_schema WHERE name = ?")
    try rows.bind(.string(table), at: 1)
    defer { rows.reset() }
    guard try rows.step() else { return false }
    return rows.text(0) == "table" && rows.text(1) == definition ? true : nil
  }

  /// Returns the changes, the last first.
  ///
  /// - Throws: ``StoreError``, `corrupt` where another program has changed the table.
  static func entries(_ connection: Connection) throws(StoreError) -> [Entry] {
    guard let exists = try exists(connection) else {
      throw StoreError(
        .corrupt("another program has changed the table '\(table)'; drop it to begin a new one"),
        path: connection.path)
    }
    guard exists else { return [] }
    let rows = try connection.statement(
      """
      SELECT number, time, command, summary, undoes, undone_by, length(record), base, version
      FROM \(table) ORDER BY number DESC
      """)
    var entries: [Entry] = []
    while try rows.step() {
      let integer = { (column: Int) in rows.isNull(column) ? nil : rows.integer(column) }
      let (base, version) = (rows.integer(7), rows.integer(8))
      entries.append(
        Entry(
          number: rows.integer(0), date: Date(timeIntervalSince1970: Double(rows.integer(1))),
          command: rows.text(2), summary: rows.text(3), undoes: integer(4), undoneBy: integer(5),
          bytes: integer(6).map { Int($0) }, versions: min(base, version)...version))
    }
    return entries
  }

  /// Returns the record of a change; nil where it is not kept.
  static func record(
    _ number: Int64, _ connection: Connection
  ) throws(StoreError) -> ChangeRecord? {
    let rows = try connection.statement(
      "SELECT record FROM \(table) WHERE number = ? AND record IS NOT NULL")
    try rows.bind(.int(number), at: 1)
    defer { rows.reset() }
    guard try rows.step() else { return nil }
    do throws(InvalidChangeBytes) {
      return try ChangeRecord(rows.withBlobBytes(0) { Array($0) })
    } catch {
      throw StoreError(
        .corrupt("the record of change \(number) cannot be read"), path: connection.path)
    }
  }

  /// Returns the objects and classes that are known under other keys and names since a change.
  static func moves(
    _ number: Int64, _ connection: Connection
  ) throws(StoreError) -> [ChangeMove] {
    let rows = try connection.statement("SELECT moves FROM \(table) WHERE number = ?")
    try rows.bind(.int(number), at: 1)
    defer { rows.reset() }
    guard try rows.step() else { return [] }
    do throws(InvalidChangeBytes) {
      return try ChangeMove.moves(rows.withBlobBytes(0) { Array($0) })
    } catch {
      throw StoreError(
        .corrupt("the moved objects of change \(number) cannot be read"), path: connection.path)
    }
  }

  /// Adds a change, and removes the oldest records beyond the limit.
  ///
  /// - Returns: Whether its record is kept; false also where another program has changed the table.
  static func add(
    _ description: Description, _ record: ChangeRecord?, _ summary: String, undoing: Int64?,
    _ moves: [ChangeMove], from base: Int64, to version: Int64, on connection: Connection
  ) throws(StoreError) -> Bool {
    guard let exists = try exists(connection) else { return false }
    if !exists { try connection.run(definition) }
    let last = try connection.integer("SELECT max(number) FROM \(table)") ?? 0
    guard (0..<Int64.max).contains(last) else { return false }
    let number = last + 1
    let bytes = record.map(\.bytes).flatMap { $0.count <= description.limit ? $0 : nil }
    try connection.run(
      "INSERT INTO \(table) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, ?)", .int(number), .int(base),
      .int(version), .int(Int64(Date().timeIntervalSince1970)), .string(description.command),
      .string(summary), undoing.map(Value.int) ?? .null, .data(ChangeMove.bytes(moves)),
      bytes.map { .data(Data($0)) } ?? .null)
    if let undoing {
      try connection.run(
        "UPDATE \(table) SET undone_by = ? WHERE number = ?", .int(number), .int(undoing))
      // The undone change is in force again where its reversal is undone.
      try connection.run(
        """
        UPDATE \(table) SET undone_by = NULL
        WHERE number = (SELECT undoes FROM \(table) WHERE number = ?)
        """, .int(undoing))
    }
    guard description.limit > 0 else { return false }
    try connection.run(
      """
      UPDATE \(table) SET record = NULL WHERE record IS NOT NULL AND number <= (
        SELECT number FROM (SELECT number, sum(length(record)) OVER (ORDER BY number DESC) AS total
          FROM \(table)) WHERE total > ? ORDER BY number DESC LIMIT 1)
      """, .int(Int64(description.limit)))
    try connection.run(
      "DELETE FROM \(table) WHERE number <= ?", .int(number - Int64(mostEntries)))
    return bytes != nil
  }

  /// Makes a commit that has only stored columns a part of the change before it.
  static func extend(
    from base: Int64, to version: Int64, on connection: Connection
  ) throws(StoreError) {
    guard try exists(connection) == true else { return }
    try connection.run(
      "UPDATE \(table) SET version = ? WHERE version = ?", .int(version), .int(base))
  }
}

extension Snapshot {
  /// Returns the recorded changes, the last first.
  ///
  /// - Throws: ``StoreError``.
  package func recordedChanges() throws(StoreError) -> [StoreHistory.Entry] {
    try StoreHistory.entries(connection)
  }
}

extension WriteTransaction {
  /// Records what the transaction has changed, immediately before its commit.
  ///
  /// A change that exceeds the limit is listed, and cannot be undone. Nothing is recorded where nothing has changed.
  ///
  /// - Parameters:
  ///   - old: The version before the transaction.
  ///   - description: What makes the change.
  ///   - renames: The names that the transaction has changed, if it has changed nothing else.
  /// - Returns: Whether the change can be undone; true also where nothing has changed, or nothing is to be recorded.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(k log n) for k changed objects.
  package func recordChange(
    from old: Snapshot, _ description: StoreHistory.Description, renames: [SchemaRename] = []
  ) throws(StoreError) -> Bool {
    try recordChange(from: old, description, renames, undoing: nil, [])
  }

  /// Makes the commit of this transaction, which only stores columns, a part of the recorded change before it.
  func extendRecordedChange() throws(StoreError) {
    try write(.everything) { flushed throws(StoreError) in
      try StoreHistory.extend(from: versions.commit, to: version, on: flushed.connection)
    }
  }

  func recordChange(
    from old: Snapshot, _ description: StoreHistory.Description, _ renames: [SchemaRename],
    undoing: Int64?, _ moves: [ChangeMove]
  ) throws(StoreError) -> Bool {
    // An undoing is always listed, because later ones need to know it.
    guard description.limit > 0 || undoing != nil else { return true }
    return try write(.everything) { flushed throws(StoreError) in
      let changes = flushed.tables.changes
      guard !changes.isEmpty else { return true }
      var recorder = ChangeRecorder(flushed, from: old, limit: description.limit)
      let record = try recorder.record(renames)
      // Values may have been set to those that they had.
      if undoing == nil, record?.isEmpty == true { return true }
      let names = renames.compactMap { rename in
        if case .type(let from, let to) = rename {
          ChangeMove.type(from: from, to: to)
        } else {
          nil
        }
      }
      return try StoreHistory.add(
        description, record, record?.summary ?? changes.summary, undoing: undoing, moves + names,
        from: old.version, to: version, on: flushed.connection)
    }
  }
}

extension ChangeRecord {
  /// The numbers of objects by class, as text.
  var summary: String {
    var parts = renames.map { rename in
      switch rename {
      case .type(let from, let to): "class \(from) renamed \(to)"
      case .property(let className, let from, let to): "\(className).\(from) renamed \(to)"
      }
    }
    for changed in classes where changed.isChanged {
      let isEmbedded = (changed.before ?? changed.after)?.isEmbedded == true
      let verb =
        changed.before == nil ? "created" : changed.after == nil ? "removed" : "altered"
      parts.append("\(isEmbedded ? "embedded class" : "class") \(changed.name) \(verb)")
    }
    for changed in objects {
      // A property of all objects is in the definition of the class.
      let updated = Set(
        changed.updates.filter { !$0.compared.isEmpty && !$0.names.isEmpty }.flatMap {
          $0.rows.map(\.key)
        })
      parts += ChangeSummary.parts(
        changed.className, changed.inserted.count, updated.count, changed.deleted.count)
    }
    return parts.isEmpty ? "no objects" : parts.joined(separator: ", ")
  }
}

extension ChangeSet {
  /// The numbers of objects by class, as text.
  fileprivate var summary: String {
    let parts = classes.flatMap { className, changes in
      ChangeSummary.parts(
        className, changes.inserted.count, changes.modified.count, changes.deleted.count)
    }
    return parts.isEmpty ? "classes or indexes" : parts.joined(separator: ", ")
  }
}

/// The text of the numbers of changed objects.
private enum ChangeSummary {
  static func parts(
    _ className: String, _ inserted: Int, _ updated: Int, _ deleted: Int
  ) -> [String] {
    [(inserted, "added"), (updated, "changed"), (deleted, "deleted")].compactMap { count, verb in
      count == 0 ? nil : "\(count) of \(className) \(verb)"
    }
  }
}

/// An object or a class that is known under another key or name since a change.
enum ChangeMove: Hashable {
  /// An object that got another key when the undoing of a change restored it.
  case object(className: String, from: Int64, to: Int64)
  /// A class that got another name.
  case type(from: String, to: String)

  /// Returns the bytes of some moves.
  static func bytes(_ moves: [ChangeMove]) -> Data {
    var writer = ChangeByteWriter()
    writer.append(count: moves.count)
    for move in moves {
      switch move {
      case .object(let className, let from, let to):
        writer.append(true)
        writer.append(className)
        writer.append(signed: from)
        writer.append(signed: to)
      case .type(let from, let to):
        writer.append(false)
        writer.append(from)
        writer.append(to)
      }
    }
    return Data(writer.bytes)
  }

  /// Reads some moves.
  static func moves(_ bytes: [UInt8]) throws(InvalidChangeBytes) -> [ChangeMove] {
    var reader = ChangeByteReader(bytes[...])
    var moves: [ChangeMove] = []
    for _ in 0..<(try reader.count()) {
      if try reader.flag() {
        moves.append(
          .object(className: try reader.text(), from: try reader.signed(), to: try reader.signed()))
      } else {
        moves.append(.type(from: try reader.text(), to: try reader.text()))
      }
    }
    return moves
  }
}
