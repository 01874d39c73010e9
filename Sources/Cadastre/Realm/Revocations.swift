import CadastreModel

/// The rows that the instances made so far may no longer stand for, although a row with their key is
/// there, or may be there again.
///
/// A cancelled transaction takes its new rows back, and their keys are given to others later; what
/// it deleted is there again, but the instances of it stay invalidated, as in Realm. Times are
/// states of the Realm; an instance made before one is struck by it.
struct Revocations {
  /// Rows from a key on.
  private struct Tail {
    let first: ObjectKey
    let state: UInt64
  }

  /// The state in which rows were last taken from instances; nothing made in it or later is struck.
  private(set) var newest: UInt64 = 0
  private var stateOfAll: UInt64 = 0
  private var tails: [String: [Tail]] = [:]
  private var rows: [String: [ObjectKey: UInt64]] = [:]

  // What the current transaction has done.
  private var firstInserted: [String: ObjectKey] = [:]
  private var deleted: [String: Set<ObjectKey>] = [:]
  private var hasDeletedAll = false

  /// Whether an instance made in some state, which is before ``newest``, has lost its row.
  func contains(_ className: String, _ key: ObjectKey, since birth: UInt64) -> Bool {
    if birth < stateOfAll { return true }
    if let state = rows[className]?[key], birth < state { return true }
    guard let tails = tails[className] else { return false }
    return tails.contains { key.rawValue >= $0.first.rawValue && birth < $0.state }
  }

  // MARK: The current transaction

  mutating func noteInserted(_ className: String, _ key: ObjectKey) {
    // Keys ascend, so the first one stands for all.
    if firstInserted[className] == nil { firstInserted[className] = key }
  }

  mutating func noteDeleted(_ className: String, _ keys: [ObjectKey]) {
    deleted[className, default: []].formUnion(keys)
  }

  mutating func noteDeletedAll() { hasDeletedAll = true }

  /// The transaction was committed: keys are never given again.
  mutating func keepTransaction() {
    firstInserted = [:]
    deleted = [:]
    hasDeletedAll = false
  }

  /// The transaction was cancelled.
  mutating func revokeTransaction(at state: UInt64) {
    for (className, first) in firstInserted {
      var kept = (tails[className] ?? []).filter { $0.first.rawValue < first.rawValue }
      kept.append(Tail(first: first, state: state))
      tails[className] = kept
    }
    for (className, keys) in deleted {
      for key in keys { rows[className, default: [:]][key] = state }
    }
    newest = state
    if hasDeletedAll { revokeAll(at: state) }
    keepTransaction()
  }

  /// All instances lose their rows.
  mutating func revokeAll(at state: UInt64) {
    newest = state
    stateOfAll = state
    tails = [:]
    rows = [:]
  }
}
