import CadastreModel

/// The reason why a change cannot be undone.
package struct UndoError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The message.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The result of undoing a change.
package struct UndoReport: Sendable {
  /// The change.
  package let entry: StoreHistory.Entry
  /// The numbers of objects that were added, changed and deleted again.
  package internal(set) var added = 0
  package internal(set) var changed = 0
  package internal(set) var deleted = 0

  init(_ entry: StoreHistory.Entry) { self.entry = entry }
}

extension WriteTransaction {
  /// Undoes a recorded change.
  ///
  /// Only what the change names is touched: other objects, and other properties of its objects, keep their values.
  /// Deleted objects come back with other keys of their rows, and the links to them refer to these.
  ///
  /// - Parameters:
  ///   - number: The number of the change; nil for the last one that was not undone.
  ///   - old: The version before the transaction.
  ///   - description: What undoes the change. It is recorded, so that it can be undone too.
  /// - Returns: The change, and the numbers of objects.
  /// - Throws: ``UndoError`` where there is no such change, or its objects were changed since; ``StoreError``. The
  ///   transaction must be rolled back then.
  /// - Complexity: O(k log n) for k changed objects.
  package func undoChange(
    _ number: Int64?, from old: Snapshot, _ description: StoreHistory.Description
  ) throws -> UndoReport {
    let entries = try StoreHistory.entries(old.connection)
    let entry = try StoreHistory.reversible(number, in: entries)
    guard let record = try StoreHistory.record(entry.number, old.connection) else {
      throw UndoError(
        "change \(entry.number) cannot be undone, because its record is not kept: all records together exceed the "
          + "limit")
    }
    var reversal = ChangeReversal(
      transaction: self, old: old, record: record, report: UndoReport(entry))
    for later in entries.reversed() where later.number > entry.number {
      for move in try StoreHistory.moves(later.number, old.connection) { reversal.keys.add(move) }
    }
    reversal.isLast = StoreHistory.isLast(entry, in: entries, old.version)
    try reversal.validate()
    try reversal.run()
    _ = try recordChange(
      from: old, description, reversal.renames, undoing: entry.number, reversal.moves)
    return reversal.report
  }
}

extension StoreHistory {
  /// Returns the change with a number, or the last one that can be undone.
  fileprivate static func reversible(
    _ number: Int64?, in entries: [Entry]
  ) throws(UndoError) -> Entry {
    guard let number else {
      guard let last = entries.first(where: { $0.undoneBy == nil && $0.undoes == nil }) else {
        throw UndoError(
          "the store has no recorded change that was not undone; expected a change by the command line"
        )
      }
      return last
    }
    guard let entry = entries.first(where: { $0.number == number }) else {
      throw UndoError("the store has no recorded change \(number)")
    }
    if let other = entry.undoneBy {
      throw UndoError("change \(number) was undone by change \(other)")
    }
    return entry
  }

  /// Returns whether all commits since a change are recorded and were undone.
  fileprivate static func isLast(_ entry: Entry, in entries: [Entry], _ version: Int64) -> Bool {
    var reached = entry.versions.upperBound
    for later in entries.reversed()
    where later.number > entry.number && (later.undoneBy != nil || later.undoes != nil) {
      guard later.versions.lowerBound == reached else { return false }
      reached = later.versions.upperBound
    }
    return reached == version
  }
}

/// The undoing of one change.
struct ChangeReversal {
  let transaction: WriteTransaction
  let old: Snapshot
  /// The access to the objects as they are before the undoing.
  let present: RowCopy
  let record: ChangeRecord
  var report: UndoReport
  /// The keys of objects that came back since the change.
  var keys = MovedKeys()
  /// Whether the store is as the change has left it.
  var isLast = false
  /// The objects that came back with other keys.
  private(set) var moves: [ChangeMove] = []
  /// The present keys of deleted objects that come back, and the new ones.
  private var restored: [ObjectAddress: ObjectKey?] = [:]
  /// The objects with links to others that came back later.
  private var incomplete: [Pending] = []

  init(transaction: WriteTransaction, old: Snapshot, record: ChangeRecord, report: UndoReport) {
    self.transaction = transaction
    self.old = old
    present = RowCopy(from: old, to: old.catalogue, keepsLinks: true)
    self.record = record
    self.report = report
  }

  /// The former values of an object.
  private struct Pending {
    let key: ObjectKey
    let className: String
    let names: [String]
    let bytes: ArraySlice<UInt8>
  }

  /// Returns the present key of an object.
  func current(_ className: String, _ key: Int64) -> ObjectKey {
    keys.current(ObjectAddress(className: className, key: ObjectKey(key))).key
  }

  /// The names that the undoing changes.
  var renames: [SchemaRename] {
    record.renames.reversed().map { rename in
      switch rename {
      case .type(let from, let to): .type(from: to, to: from)
      case .property(let className, let from, let to):
        .property(className: className, from: to, to: from)
      }
    }
  }

  /// The classes that the change has created and that are removed again: embedded classes that other classes use stay.
  var created: Set<String> {
    var created = Set(record.classes.filter { $0.before == nil }.map(\.name))
    let schema = old.catalogue.schema
    while let used = created.first(where: { name in
      schema[name]?.isEmbedded == true
        && schema.objectSchema.contains { owner in
          !created.contains(owner.className)
            && !record.classes.contains { $0.isChanged && $0.name == owner.className }
            && owner.properties.contains { $0.objectClassName == name }
        }
    }) {
      created.remove(used)
    }
    return created
  }

  /// Undoes the change, after `validate()`.
  mutating func run() throws {
    guard record.renames.isEmpty else { return try rename() }
    let created = created
    for changed in record.objects {
      for object in changed.deleted {
        let address = ObjectAddress(className: changed.className, key: ObjectKey(object.key))
        restored[keys.current(address)] = .some(nil)
      }
    }
    for changed in record.objects {
      guard let layout = transaction.catalogue.layout(changed.className) else { continue }
      if created.contains(changed.className) {
        report.deleted += changed.inserted.count
      } else {
        try deleteInserted(changed, layout)
      }
      for update in changed.updates where !update.compared.isEmpty && !update.names.isEmpty {
        try apply(update, changed.className)
      }
    }
    try restoreClasses(created)
    for changed in record.objects { try restoreDeleted(changed) }
    for object in incomplete {
      guard let layout = transaction.catalogue.layout(object.className) else { continue }
      _ = try set(object, layout, writer(of: object.names, layout))
    }
  }

  private func rename() throws {
    for rename in renames {
      switch rename {
      case .type(let from, let to):
        guard transaction.catalogue.schema[from] != nil, transaction.catalogue.schema[to] == nil
        else { throw UndoError("class '\(from)' was altered since, or a class '\(to)' exists") }
        try transaction.renameClass(from, to: to)
      case .property(let className, let from, let to):
        guard let schema = transaction.catalogue.schema[className], schema[to] == nil,
          let property = schema[from]
        else {
          throw UndoError(
            "'\(className).\(from)' was altered since, or '\(className).\(to)' exists")
        }
        let changed = schema.with(
          properties: schema.properties.map {
            $0.name == from ? $0.with(name: to, columnName: to) : $0
          },
          compoundIndexes: schema.compoundIndexes.map { $0.map { $0 == from ? to : $0 } })
        let migration = try StoreMigration(
          transaction, from: old, to: Schema([changed]), version: transaction.versions.schema)
        try migration.renameProperty(of: className, from: property.columnName, to: to)
        try migration.finish()
      }
    }
  }

  private mutating func deleteInserted(
    _ changed: ChangeRecord.ChangedObjects, _ layout: TableLayout
  ) throws {
    var inserted: [Int64] = []
    switch changed.inserted {
    case .none: return
    case .each(let objects):
      inserted = objects.map { current(changed.className, $0.key).rawValue }.sorted()
    case .many(let keys, let count):
      inserted = try transaction.keys(layout, after: ObjectKey(keys.lowerBound - 1), limit: count)
        .map(\.rawValue).filter(keys.contains)
    }
    try transaction.delete(changed.className, inserted)
    report.deleted += inserted.count
  }

  /// Gives the classes the definitions that they had.
  private mutating func restoreClasses(_ created: Set<String>) throws {
    let changed = record.classes.filter {
      $0.isChanged && ($0.before != nil || created.contains($0.name))
    }
    guard !changed.isEmpty else { return }
    let before = transaction.catalogue
    let migration = try StoreMigration(
      transaction, from: old, to: Schema(changed.compactMap(\.before)),
      version: transaction.versions.schema)
    for changed in changed
    where created.contains(changed.name) && changed.after?.isEmbedded == false {
      _ = try migration.deleteData(of: changed.name)
    }
    // Lost values come back before the end of the migration, which checks that primary keys are unique.
    for changed in record.objects {
      for update in changed.updates where update.compared.isEmpty {
        try apply(update, changed.className)
      }
    }
    try migration.finish()
    var unused = created.filter { transaction.catalogue.schema[$0]?.isEmbedded == true }
    while let name = unused.first(where: { !transaction.catalogue.schema.isTarget($0) }) {
      try transaction.removeClass(name)
      unused.remove(name)
    }
    for changed in changed where !changed.days.isEmpty {
      guard let layout = transaction.catalogue.layout(changed.name) else { continue }
      let known = Set(before.layout(changed.name)?.columns.map(\.name) ?? [])
      let days = Set(changed.days).subtracting(known)
        .intersection(layout.columns.filter { $0.type == .date }.map(\.name))
      if !days.isEmpty { try transaction.addDayColumns(days, of: layout) }
    }
  }

  private mutating func restoreDeleted(_ changed: ChangeRecord.ChangedObjects) throws {
    guard !changed.deleted.isEmpty,
      let layout = transaction.catalogue.layout(changed.className)
    else { return }
    let names = record.names(of: changed.className, after: false)
    let writer = RowWriter(
      transaction, layout, properties: Array(layout.schema.properties.indices))
    for object in changed.deleted {
      let former = keys.current(
        ObjectAddress(className: changed.className, key: ObjectKey(object.key)))
      let reading = try read(names, object.bytes, layout, coder)
      let key = try writer.insert(reading.row)
      restored[former] = .some(key)
      moves.append(
        .object(className: changed.className, from: former.key.rawValue, to: key.rawValue))
      report.added += 1
      guard !reading.isComplete else { continue }
      incomplete.append(
        Pending(key: key, className: changed.className, names: names, bytes: object.bytes))
    }
  }

  private mutating func apply(_ update: ChangeRecord.Update, _ className: String) throws {
    guard let layout = transaction.catalogue.layout(className) else { return }
    let writer = writer(of: update.names, layout)
    for row in update.rows {
      let pending = Pending(
        key: current(className, row.key), className: className, names: update.names,
        bytes: row.bytes)
      let isComplete = try set(pending, layout, writer)
      if !update.compared.isEmpty { report.changed += 1 }
      if !isComplete { incomplete.append(pending) }
    }
  }

  private func writer(of names: [String], _ layout: TableLayout) -> RowWriter {
    RowWriter(
      transaction, layout, properties: names.compactMap { layout.schema.index(of: $0) })
  }

  /// Sets properties of an object to their former values.
  ///
  /// - Parameters:
  ///   - object: The object and the values.
  ///   - layout: The table of the object.
  ///   - writer: The writer of the properties.
  /// - Returns: Whether all objects of their links exist.
  /// - Throws: ``StoreError`` when reading or writing fails.
  private func set(
    _ object: Pending, _ layout: TableLayout, _ writer: RowWriter
  ) throws -> Bool {
    let reading = try read(object.names, object.bytes, layout, coder)
    try writer.update(object.key, reading.row)
    // The writer keeps primary keys.
    if let property = layout.schema.primaryKeyProperty, object.names.contains(property.name),
      let column = layout.column(of: property),
      try transaction.value(layout, object.key, column) != reading.row.values[column]
    {
      try transaction.update(
        object.className, object.key, [(column, reading.row.values[column])])
    }
    return reading.isComplete
  }

  /// The coder that translates links to the present keys.
  private var coder: ChangeRowCoder {
    var coder = ChangeRowCoder(catalogue: transaction.catalogue)
    coder.translation = { address in
      let present = keys.current(address)
      if let new = restored[present] {
        return new.map { ObjectAddress(className: present.className, key: $0) }
      }
      guard let layout = transaction.catalogue.layout(present.className) else { return nil }
      do throws(StoreError) {
        return try transaction.contains(layout, present.key) ? present : nil
      } catch {
        // A link is not lost because it cannot be read: the commit throws this error.
        transaction.fail(error)
        return nil
      }
    }
    return coder
  }

  private func read(
    _ names: [String], _ bytes: ArraySlice<UInt8>, _ layout: TableLayout, _ coder: ChangeRowCoder
  ) throws(StoreError) -> ChangeRowCoder.Reading {
    var reader = ChangeByteReader(bytes)
    do throws(InvalidChangeBytes) {
      let reading = try coder.read(names, of: layout, from: &reader)
      guard reader.isAtEnd else { throw InvalidChangeBytes() }
      return reading
    } catch {
      throw StoreError(
        .corrupt("the record of change \(report.entry.number) cannot be read"),
        path: transaction.path)
    }
  }
}

extension Schema {
  /// Returns whether a property of another class has a class as its type.
  fileprivate func isTarget(_ className: String) -> Bool {
    objectSchema.contains { owner in
      owner.className != className && owner.properties.contains { $0.objectClassName == className }
    }
  }
}
