/// What one commit changed, or several that follow each other.
package struct ChangeSet: Hashable, Sendable {
  /// The version that was changed.
  package let base: Int64
  /// The number of the commit, the last one of several.
  package internal(set) var version: Int64
  /// The changes, by class; classes without changes are missing.
  package internal(set) var classes: [String: ClassChanges] = [:]
  /// Whether classes or indexes were added or removed.
  package internal(set) var changesSchema = false

  /// No changes yet to a version.
  init(from base: Int64, to version: Int64) {
    self.base = base
    self.version = version
  }

  /// Whether nothing was changed.
  var isEmpty: Bool { classes.isEmpty && !changesSchema }

  /// The number of rows that a set of changes names one by one.
  package var rowCount: Int {
    classes.values.reduce(0) { $0 + $1.deleted.count + $1.modified.count }
  }

  /// The number of rows that were changed, new ones included.
  package var touchedCount: Int {
    classes.values.reduce(rowCount) { $0 + $1.inserted.count }
  }

  /// Adds what the commits after these changed.
  package mutating func append(_ later: ChangeSet) {
    version = later.version
    changesSchema = changesSchema || later.changesSchema
    classes.merge(later.classes) { earlier, later in
      var both = earlier
      both.append(later)
      return both
    }
  }
}

/// What a commit changed in one class.
package struct ClassChanges: Hashable, Sendable {
  /// The keys of new objects, those inserted and deleted again within the changes included.
  package internal(set) var inserted: Range<Int64>
  /// The keys of objects that are gone.
  package internal(set) var deleted: Set<Int64> = []
  /// The changed columns of objects that were there before.
  package internal(set) var modified: [Int64: Set<Int>] = [:]

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && modified.isEmpty }

  /// Adds later changes; keys ascend, so the new objects of both are one range.
  fileprivate mutating func append(_ later: ClassChanges) {
    for (key, columns) in later.modified where !inserted.contains(key) {
      modified[key, default: []].formUnion(columns)
    }
    for key in later.deleted { modified[key] = nil }
    deleted.formUnion(later.deleted)
    if inserted.isEmpty {
      inserted = later.inserted
    } else if !later.inserted.isEmpty {
      inserted = inserted.lowerBound..<later.inserted.upperBound
    }
  }
}
