/// The number by which the caches of one reader of the store are validated.
///
/// It grows when the reader moves to another version, with each change of the reader's own transactions, and when SQL
/// has changed whole tables. A value that was cached in one generation is valid in a later one if nothing that it was
/// computed from has changed in between.
// Its properties are `@exclusivity(unchecked)`: nothing that runs during an access reaches the generation again.
package final class Generation {
  private let counter = GenerationCounter()
  /// The number in which the current or last transaction began.
  @exclusivity(unchecked) package private(set) var transactionStart: UInt64 = 1
  /// The last changes of the classes, by their names.
  @exclusivity(unchecked) private var classes: [String: ClassGeneration] = [:]
  /// The first generation whose cached values may be valid.
  @exclusivity(unchecked) package private(set) var start: UInt64 = 1
  /// The first generation since which deleted rows are recorded; a rollback deletes no row that was committed.
  @exclusivity(unchecked) package private(set) var recordStart: UInt64 = 1
  /// The generations of rolled-back transactions.
  @exclusivity(unchecked) private var rolledBack: [ClosedRange<UInt64>] = []

  /// A generation without history.
  package init() {}

  /// The memory of the current number, which exists as long as the generation.
  package var address: UnsafePointer<UInt64> { UnsafePointer(counter.current) }

  /// The current number.
  package var current: UInt64 { counter.current.pointee }

  /// The number of ranges of rolled-back generations; beyond it they are joined to one.
  package static let maximumRolledBackRanges = 32

  /// Returns the last changes of a class; the object is the same until the generation is released.
  package func changes(of className: String) -> ClassGeneration {
    if let known = classes[className] { return known }
    let made = ClassGeneration(counter)
    classes[className] = made
    return made
  }

  // MARK: Validity

  /// Returns whether no row of a class was inserted or deleted after a generation.
  package func hasSameRows(_ className: String, since cached: UInt64) -> Bool {
    cached >= start && classes[className]?.rows ?? 0 <= cached
  }

  /// Returns whether no column of a class was changed after a generation.
  ///
  /// - Complexity: O(n) for n columns.
  package func hasSameValues(
    _ className: String, _ columns: ColumnSet, since cached: UInt64
  ) -> Bool {
    guard cached >= start else { return false }
    guard let changes = classes[className] else { return true }
    return columns.allSatisfy { changes.lastChange(of: $0) <= cached }
  }

  /// Returns whether a row that was read in a generation has not changed since.
  package func isUnchanged(_ className: String, _ key: Int64, since read: UInt64) -> Bool {
    read >= start && classes[className]?.isUnchanged(key, since: read) ?? true
  }

  /// Returns whether a row that was found in a generation still exists.
  package func containsStill(_ className: String, _ key: Int64, since found: UInt64) -> Bool {
    found >= recordStart && classes[className]?.containsStill(key, since: found) ?? true
  }

  /// Returns whether a number belongs to a rolled-back transaction, so that change sets do not lead from it to the
  /// present.
  package func isRolledBack(_ generation: UInt64) -> Bool {
    rolledBackTransaction(of: generation) != nil
  }

  /// Returns the generations of the rolled-back transaction to which one belongs; nil if there is none.
  package func rolledBackTransaction(of generation: UInt64) -> ClosedRange<UInt64>? {
    rolledBack.last { $0.contains(generation) }
  }

  // MARK: Changes

  /// Begins a generation in which all cached values are still valid.
  package func advance() { counter.advance() }

  /// Begins a generation in which no cached value is valid.
  package func restart() {
    start = counter.advance()
    recordStart = start
    for changes in classes.values { changes.forgetDeletions() }
  }

  /// Begins a generation with the changes of the commits between two versions.
  package func apply(_ changes: ChangeRange) {
    guard !changes.changesSchema else { return restart() }
    counter.advance()
    for (className, changed) in changes.classes {
      self.changes(of: className).note(changed)
    }
  }

  // MARK: Transactions

  /// Whether the current transaction has changed nothing.
  package var transactionIsUnchanged: Bool { current == transactionStart }

  /// Records that a transaction begins in the current generation.
  package func beginTransaction() { transactionStart = current }

  /// Begins a generation after the transaction was rolled back: no value that was cached in it is valid.
  package func rollBackTransaction() {
    let last = current
    start = counter.advance()
    guard transactionStart < last else { return }
    if rolledBack.count >= Self.maximumRolledBackRanges {
      rolledBack = [rolledBack[0].lowerBound...rolledBack[rolledBack.count - 1].upperBound]
    }
    rolledBack.append(transactionStart + 1...last)
  }
}

/// The generations in which one class was last changed.
// Its properties are `@exclusivity(unchecked)`, as those of `Generation`.
package final class ClassGeneration {
  private let counter: GenerationCounter
  /// The generation of the last insertion or deletion of a row.
  @exclusivity(unchecked) private(set) var rows: UInt64 = 0
  /// The generation of the last change of each column; a missing one has not changed.
  @exclusivity(unchecked) private var columns: [UInt64] = []
  /// The generations of the last changes of rows, by their keys modulo `rowCount`; empty before the first change.
  ///
  /// A row may count as changed because another one was. That costs reading it again.
  @exclusivity(unchecked) private var changedRows: [UInt64] = []
  /// The generations in which rows were deleted, by their keys.
  @exclusivity(unchecked) private var deleted: [Int64: UInt64] = [:]
  /// The generation of the last deletion that is not in `deleted`.
  @exclusivity(unchecked) private var unrecordedDeletion: UInt64 = 0

  fileprivate init(_ counter: GenerationCounter) { self.counter = counter }

  /// The number of deleted rows that are recorded one by one.
  static let maximumDeletedRows = 20_000
  /// The number of entries in `changedRows`, a power of two.
  static let rowCount = 1024

  /// Returns the generation of the last change of a column; 0 if it has not changed.
  func lastChange(of column: Int) -> UInt64 {
    columns.indices.contains(column) ? columns[column] : 0
  }

  /// Returns whether a row that was read in a generation has not changed since.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - read: A generation since the last restart.
  /// - Returns: Whether it has not changed.
  package func isUnchanged(_ key: Int64, since read: UInt64) -> Bool {
    changedRows.isEmpty || changedRows[Self.index(of: key)] <= read
  }

  /// Returns whether a row that was found in a generation was not deleted since.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - found: A generation since `Generation.recordStart`.
  /// - Returns: Whether it was not deleted.
  package func containsStill(_ key: Int64, since found: UInt64) -> Bool {
    unrecordedDeletion <= found && (deleted.isEmpty || deleted[key] ?? 0 <= found)
  }

  // MARK: Changes

  /// Begins a generation with a new row.
  func noteInsertion() { rows = counter.advance() }

  /// Begins a generation with a changed column of a row.
  func noteChange(of column: Int, _ key: Int64) {
    let now = counter.advance()
    stampRow(key, now)
    stamp(column, now)
  }

  /// Begins a generation without a row.
  func noteDeletion(of key: Int64) {
    rows = counter.advance()
    stampRow(key, rows)
    recordDeletion(of: key)
  }

  /// Records the changes of commits of others in the current generation.
  fileprivate func note(_ changes: ClassChanges) {
    let now = counter.current.pointee
    if !changes.inserted.isEmpty || !changes.deleted.isEmpty { rows = now }
    if changes.deleted.count > Self.maximumDeletedRows { unrecordedDeletion = now }
    for key in changes.deleted {
      stampRow(key, now)
      if unrecordedDeletion < now { recordDeletion(of: key) }
    }
    var columns: ColumnSet = []
    for (key, changed) in changes.modified {
      stampRow(key, now)
      columns.formUnion(changed)
    }
    for column in columns { stamp(column, now) }
  }

  /// Discards the record of deleted rows.
  fileprivate func forgetDeletions() { deleted = [:] }

  private func stamp(_ column: Int, _ now: UInt64) {
    while columns.count <= column { columns.append(0) }
    columns[column] = now
  }

  private func stampRow(_ key: Int64, _ now: UInt64) {
    if changedRows.isEmpty { changedRows = [UInt64](repeating: 0, count: Self.rowCount) }
    changedRows[Self.index(of: key)] = now
  }

  private static func index(of key: Int64) -> Int {
    Int(truncatingIfNeeded: key) & (rowCount - 1)
  }

  private func recordDeletion(of key: Int64) {
    if deleted.count >= Self.maximumDeletedRows {
      deleted = [:]
      unrecordedDeletion = rows
    }
    deleted[key] = rows
  }
}

/// The number that `Generation` and `ClassGeneration` share.
private final class GenerationCounter {
  /// The current number.
  let current: UnsafeMutablePointer<UInt64>

  init() {
    current = .allocate(capacity: 1)
    current.initialize(to: 1)
  }

  deinit { current.deallocate() }

  @discardableResult
  func advance() -> UInt64 {
    current.pointee += 1
    return current.pointee
  }
}
