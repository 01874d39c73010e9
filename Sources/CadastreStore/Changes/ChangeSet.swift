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
        // A reader reads everything again if the changes do not fit.
        if !classes.values[index].append(later) { changesSchema = true }
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

  /// The maximum number of deleted rows that are recorded because they were inserted before.
  private static let mostGaps = 100_000

  /// Records new rows, with keys after all others.
  ///
  /// The keys between them and the new rows before have no rows now: another process has inserted and deleted them.
  ///
  /// - Returns: False if there are too many of these to record them.
  mutating func noteInserted(_ keys: Range<Int64>) -> Bool {
    guard !inserted.isEmpty, !keys.isEmpty else {
      if inserted.isEmpty { inserted = keys }
      return true
    }
    let gap = inserted.upperBound..<max(inserted.upperBound, keys.lowerBound)
    if !gap.isEmpty {
      guard gap.count <= Self.mostGaps, deleted.count + gap.count <= Self.mostGaps else {
        return false
      }
      deleted.formUnion(gap)
    }
    inserted = inserted.lowerBound..<keys.upperBound
    return true
  }

  /// Appends later changes; keys ascend, so the inserted keys of both form one range.
  ///
  /// - Returns: False as `noteInserted(_:)`.
  fileprivate mutating func append(_ later: ClassChanges) -> Bool {
    for (key, columns) in later.modified where !inserted.contains(key) {
      modified.insert(columns, of: key)
    }
    for key in later.deleted { modified.remove(key) }
    deleted.formUnion(later.deleted)
    return noteInserted(later.inserted)
  }
}
