package import CadastreModel

/// The rows whose instances are invalidated although a row with their key exists, or may exist
/// again.
///
/// A cancelled transaction removes its new rows, and their keys are given to other rows later; rows
/// that it deleted exist again, but their instances stay invalidated, as in Realm. A revocation
/// applies to instances made before its epoch.
package struct Revocations {
  /// All rows from a key on.
  private struct Tail {
    let first: ObjectKey
    let epoch: UInt64
  }

  /// The epoch of the newest revocation; instances made in it or later are valid.
  package private(set) var newest: UInt64 = 0
  /// The epoch of the newest invalidation of all instances.
  package private(set) var epochOfAll: UInt64 = 0
  private var tails = ClassValues<[Tail]>()
  private var rows = ClassValues<[ObjectKey: UInt64]>()

  // Changes of the current transaction.
  private var firstInserted: [String: ObjectKey] = [:]
  /// The class of the last inserted row.
  private var lastInserted: String?
  private var deleted: [String: Set<ObjectKey>] = [:]
  private var hasDeletedAll = false

  /// No revocations.
  package init() {}

  /// Whether an instance made in an epoch before ``newest`` is invalidated.
  package func contains(_ className: String, _ key: ObjectKey, since birth: UInt64) -> Bool {
    if birth < epochOfAll { return true }
    if let epoch = rows[className]?[key], birth < epoch { return true }
    guard let tails = tails[className] else { return false }
    return tails.contains { key.rawValue >= $0.first.rawValue && birth < $0.epoch }
  }

  // MARK: The current transaction

  /// Notes a row that the transaction inserted.
  package mutating func noteInserted(_ className: String, _ key: ObjectKey) {
    // Keys ascend, so the first one covers all later ones.
    if lastInserted == className { return }
    lastInserted = className
    if firstInserted[className] == nil { firstInserted[className] = key }
  }

  /// Notes rows that the transaction deleted.
  package mutating func noteDeleted(_ className: String, _ keys: [ObjectKey]) {
    deleted[className, default: []].formUnion(keys)
  }

  /// Notes that the transaction deleted all rows.
  package mutating func noteDeletedAll() { hasDeletedAll = true }

  /// Ends a committed transaction, whose keys are never given again.
  package mutating func keepTransaction() {
    firstInserted = [:]
    lastInserted = nil
    deleted = [:]
    hasDeletedAll = false
  }

  /// Ends a cancelled transaction.
  package mutating func revokeTransaction(at epoch: UInt64) {
    for (className, first) in firstInserted {
      tails[className, default: []].removeAll { $0.first.rawValue >= first.rawValue }
      tails[className, default: []].append(Tail(first: first, epoch: epoch))
    }
    for (className, keys) in deleted {
      for key in keys { rows[className, default: [:]][key] = epoch }
    }
    newest = epoch
    if hasDeletedAll { revokeAll(at: epoch) }
    keepTransaction()
  }

  /// Invalidates all instances.
  package mutating func revokeAll(at epoch: UInt64) {
    newest = epoch
    epochOfAll = epoch
    tails = ClassValues()
    rows = ClassValues()
  }
}
