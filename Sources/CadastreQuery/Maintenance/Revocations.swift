package import CadastreModel
package import CadastreStore

/// The objects whose instances are invalidated although their rows exist, or may exist again.
///
/// A rolled-back transaction removes its new rows, and their keys are given to other rows later; objects
/// that it deleted exist again, but their instances stay invalidated, as in Realm. A revocation
/// applies to instances made before its generation. It does not concern results and the instances of other objects.
package final class Revocations {
  /// The generation of the newest revocation; instances made in it or later are valid.
  @exclusivity(unchecked) package private(set) var newest: UInt64 = 0
  /// The generation of the newest revocation of all instances.
  private var newestOfAll: UInt64 = 0
  private var classes: [String: ClassRevocations] = [:]

  /// No revocations.
  package init() {}

  /// Returns the revocations of a class; the object is always the same.
  package func of(_ className: String) -> ClassRevocations {
    if let known = classes[className] { return known }
    let made = ClassRevocations(newestOfAll)
    classes[className] = made
    return made
  }

  /// Invalidates the instances of the objects that a rolled-back transaction inserted or deleted.
  ///
  /// - Parameters:
  ///   - changes: The changes of the transaction.
  ///   - start: The generation in which it was opened.
  ///   - generation: The generation after its rollback.
  ///   - presences: Returns the columns of a class that number embedded objects.
  package func revoke(
    _ changes: ChangeSet, since start: UInt64, at generation: UInt64, presences: (String) -> [Int]
  ) {
    guard !changes.classes.isEmpty else { return }
    newest = generation
    // The rows that it deleted have no valid instances where all were revoked meanwhile.
    let isRevokedWhole = newestOfAll > start
    for (className, changed) in changes.classes {
      let revocations = of(className)
      revocations.revokeTail(changed.inserted, at: generation)
      guard !isRevokedWhole else { continue }
      revocations.revoke(changed, presences: presences(className), at: generation)
    }
  }

  /// Invalidates all instances.
  package func revokeAll(at generation: UInt64) {
    newest = generation
    newestOfAll = generation
    for revocations in classes.values { revocations.revokeAll(at: generation) }
  }
}

/// The invalidated instances of one class.
// Its properties are `@exclusivity(unchecked)`: nothing that runs during an access reaches the object again.
package final class ClassRevocations {
  /// All rows from a key on.
  private struct Tail {
    let first: ObjectKey
    let generation: UInt64
  }

  /// The generation of the newest revocation of all instances.
  @exclusivity(unchecked) private var newestOfAll: UInt64
  /// The rows that rolled-back transactions inserted.
  @exclusivity(unchecked) private var tails: [Tail] = []
  /// The rows that rolled-back transactions deleted.
  @exclusivity(unchecked) private var rows: [ObjectKey: UInt64] = [:]
  /// The embedded objects that rolled-back transactions removed from the rows of their owners, by the keys of the
  /// owners and the columns that number the embedded objects.
  @exclusivity(unchecked) private var members: [ObjectKey: [Int: UInt64]] = [:]

  fileprivate init(_ newestOfAll: UInt64) { self.newestOfAll = newestOfAll }

  /// Returns whether an instance made in a generation is invalidated.
  package func contains(_ key: ObjectKey, since birth: UInt64) -> Bool {
    if birth < newestOfAll { return true }
    if !rows.isEmpty, let generation = rows[key], birth < generation { return true }
    return containsInsertion(key, since: birth)
  }

  /// Returns whether an instance made in a generation is of a row that a rolled-back transaction inserted.
  ///
  /// A row that has its key now is another object.
  package func containsInsertion(_ key: ObjectKey, since birth: UInt64) -> Bool {
    for tail in tails where key.rawValue >= tail.first.rawValue && birth < tail.generation {
      return true
    }
    return false
  }

  /// Returns whether an instance of an embedded object in its owner's row, made in a generation, is
  /// invalidated although that of its owner may be valid.
  ///
  /// - Parameters:
  ///   - key: The key of the owner.
  ///   - column: The column that numbers the objects of the field.
  ///   - birth: The generation in which the instance was made.
  /// - Returns: Whether it is invalidated.
  package func contains(_ key: ObjectKey, member column: Int, since birth: UInt64) -> Bool {
    guard let generation = members[key]?[column] else { return false }
    return birth < generation
  }

  /// Invalidates the instances of new rows; keys ascend, so all rows from the first key on are new.
  fileprivate func revokeTail(_ inserted: Range<Int64>, at generation: UInt64) {
    guard !inserted.isEmpty else { return }
    let first = ObjectKey(inserted.lowerBound)
    tails.removeAll { $0.first.rawValue >= first.rawValue }
    tails.append(Tail(first: first, generation: generation))
  }

  /// Invalidates the instances of deleted rows, and of embedded objects that were removed.
  fileprivate func revoke(_ changed: ClassChanges, presences: [Int], at generation: UInt64) {
    for key in changed.deleted { rows[ObjectKey(key)] = generation }
    guard !presences.isEmpty else { return }
    for (key, modified) in changed.modified {
      for column in presences where modified.contains(column) {
        members[ObjectKey(key), default: [:]][column] = generation
      }
    }
  }

  /// Invalidates all instances.
  fileprivate func revokeAll(at generation: UInt64) {
    newestOfAll = generation
    rows = [:]
    members = [:]
  }
}
