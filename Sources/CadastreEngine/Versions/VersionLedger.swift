package import CadastreModel
package import CadastreStore

/// The history of the states that one reader of a store has seen, by which cached rows and results
/// are validated.
///
/// Each state has a number, its epoch: it grows with every version that the reader moves to and
/// with every write of its own. A value cached in one epoch is valid in a later one if the ledger
/// has no write to it in between. The ledger reads nothing and knows no objects.
// Its properties are `@exclusivity(unchecked)`: nothing that runs during an access reaches the ledger again.
package final class VersionLedger {
  private let currentEpoch: UnsafeMutablePointer<UInt64>
  /// The epoch in which the current or last transaction was opened.
  @exclusivity(unchecked) package private(set) var transactionStart: UInt64 = 1
  /// The last epoch in which a transaction began or all that was cached became stale.
  ///
  /// Since then only the transaction has changed rows, one by one, and has deleted none.
  @exclusivity(unchecked) package private(set) var lastReset: UInt64 = 1
  /// Rows cached before this epoch are stale; later ones are valid unless listed in `writes`.
  @exclusivity(unchecked) private var baseEpoch: UInt64 = 1
  /// The epochs of rolled-back transactions.
  @exclusivity(unchecked) private var rolledBack: [ClosedRange<UInt64>] = []
  /// The epoch of the last write to each row since `baseEpoch`.
  @exclusivity(unchecked) private var writes = ClassValues<[ObjectKey: UInt64]>()
  /// The number of rows in `writes`.
  @exclusivity(unchecked) private var writtenRows = 0
  /// The epochs of the last writes to classes and columns since `baseEpoch`.
  @exclusivity(unchecked) private var log = WriteLog()

  /// A ledger without history.
  package init() {
    currentEpoch = .allocate(capacity: 1)
    currentEpoch.initialize(to: 1)
  }

  deinit { currentEpoch.deallocate() }

  /// The memory of the current epoch, which exists as long as the ledger.
  package var epochAddress: UnsafePointer<UInt64> { UnsafePointer(currentEpoch) }

  /// The current epoch.
  package private(set) var epoch: UInt64 {
    get { currentEpoch.pointee }
    set { currentEpoch.pointee = newValue }
  }

  /// The number of rows whose last writes are recorded one by one; beyond it all cached rows become
  /// stale.
  package static let maximumWrittenRows = 20_000
  /// The number of ranges of rolled-back epochs; beyond it they are joined to one.
  package static let maximumRolledBackRanges = 32

  // MARK: Validity

  /// Whether a row cached in an epoch is still valid.
  ///
  /// - Complexity: O(1).
  package func isUnchanged(_ className: String, _ key: ObjectKey, since cached: UInt64) -> Bool {
    guard cached >= baseEpoch else { return false }
    return (writes[className]?[key] ?? 0) <= cached
  }

  /// Whether the result of a query computed in an epoch is still valid.
  ///
  /// - Complexity: O(n) for n columns that the query reads.
  package func isUnchanged(_ dependencies: QueryDependencies, since computed: UInt64) -> Bool {
    computed >= baseEpoch && log.isUnchanged(dependencies, since: computed)
  }

  /// Whether an epoch belongs to a rolled-back transaction, so that change sets do not lead from it
  /// to the present.
  package func isRolledBack(_ epoch: UInt64) -> Bool {
    rolledBack.contains { $0.contains(epoch) }
  }

  // MARK: Changes

  /// Begins an epoch in which everything cached before is still valid.
  package func advance() { epoch += 1 }

  /// Begins an epoch in which nothing cached before is valid.
  package func discardAll() {
    forgetWrites()
    lastReset = epoch
  }

  /// Begins an epoch without a record of the writes before it.
  private func forgetWrites() {
    epoch += 1
    baseEpoch = epoch
    writes = ClassValues()
    writtenRows = 0
    log = WriteLog()
  }

  /// Begins an epoch with the changes of the commits between two versions.
  package func apply(_ changes: ChangeRange) {
    guard !changes.changesSchema, writtenRows + changes.rowCount <= Self.maximumWrittenRows else {
      return discardAll()
    }
    epoch += 1
    for (className, changed) in changes.classes {
      for key in changed.deleted { recordWrite(className, ObjectKey(key)) }
      for (key, columns) in changed.modified {
        recordWrite(className, ObjectKey(key))
        log.noteUpdate(className, columns, at: epoch)
      }
      if !changed.inserted.isEmpty || !changed.deleted.isEmpty {
        log.noteInsertion(className, at: epoch)
      }
    }
  }

  /// Begins an epoch with a new object of a class.
  package func recordInsertion(_ className: String) {
    epoch += 1
    log.noteInsertion(className, at: epoch)
  }

  /// Begins an epoch with changed columns of a row.
  package func recordUpdate(_ className: String, _ key: ObjectKey, columns: [Int]) {
    if beginUpdate(className, key) { log.noteUpdate(className, columns, at: epoch) }
  }

  /// Begins an epoch with one changed column of a row.
  package func recordUpdate(_ className: String, _ key: ObjectKey, column: Int) {
    if beginUpdate(className, key) { log.noteUpdate(className, column, at: epoch) }
  }

  /// Begins an epoch with changes of a row.
  ///
  /// - Returns: Whether the changed columns are to be noted; false where everything is discarded.
  private func beginUpdate(_ className: String, _ key: ObjectKey) -> Bool {
    // A loop over all objects of a class must not need memory for each.
    guard writtenRows < Self.maximumWrittenRows else {
      forgetWrites()
      return false
    }
    epoch += 1
    recordWrite(className, key)
    return true
  }

  /// Begins an epoch with the same changed columns of several rows.
  package func recordUpdates(_ className: String, _ keys: [Int64], columns: [Int]) {
    guard writtenRows + keys.count <= Self.maximumWrittenRows else { return forgetWrites() }
    epoch += 1
    for key in keys { recordWrite(className, ObjectKey(key)) }
    log.noteUpdate(className, columns, at: epoch)
  }

  /// Begins an epoch with changed elements of a collection, whose count is in a column of its
  /// owner.
  package func recordElementChange(_ className: String, countColumn: Int) {
    epoch += 1
    log.noteUpdate(className, [countColumn], at: epoch)
  }

  private func recordWrite(_ className: String, _ key: ObjectKey) {
    if writes[className, default: [:]].updateValue(epoch, forKey: key) == nil { writtenRows += 1 }
  }

  // MARK: Transactions

  /// Notes that a transaction begins in the current epoch.
  package func beginTransaction() {
    transactionStart = epoch
    lastReset = epoch
  }

  /// Begins an epoch after the transaction was rolled back: nothing that was cached in it is valid.
  package func rollBackTransaction() {
    let last = epoch
    discardAll()
    guard transactionStart < last else { return }
    if rolledBack.count >= Self.maximumRolledBackRanges {
      rolledBack = [rolledBack[0].lowerBound...rolledBack[rolledBack.count - 1].upperBound]
    }
    rolledBack.append(transactionStart + 1...last)
  }

  /// Whether the transaction has changed nothing so far.
  package var transactionIsUnchanged: Bool { epoch == transactionStart }
}
