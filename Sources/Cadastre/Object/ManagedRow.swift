import CadastreEngine
import CadastreModel
import CadastreStore

/// One row of the store, cached for managed objects until a commit or a write makes it stale.
final class ManagedRow {
  let table: ManagedTable
  let key: ObjectKey
  @exclusivity(unchecked) private var cached: [Value] = []
  /// The epoch in which `cached` was read; 0 before the first read.
  @exclusivity(unchecked) private var epoch: UInt64 = 0
  /// Whether the row could not be read last, so that its columns are null.
  private(set) var isUnreadable = false
  /// The epoch in which this instance was made.
  private let birth: UInt64
  /// The last epoch in which the row was found or written.
  @exclusivity(unchecked) private var lastFound: UInt64

  /// A row that is read when it is needed.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - key: The key.
  ///   - birth: The epoch in which the row was found; nil for the current one.
  init(_ table: ManagedTable, _ key: ObjectKey, birth: UInt64? = nil) {
    self.table = table
    self.key = key
    self.birth = birth ?? table.core.epoch
    lastFound = self.birth
  }

  /// A row that has just been read.
  init(_ table: ManagedTable, _ key: ObjectKey, values: [Value]) {
    self.table = table
    self.key = key
    birth = table.core.epoch
    lastFound = birth
    cached = values
    epoch = birth
  }

  /// The Realm.
  var core: RealmCore { table.core }

  /// Whether this instance stays invalidated although the row exists or may exist again.
  private var isRevoked: Bool { core.isRevoked(table, key, since: birth) }

  /// Whether a rolled-back transaction inserted the row; a row that has its key now is another object.
  var isRolledBack: Bool {
    core.revocations.containsInsertion(table.className, key, since: birth)
  }

  /// Whether the row exists.
  var isValid: Bool {
    core.checkThread()
    return core.exclusively { isCurrent || load() }
  }

  /// The columns; a deleted row stops the process.
  var values: [Value] {
    core.exclusively {
      requireValid()
      return cached
    }
  }

  /// Stops the process where the row was deleted.
  func requireValid() {
    if !isValid, !reportMissingRow() { stopForMissingRow() }
  }

  /// Reports a row that is missing although nothing has deleted it since it was found: an index or a
  /// link of a damaged file names it.
  ///
  /// - Returns: Whether that is so.
  func reportMissingRow() -> Bool {
    core.exclusively { !isCurrent && reportDamage() }
  }

  /// Reports that no row has the key; false where the row was deleted since it was found.
  private func reportDamage() -> Bool {
    guard !core.isRevoked(table, key, since: birth),
      core.ledger.isUnchanged(table.className, key, since: birth)
    else { return false }
    core.report(
      StoreError(
        .corrupt("class '\(table.className)' has no object with key \(key)"),
        path: core.file.path))
    return useEmptyRow()
  }

  private func stopForMissingRow() -> Never {
    ProgrammingError.stop(
      "Object has been deleted or invalidated: '\(table.className)' with key "
        + "\(key) is no longer in the Realm. Check isInvalidated before using it.")
  }

  /// The object, named by its class and its key.
  var address: ObjectAddress {
    ObjectAddress(className: table.className, key: key)
  }

  /// One column.
  func value(_ column: Int) -> Value {
    table.core.checkThread()
    if table.core.sharing == nil { return found(column) }
    return table.core.exclusively { found(column) }
  }

  private func found(_ column: Int) -> Value {
    if isCurrent { return cached[column] }
    return table.valueInMemory(column, of: key, since: birth) ?? values[column]
  }

  /// Sets columns, each once, within a write transaction.
  func set(_ changes: [(column: Int, value: Value)]) {
    set { exists in
      core.update(table, key, changes, exists: exists)
    } keeping: {
      for change in changes { cached[change.column] = change.value }
    }
  }

  /// Sets one column, within a write transaction.
  func set(_ column: Int, _ value: Value) {
    set { exists in
      core.update(table, key, column, value, exists: exists)
    } keeping: {
      cached[column] = value
    }
  }

  /// Changes columns.
  ///
  /// - Parameters:
  ///   - change: Changes them in the store, given whether the row is known to exist; returns false where there is none.
  ///   - keep: Changes them in the cached row, where it is current.
  private func set(_ change: (_ exists: Bool) -> Bool, keeping keep: () -> Void) {
    let isKnown = isCurrent
    let exists = isKnown || isKnownToExist
    guard write({ change(exists) }) else { return }
    lastFound = core.epoch
    guard isKnown else { return }
    keep()
    epoch = core.epoch
  }

  /// Whether nothing has happened since the row was found that may have deleted it.
  private var isKnownToExist: Bool {
    lastFound >= core.ledger.lastReset
      || core.ledger.isUnchanged(table.className, key, since: lastFound)
  }

  /// Runs a change of the row, which returns false where there is none; a deleted row stops the process.
  ///
  /// - Returns: Whether the row was there.
  private func write(_ change: () -> Bool) -> Bool {
    guard !isRevoked else { stopForMissingRow() }
    if change() { return true }
    // The transaction fails where a damaged file names a row that it does not contain.
    if !reportDamage() { stopForMissingRow() }
    return false
  }

  /// Stops the process outside write transactions.
  func requireWrite(_ what: @autoclosure () -> String) {
    core.checkThread()
    core.requireLive(for: core.sentenceForFrozenObjects)
    guard core.isInWriteTransaction else {
      ProgrammingError.stop(
        "Cannot modify managed objects outside of a write transaction: set '\(what())' inside "
          + "realm.write { … }.")
    }
  }

  private var isCurrent: Bool {
    if epoch == core.epoch { return true }
    guard epoch != 0, core.ledger.isUnchanged(table.className, key, since: epoch) else {
      return false
    }
    epoch = core.epoch
    return true
  }

  private func load() -> Bool {
    guard !isRevoked else { return false }
    do {
      guard let row = try table.rows.row(key, core) else {
        if core.hasFailed { return useEmptyRow() }
        return false
      }
      cached = row
      epoch = core.epoch
      isUnreadable = false
      return true
    } catch {
      core.report(error)
      return useEmptyRow()
    }
  }

  /// Reads an empty row, for this access only, where the row could not be read or written.
  private func useEmptyRow() -> Bool {
    cached = table.emptyRow
    epoch = 0
    isUnreadable = true
    return true
  }
}
