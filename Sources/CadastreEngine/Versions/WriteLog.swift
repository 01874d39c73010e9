/// The epochs in which classes and columns were last written.
struct WriteLog {
  private var insertions = ClassValues<UInt64>()
  private var updates = ClassValues<[Int: UInt64]>()

  mutating func noteInsertion(_ className: String, at epoch: UInt64) {
    insertions[className, default: 0] = epoch
  }

  mutating func noteUpdate(_ className: String, _ columns: some Sequence<Int>, at epoch: UInt64) {
    for column in columns { noteUpdate(className, column, at: epoch) }
  }

  /// Notes a changed column of a class.
  mutating func noteUpdate(_ className: String, _ column: Int, at epoch: UInt64) {
    updates[className, default: [:]][column] = epoch
  }

  /// Whether no dependency was written after an epoch.
  func isUnchanged(_ dependencies: QueryDependencies, since read: UInt64) -> Bool {
    if dependencies.isUnbounded { return false }
    guard dependencies.classNames.allSatisfy({ insertions[$0] ?? 0 <= read }) else { return false }
    return dependencies.columns.allSatisfy { className, columns in
      guard let updated = updates[className] else { return true }
      return columns.allSatisfy { updated[$0] ?? 0 <= read }
    }
  }
}
