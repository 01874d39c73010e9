import CadastreModel
import Foundation

/// The comparison of what a change names with what it has left.
extension ChangeReversal {
  /// Throws an error if what the change names was changed since.
  func validate() throws {
    try validateClasses()
    var conflicts = Conflicts()
    for changed in record.objects {
      guard let layout = old.catalogue.layout(changed.className) else { continue }
      try validate(changed, layout, &conflicts)
    }
    guard let message = conflicts.message(of: report.entry.number) else { return }
    throw UndoError(message)
  }

  private func validateClasses() throws {
    let schema = old.catalogue.schema
    let created = created
    for changed in record.classes where changed.before != nil || created.contains(changed.name) {
      let present = schema[changed.name]
      let isSame =
        changed.isChanged
        ? present == changed.after
        : changed.after?.hasSameValues(in: present) == true
      guard isSame else {
        throw UndoError(
          "change \(report.entry.number) cannot be undone, because class '\(changed.name)' was altered since"
        )
      }
    }
    let rest = schema.objectSchema.filter { !created.contains($0.className) }
    for changed in record.objects where !changed.deleted.isEmpty {
      let names = Set(record.names(of: changed.className, after: false))
      let missing = wanted(schema, changed.className)?.properties.first {
        !names.contains($0.name) && !$0.isOptional && $0.collection == nil && $0.type != .any
          && $0.type != .object
      }
      if let missing {
        throw UndoError(
          "change \(report.entry.number) cannot be undone, because class '\(changed.className)' got the field "
            + "'\(missing.name)' since, which the deleted objects lack; undo that change first")
      }
    }
    let wanted = Schema(rest).replacing(record.classes.filter(\.isChanged).compactMap(\.before))
    let errors = SchemaRules.errors(of: wanted, isStored: true)
    guard errors.isEmpty else {
      throw UndoError(
        "change \(report.entry.number) cannot be undone: \(errors.joined(separator: " "))")
    }
  }

  /// Returns a class as it is after the undoing.
  private func wanted(_ schema: Schema, _ name: String) -> ObjectSchema? {
    let changed = record[name]
    return changed?.isChanged == true ? changed?.before : schema[name]
  }

  private func validate(
    _ changed: ChangeRecord.ChangedObjects, _ layout: TableLayout, _ conflicts: inout Conflicts
  ) throws {
    let name = changed.className
    let all = record.names(of: name, after: true)
    var inserted: Set<Int64> = []
    switch changed.inserted {
    case .none: break
    case .each(let objects):
      for object in objects {
        let key = current(name, object.key)
        inserted.insert(key.rawValue)
        if try checksum(key, all, layout) != object.checksum {
          conflicts.add(try self.name(of: key, layout))
        }
      }
    case .many(_, let count):
      guard isLast else {
        throw UndoError(
          "change \(report.entry.number) cannot be undone, because it has added \(count) objects of '\(name)', and "
            + "the store was changed since; so many objects are not compared one by one")
      }
    }
    guard !changed.isUncompared || isLast else {
      throw UndoError(
        "change \(report.entry.number) cannot be undone, because it has added fields to the objects of '\(name)', and "
          + "the store was changed since; so many objects are not compared one by one")
    }
    let isNew = record.classes.contains { $0.name == name && $0.before == nil }
    if isNew, try old.rowCount(name) > changed.inserted.count {
      throw UndoError(
        "change \(report.entry.number) cannot be undone, because class '\(name)' got more objects since"
      )
    }
    for update in changed.updates where !update.compared.isEmpty {
      for row in update.rows {
        let key = current(name, row.key)
        if try checksum(key, update.compared, layout) != row.checksum {
          conflicts.add(try self.name(of: key, layout))
        }
      }
    }
    try validateKeys(changed, layout, inserted, &conflicts)
  }

  /// Adds the deleted objects whose primary keys other objects have now.
  private func validateKeys(
    _ changed: ChangeRecord.ChangedObjects, _ layout: TableLayout, _ inserted: Set<Int64>,
    _ conflicts: inout Conflicts
  ) throws {
    let before = record[changed.className]?.before
    guard let property = layout.schema.primaryKeyProperty,
      before?[property.name]?.isPrimaryKey == true
    else { return }
    let many: ClosedRange<Int64>? =
      if case .many(let keys, _) = changed.inserted { keys } else { nil }
    for object in changed.deleted {
      guard let key = try old.key(layout, primaryKey: object.primaryKey)?.rawValue,
        !inserted.contains(key), many?.contains(key) != true
      else { continue }
      conflicts.add(try name(of: ObjectKey(key), layout))
    }
  }

  /// Returns the checksum of properties of an object as the change has left it; nil for an object that does not exist.
  private func checksum(
    _ key: ObjectKey, _ names: [String], _ layout: TableLayout
  ) throws -> UInt64? {
    guard try old.contains(layout, key) else { return nil }
    let row = try present.row(key, layout, as: layout, only: Set(names))
    var writer = ChangeByteWriter()
    var coder = ChangeRowCoder(catalogue: old.catalogue)
    coder.translation = { keys.former($0) }
    coder.write(row, names, of: layout, to: &writer)
    return writer.checksum
  }

  /// Returns the primary key of an object as text, or the key of its row.
  private func name(of key: ObjectKey, _ layout: TableLayout) throws -> String {
    guard let property = layout.schema.primaryKeyProperty, let column = layout.column(of: property),
      let value = try old.value(layout, key, column)
    else { return "row \(key.rawValue) of \(layout.schema.className)" }
    return "\(layout.schema.className) \(value.keyText)"
  }

  /// The objects that were changed since.
  private struct Conflicts {
    private var names: [String] = []
    private var count = 0

    mutating func add(_ name: String) {
      count += 1
      if names.count < 10 { names.append(name) }
    }

    func message(of number: Int64) -> String? {
      guard count > 0 else { return nil }
      let rest = count > names.count ? " and \(count - names.count) more" : ""
      return "change \(number) cannot be undone, because objects were changed since: "
        + names.joined(separator: ", ") + rest
    }
  }
}

extension ObjectSchema {
  /// Returns whether another class has all properties of this one, with values that are stored alike; an embedded
  /// class has no others.
  fileprivate func hasSameValues(in other: ObjectSchema?) -> Bool {
    guard let other, other.isEmbedded == isEmbedded else { return false }
    if isEmbedded, other.properties.count != properties.count { return false }
    return properties.allSatisfy { property in
      other[property.name].map {
        $0.type == property.type && $0.collection == property.collection
          && $0.isOptional == property.isOptional && $0.objectClassName == property.objectClassName
      } == true
    }
  }
}

extension Value {
  /// The text of a primary key.
  fileprivate var keyText: String {
    switch self {
    case .int(let number): "\(number)"
    case .string(let text): "'\(text)'"
    case .objectId(let identifier): "\(identifier)"
    case .uuid(let uuid): uuid.uuidString
    default: "\(self)"
    }
  }
}
