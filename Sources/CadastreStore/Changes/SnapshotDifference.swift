import CadastreModel
import CadastreSQLite
import Foundation

/// The difference of two versions, from a comparison of all rows, for commits of other processes.
struct SnapshotDifference {
  private let old: Snapshot
  private let new: Snapshot
  private let largeValues = LargeValueComparison()
  /// The size in bytes above which values are compared in pieces.
  private let valueLimit: Int32

  init(
    from old: Snapshot, to new: Snapshot, valueLimit: Int32 = LargeValue.comparisonLimit
  ) {
    self.old = old
    self.new = new
    self.valueLimit = valueLimit
  }

  /// Returns the changes.
  ///
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(n) for n rows.
  func changes() throws(StoreError) -> ChangeSet {
    var changes = ChangeSet(from: old.version, to: new.version)
    if old.catalogue.version != new.catalogue.version {
      guard old.catalogue.hasSameClasses(as: new.catalogue) else {
        changes.changesSchema = true
        return changes
      }
      changes.changesStorage = true
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
    let before = TableCursor(layout, old.connection, limit: valueLimit)
    let after = TableCursor(layout, new.connection, limit: valueLimit)
    var (left, right) = (try before.next(), try after.next())
    while left != nil || right != nil {
      // The largest key marks the end.
      let (was, now) = (left ?? .max, right ?? .max)
      if was < now {
        changes.deleted.insert(was)
      } else if now < was {
        // Keys ascend: all rows after the last old row are new.
        guard changes.noteInserted(now..<now + 1) else { return false }
      } else {
        changes.modified.insert(try changedColumns(layout, was, before, after), of: was)
      }
      if was <= now { left = try before.next() }
      if now <= was { right = try after.next() }
    }
    return true
  }

  /// Returns the columns in which the current rows of two cursors, which have the same key, differ.
  private func changedColumns(
    _ layout: TableLayout, _ key: Int64, _ before: TableCursor, _ after: TableCursor
  ) throws(StoreError) -> ColumnSet {
    var changed: ColumnSet = []
    var index = 1
    for (column, description) in layout.columns.enumerated() {
      var parts = index..<index + description.width
      index += description.width
      if before.omitted.contains(column) || after.omitted.contains(column) {
        parts.removeFirst()
        let isSame = try largeValues.isSame(column, of: key, layout, old.connection, new.connection)
        if !isSame { changed.insert(column) }
      }
      for part in parts where !before.isSame(part, as: after) { changed.insert(column) }
    }
    return changed
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
  func isSame(_ column: Int, as other: Statement) -> Bool {
    let type = storage(column)
    guard type == other.storage(column) else { return false }
    switch type {
    case .null: return true
    case .integer: return integer(column) == other.integer(column)
    case .real: return real(column).bitPattern == other.real(column).bitPattern
    case .text:
      return withTextBytes(column) { mine in
        other.withTextBytes(column) {
          isEqual(UnsafeRawBufferPointer(mine), UnsafeRawBufferPointer($0))
        }
      }
    case .blob:
      return withBlobBytes(column) { mine in
        other.withBlobBytes(column) {
          isEqual(UnsafeRawBufferPointer(mine), UnsafeRawBufferPointer($0))
        }
      }
    }
  }
}
