import CadastreModel
import CadastreQuery
import CadastreStore

/// The row of a managed object, whose values are in the `ValueSource` of its class.
struct ManagedRow {
  let table: ManagedTable
  let key: ObjectKey
  /// The generation in which the object was found or inserted.
  let birth: UInt64

  /// Creates a reference to a row.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - key: The key.
  ///   - birth: The generation in which the row was found; nil for the current one.
  init(_ table: ManagedTable, _ key: ObjectKey, birth: UInt64? = nil) {
    self.table = table
    self.key = key
    self.birth = birth ?? table.core.currentGeneration
  }

  /// Creates a reference to a row that has just been read or inserted.
  init(_ table: ManagedTable, _ key: ObjectKey, values: [Value]) {
    self.init(table, key)
    core.exclusively { table.values.keep(values, of: key, core) }
  }

  /// The Realm.
  var core: RealmCore { table.core }

  /// Whether the instance stays invalidated although the row exists or may exist again.
  private var isRevoked: Bool { table.isRevoked(key, since: birth) }

  /// The rolled-back transaction that inserted the row; nil for other rows.
  ///
  /// A row that has its key now, and one of another rolled-back transaction, is another object.
  var insertion: ClosedRange<UInt64>? {
    table.isRolledBack(key, since: birth)
      ? core.generation.rolledBackTransaction(of: birth) ?? 0...birth : nil
  }

  /// Whether the row exists.
  var isValid: Bool {
    core.checkThread()
    return core.exclusively {
      if !isRevoked, table.values.containsRow(key, core) { return true }
      return if case .missing = find() { false } else { true }
    }
  }

  /// The columns; a deleted row stops the process.
  var values: [Value] {
    core.checkThread()
    return core.exclusively {
      let row = required { try $0.row(key, core) }
      assert(
        row.map { table.isStored($0, of: key) } ?? true,
        "the cached row of '\(table.className)' \(key)")
      return row ?? table.emptyRow
    }
  }

  /// The columns with null in place of large values; a deleted row stops the process.
  var valuesWithoutLarge: [Value] {
    core.checkThread()
    return core.exclusively {
      required { try $0.valuesWithoutLarge(key, core) } ?? table.emptyRow
    }
  }

  /// Stops the process if the row was deleted.
  func requireValid() {
    if !isValid, !reportMissingRow() { stopForMissingRow() }
  }

  /// Reports a row that is missing although nothing has deleted it since it was found: an index or a
  /// link of a damaged file names it.
  ///
  /// - Returns: Whether that is so.
  func reportMissingRow() -> Bool {
    core.exclusively { if case .missing = find() { reportDamage() } else { false } }
  }

  /// Reports that no row has the key; false if the row was deleted since it was found.
  private func reportDamage() -> Bool {
    guard !isRevoked, table.containsStill(key, since: birth) else { return false }
    core.report(
      StoreError(
        .corrupt("class '\(table.className)' has no object with key \(key)"),
        path: core.file.path))
    return true
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

  /// Returns the value of one column; a deleted row stops the process.
  func value(_ column: Int) -> Value { table.value(column, of: key, since: birth) }

  /// Returns the value of one column; nil if the row cannot be read.
  ///
  /// A deleted row stops the process.
  func readableValue(_ column: Int) -> Value? {
    core.checkThread()
    return core.exclusively { required { try $0.value(key, column, core) } }
  }

  /// Sets columns, each once, within a write transaction.
  func set(_ changes: [(column: Int, value: Value)]) {
    guard write({ core.update(table, key, changes, exists: $0) }) else { return }
    for change in changes { table.values.set(change.value, change.column, of: key, core) }
  }

  /// Sets one column, within a write transaction.
  func set(_ column: Int, _ value: Value) {
    guard write({ core.update(table, key, column, value, exists: $0) }) else { return }
    table.values.set(value, column, of: key, core)
  }

  /// Runs a change of the row; a deleted row stops the process.
  ///
  /// - Parameter change: Changes the row in the store, given whether it is known to exist; returns false if there is
  ///   no such row.
  /// - Returns: Whether the row was in memory as it was stored before the change.
  private func write(_ change: (_ exists: Bool) -> Bool) -> Bool {
    guard !isRevoked else { stopForMissingRow() }
    var isInMemory = table.values.hasRow(key, core)
    var exists = isInMemory || table.containsStill(key, since: birth)
    // A row that was read is known to exist, so that changes are buffered.
    if !exists, case .found = find() {
      (isInMemory, exists) = (table.values.hasRow(key, core), true)
    }
    if change(exists) { return isInMemory }
    // The transaction fails if a damaged file names a row that it does not contain.
    if !reportDamage() { stopForMissingRow() }
    return false
  }

  /// Stops the process outside write transactions.
  func requireWrite(_ what: @autoclosure () -> String) {
    core.checkThread()
    guard core.isInWriteTransaction else {
      core.requireChangeableObjects()
      ProgrammingError.stop(
        "Cannot modify managed objects outside of a write transaction: set '\(what())' inside "
          + "realm.write { … }." + AbandonedWrites.advice(for: core.file.path))
    }
  }

  /// The outcome of reading a row.
  private enum Outcome<Result> {
    case found(Result)
    /// There is no such row, or the instance was revoked.
    case missing
    /// The error is reported.
    case unreadable
  }

  /// Reads the row without its large values.
  private func find() -> Outcome<Void> { read { try $0.findRow(key, core) ? () : nil } }

  /// Reads from the row.
  ///
  /// - Parameter body: Reads; returns nil if there is no such row.
  /// - Returns: The outcome.
  private func read<Result>(_ body: (ValueSource) throws -> Result?) -> Outcome<Result> {
    guard !isRevoked else { return .missing }
    do {
      if let result = try body(table.values) { return .found(result) }
      return core.hasFailed ? .unreadable : .missing
    } catch {
      core.report(error)
      return .unreadable
    }
  }

  /// Reads from the row; a deleted row stops the process.
  ///
  /// - Parameter body: Reads; returns nil if there is no such row.
  /// - Returns: The result; nil if the row cannot be read.
  private func required<Result>(_ body: (ValueSource) throws -> Result?) -> Result? {
    switch read(body) {
    case .found(let result): return result
    case .unreadable: return nil
    case .missing:
      if !reportDamage() { stopForMissingRow() }
      return nil
    }
  }
}
