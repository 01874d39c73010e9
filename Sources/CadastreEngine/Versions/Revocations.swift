package import CadastreModel
package import CadastreStore

/// The objects whose instances are invalidated although their rows exist, or may exist again.
///
/// A rolled-back transaction removes its new rows, and their keys are given to other rows later; objects
/// that it deleted exist again, but their instances stay invalidated, as in Realm. A revocation
/// applies to instances made before its epoch. It does not concern results and the instances of other objects.
package struct Revocations {
  /// All rows from a key on.
  private struct Tail {
    let first: ObjectKey
    let epoch: UInt64
  }

  /// The epoch of the newest revocation; instances made in it or later are valid.
  package private(set) var newest: UInt64 = 0
  /// The epoch of the newest revocation of all instances.
  private var epochOfAll: UInt64 = 0
  /// The rows that rolled-back transactions inserted.
  private var tails = ClassValues<[Tail]>()
  /// The rows that rolled-back transactions deleted.
  private var rows = ClassValues<[ObjectKey: UInt64]>()
  /// The embedded objects that rolled-back transactions removed from the rows of their owners, by the keys of the
  /// owners and the columns of the generations.
  private var members = ClassValues<[ObjectKey: [Int: UInt64]]>()

  /// No revocations.
  package init() {}

  /// Whether an instance made in an epoch before ``newest`` is invalidated.
  package func contains(_ className: String, _ key: ObjectKey, since birth: UInt64) -> Bool {
    if birth < epochOfAll { return true }
    if let epoch = rows[className]?[key], birth < epoch { return true }
    return containsInsertion(className, key, since: birth)
  }

  /// Whether an instance made in an epoch is of a row that a rolled-back transaction inserted.
  ///
  /// A row that has its key now is another object.
  package func containsInsertion(
    _ className: String, _ key: ObjectKey, since birth: UInt64
  ) -> Bool {
    guard birth < newest, let tails = tails[className] else { return false }
    return tails.contains { key.rawValue >= $0.first.rawValue && birth < $0.epoch }
  }

  /// Whether an instance of an embedded object in its owner's row, made in an epoch before ``newest``, is
  /// invalidated although that of its owner may be valid.
  ///
  /// - Parameters:
  ///   - className: The class of the owner.
  ///   - key: The key of the owner.
  ///   - column: The column of the object's generation.
  ///   - birth: The epoch in which the instance was made.
  /// - Returns: Whether it is invalidated.
  package func contains(
    _ className: String, _ key: ObjectKey, member column: Int, since birth: UInt64
  ) -> Bool {
    guard let epoch = members[className]?[key]?[column] else { return false }
    return birth < epoch
  }

  /// Invalidates the instances of the objects that a rolled-back transaction inserted or deleted.
  ///
  /// - Parameters:
  ///   - changes: The changes of the transaction.
  ///   - start: The epoch in which it was opened.
  ///   - epoch: The epoch after its rollback.
  ///   - generations: Returns the columns of a class with the generations of embedded objects.
  package mutating func revoke(
    _ changes: ChangeSet, since start: UInt64, at epoch: UInt64, generations: (String) -> [Int]
  ) {
    guard !changes.classes.isEmpty else { return }
    newest = epoch
    // The rows that it deleted have no valid instances where all were revoked meanwhile.
    let isRevokedWhole = epochOfAll > start
    for (className, changed) in changes.classes {
      revokeTail(className, changed.inserted, at: epoch)
      guard !isRevokedWhole else { continue }
      for key in changed.deleted { rows[className, default: [:]][ObjectKey(key)] = epoch }
      let columns = generations(className)
      guard !columns.isEmpty else { continue }
      for (key, modified) in changed.modified {
        for column in columns where modified.contains(column) {
          members[className, default: [:]][ObjectKey(key), default: [:]][column] = epoch
        }
      }
    }
  }

  /// Invalidates the instances of new rows; keys ascend, so all rows from the first key on are new.
  private mutating func revokeTail(
    _ className: String, _ inserted: Range<Int64>, at epoch: UInt64
  ) {
    guard !inserted.isEmpty else { return }
    let first = ObjectKey(inserted.lowerBound)
    tails[className, default: []].removeAll { $0.first.rawValue >= first.rawValue }
    tails[className, default: []].append(Tail(first: first, epoch: epoch))
  }

  /// Invalidates all instances.
  package mutating func revokeAll(at epoch: UInt64) {
    newest = epoch
    epochOfAll = epoch
    rows = ClassValues()
    members = ClassValues()
  }
}
