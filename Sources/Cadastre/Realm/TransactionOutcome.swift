import Synchronization

/// Whether a write transaction was rolled back, for values that leave its thread before it ends.
final class TransactionOutcome: Sendable {
  private let rolledBack = Atomic<Bool>(false)

  /// Whether it was rolled back; false while it is open.
  var isRolledBack: Bool { rolledBack.load(ordering: .acquiring) }

  /// Notes that it was rolled back.
  func noteRollback() { rolledBack.store(true, ordering: .releasing) }
}
