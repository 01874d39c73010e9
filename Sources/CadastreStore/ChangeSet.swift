/// What one commit changed.
package struct ChangeSet: Hashable, Sendable {
  /// The number of the commit.
  package let version: Int64
  /// The changes, by class; classes without changes are missing.
  package internal(set) var classes: [String: ClassChanges] = [:]
  /// Whether classes or indexes were added or removed.
  package internal(set) var changesSchema = false
}

/// What one commit changed in one class.
package struct ClassChanges: Hashable, Sendable {
  /// The keys of new objects, those inserted and deleted again within the commit included.
  package internal(set) var inserted: Range<Int64>
  /// The keys of objects that are gone.
  package internal(set) var deleted: Set<Int64> = []
  /// The changed columns of objects that were there before.
  package internal(set) var modified: [Int64: Set<Int>] = [:]

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }
}
