import CadastreModel

/// The changes of one transaction, as they are collected.
package struct ChangeSet: Hashable, Sendable {
  /// The version before the changes.
  package let base: Int64
  /// The version after the changes.
  package internal(set) var version: Int64
  /// The changes by class, without unchanged classes.
  package internal(set) var classes = ChangesByClass()
  /// Whether classes or indexes were added or removed.
  package internal(set) var changesSchema = false
  /// Whether columns of classes were added to the stored ones, which changes no object.
  var changesStorage = false

  /// An empty change set.
  init(from base: Int64, to version: Int64) {
    self.base = base
    self.version = version
  }

  /// Whether the set contains no changes.
  package var isEmpty: Bool { classes.isEmpty && !changesSchema && !changesStorage }

  /// The number of keys of deleted and changed rows.
  package var rowCount: Int {
    classes.reduce(0) { $0 + $1.changes.deleted.count + $1.changes.modified.count }
  }

  /// The number of rows that were inserted, changed or deleted.
  package var touchedCount: Int {
    classes.reduce(rowCount) { $0 + $1.changes.inserted.count }
  }

  /// Appends the changes of the following commit.
  mutating func append(_ next: ChangeSet) {
    version = next.version
    changesSchema = changesSchema || next.changesSchema
    changesStorage = changesStorage || next.changesStorage
    // A reader reads everything again if the changes do not fit.
    for (className, later) in next.classes where !classes.append(later, of: className) {
      changesSchema = true
    }
  }
}

/// Changes by the names of their classes.
///
/// Commits change few classes, so that comparing names takes less time than hashing them.
package struct ChangesByClass: Sendable {
  private var entries: [(className: String, changes: ClassChanges)] = []

  /// No classes.
  package init() {}

  /// Whether there are no classes.
  package var isEmpty: Bool { entries.isEmpty }

  /// The names of the classes, in the order in which they were added.
  package var names: [String] { entries.map(\.className) }

  /// The changes in a class; nil for an unchanged one.
  ///
  /// - Complexity: O(n) for n classes.
  package internal(set) subscript(className: String) -> ClassChanges? {
    get { index(of: className).map { entries[$0].changes } }
    set {
      switch (index(of: className), newValue) {
      case (let index?, let changes?): entries[index].changes = changes
      case (let index?, nil): entries.remove(at: index)
      case (nil, let changes?): entries.append((className, changes))
      case (nil, nil): break
      }
    }
  }

  /// Appends later changes of a class, in place.
  ///
  /// - Returns: Whether they fit, as `ClassChanges.noteInserted(_:)`.
  mutating func append(_ later: ClassChanges, of className: String) -> Bool {
    if let index = index(of: className) { return entries[index].changes.append(later) }
    entries.append((className, later))
    return true
  }

  private func index(of className: String) -> Int? {
    entries.firstIndex { $0.className == className }
  }
}

extension ChangesByClass: Sequence {
  /// Returns the classes one after the other.
  package func makeIterator() -> IndexingIterator<[(className: String, changes: ClassChanges)]> {
    entries.makeIterator()
  }
}

extension ChangesByClass: Hashable {
  /// Whether the same classes have the same changes, in any order.
  package static func == (left: Self, right: Self) -> Bool {
    left.entries.count == right.entries.count
      && left.allSatisfy { right[$0.className] == $0.changes }
  }

  /// Hashes the number of classes.
  package func hash(into hasher: inout Hasher) { hasher.combine(entries.count) }
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
