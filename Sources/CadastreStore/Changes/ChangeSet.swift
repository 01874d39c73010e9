import CadastreModel

/// The changes of one transaction, as they are collected.
package struct ChangeSet: Hashable, Sendable {
  /// The version before the changes.
  package let base: Int64
  /// The version after the changes.
  package internal(set) var version: Int64
  /// The changes by class, without unchanged classes.
  package internal(set) var classes: [String: ClassChanges] = [:]
  /// Whether classes or indexes were added or removed.
  package internal(set) var changesSchema = false

  /// An empty change set.
  init(from base: Int64, to version: Int64) {
    self.base = base
    self.version = version
  }

  /// Whether the set contains no changes.
  package var isEmpty: Bool { classes.isEmpty && !changesSchema }

  /// The number of keys of deleted and changed rows.
  package var rowCount: Int {
    classes.values.reduce(0) { $0 + $1.deleted.count + $1.modified.count }
  }

  /// The number of rows that were inserted, changed or deleted.
  package var touchedCount: Int {
    classes.values.reduce(rowCount) { $0 + $1.inserted.count }
  }

  /// Appends the changes of the following commit.
  mutating func append(_ next: ChangeSet) {
    version = next.version
    changesSchema = changesSchema || next.changesSchema
    for (className, later) in next.classes {
      // Changed in place, so that a chain of commits costs what its changes cost.
      if let index = classes.index(forKey: className) {
        classes.values[index].append(later)
      } else {
        classes[className] = later
      }
    }
  }
}

/// The changes in one class.
package struct ClassChanges: Hashable, Sendable {
  /// The keys of inserted objects, including objects that the same changes deleted.
  package internal(set) var inserted: Range<Int64>
  /// The keys of deleted objects.
  package internal(set) var deleted: Set<Int64> = []
  /// The changed columns of objects that existed before.
  package internal(set) var modified = ModifiedRows()

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }

  /// Appends later changes; keys ascend, so the inserted keys of both form one range.
  fileprivate mutating func append(_ later: ClassChanges) {
    for (key, columns) in later.modified where !inserted.contains(key) {
      modified.insert(columns, of: key)
    }
    for key in later.deleted { modified.remove(key) }
    deleted.formUnion(later.deleted)
    if inserted.isEmpty {
      inserted = later.inserted
    } else if !later.inserted.isEmpty {
      inserted = inserted.lowerBound..<later.inserted.upperBound
    }
  }
}
