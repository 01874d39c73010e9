import CadastreModel
import CadastreSQLite
import Foundation

/// The difference of two versions, from a comparison of all rows, for commits of other processes.
struct SnapshotDifference {
  private let old: Snapshot
  private let new: Snapshot

  init(from old: Snapshot, to new: Snapshot) {
    self.old = old
    self.new = new
  }

  /// Returns the changes.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(n) for n rows.
  func changes() throws(StoreError) -> ChangeSet {
    var changes = ChangeSet(from: old.version, to: new.version)
    guard old.catalogue.version == new.catalogue.version else {
      changes.changesSchema = true
      return changes
    }
    for layout in new.catalogue.tables {
      var classChanges = ClassChanges(inserted: 0..<0)
      guard try compareRows(of: layout, &classChanges) else {
        // Everything is read again, as after a change of the schema.
        changes.changesSchema = true
        return changes
      }
      for collection in layout.collections { try compareElements(of: collection, &classChanges) }
      if !classChanges.isEmpty { changes.classes[layout.schema.className] = classChanges }
    }
    return changes
  }

  /// Returns the rows of a query in both versions.
  private func rows(
    of sql: String
  ) throws(StoreError) -> (before: Statement, after: Statement) {
    (try old.connection.statement(sql), try new.connection.statement(sql))
  }

  private func close(_ before: Statement, _ after: Statement) {
    before.reset()
    after.reset()
  }

  /// Compares the rows of a class.
  ///
  /// - Returns: False where too many rows between the new ones were inserted and deleted.
  private func compareRows(
    of layout: TableLayout, _ changes: inout ClassChanges
  ) throws(StoreError) -> Bool {
    let key = SQL.quoted(TableLayout.keyName)
    let names = ([key] + layout.columns.flatMap(\.sqlNames)).joined(separator: ", ")
    let sql = "SELECT \(names) FROM \(SQL.quoted(layout.tableName)) ORDER BY \(key)"
    let (before, after) = try rows(of: sql)
    defer { close(before, after) }
    // The largest key marks the end.
    let range = Int64.min ... .max - 1
    var oldKeys = AscendingKeys(of: layout.tableName, in: range, old.connection)
    var newKeys = AscendingKeys(of: layout.tableName, in: range, new.connection)
    func next(_ rows: Statement, _ keys: inout AscendingKeys) throws(StoreError) -> Int64? {
      guard try rows.step() else { return nil }
      let key = rows.integer(0)
      try keys.accept(key)
      return key
    }
    var (left, right) = (try next(before, &oldKeys), try next(after, &newKeys))
    while left != nil || right != nil {
      let (was, now) = (left ?? .max, right ?? .max)
      if was < now {
        changes.deleted.insert(was)
      } else if now < was {
        // Keys ascend: all rows after the last old row are new.
        guard changes.noteInserted(now..<now + 1) else { return false }
      } else if let columns = changedColumns(layout, before, after) {
        changes.modified.insert(columns, of: was)
      }
      if was <= now { left = try next(before, &oldKeys) }
      if now <= was { right = try next(after, &newKeys) }
    }
    return true
  }

  private func changedColumns(
    _ layout: TableLayout, _ before: Statement, _ after: Statement
  ) -> Set<Int>? {
    var changed: Set<Int> = []
    var index = 1
    for (column, description) in layout.columns.enumerated() {
      for part in index..<index + description.width where !before.isSame(part, as: after) {
        changed.insert(column)
      }
      index += description.width
    }
    return changed.isEmpty ? nil : changed
  }

  private func compareElements(
    of collection: CollectionLayout, _ changes: inout ClassChanges
  ) throws(StoreError) {
    let (before, after) = try rows(of: collection.sql.everything)
    defer { close(before, after) }
    var (left, right) = (try before.step(), try after.step())
    while left || right {
      let (was, now) = (left ? before.integer(0) : .max, right ? after.integer(0) : .max)
      let isSame = was == now && (1..<after.columnCount).allSatisfy { before.isSame($0, as: after) }
      if isSame {
        (left, right) = (try before.step(), try after.step())
        continue
      }
      // One difference shows that the owner's elements have changed.
      let owner = min(was, now)
      if !changes.inserted.contains(owner), !changes.deleted.contains(owner) {
        changes.modified.insert(collection.countColumn, of: owner)
      }
      while left, before.integer(0) == owner { left = try before.step() }
      while right, after.integer(0) == owner { right = try after.step() }
    }
  }
}

extension Statement {
  /// Returns whether a column has the same storage class and the same bytes as in another statement's row.
  fileprivate func isSame(_ column: Int, as other: Statement) -> Bool {
    let type = storage(column)
    guard type == other.storage(column) else { return false }
    switch type {
    case .null: return true
    case .integer: return integer(column) == other.integer(column)
    case .real: return real(column).bitPattern == other.real(column).bitPattern
    case .text:
      return withTextBytes(column) { mine in
        other.withTextBytes(column) { mine.elementsEqual($0) }
      }
    case .blob:
      return withBlobBytes(column) { mine in
        other.withBlobBytes(column) { mine.elementsEqual($0) }
      }
    }
  }
}
