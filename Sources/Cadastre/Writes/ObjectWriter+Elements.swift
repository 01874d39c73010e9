import CadastreModel
import CadastreStore

/// Writes of collections and of values of any type.
extension ObjectWriter {
  /// Converts an element of a collection to its stored form, and adds unmanaged objects.
  func element(
    _ content: PropertyContent, of layout: CollectionLayout, name: @autoclosure () -> String,
    _ policy: Realm.UpdatePolicy = .error
  ) -> Value {
    if layout.element.type == .any {
      if layout.kind == .set, content.isCollection {
        ProgrammingError.stop(
          "A MutableSet cannot hold lists or maps: use a List of AnyRealmValue.")
      }
      return mixed(content, policy)
    }
    switch content {
    case .value(let value):
      Self.checkSize(value, name())
      return value
    case .object(let object):
      guard let target = layout.target else { return .null }
      checkClass(of: object, target, name())
      guard layout.isOwning else { return link(to: object, policy) }
      guard let table = core.table(named: target) else { return .null }
      refuseOwned(object, in: layout)
      return .link(addOwned(object, table, policy))
    case .elements, .entries: return .null
    }
  }

  /// Converts the elements of a collection to their stored forms, and adds unmanaged objects.
  private func elements(
    _ contents: [PropertyContent], of layout: CollectionLayout, name: String,
    _ policy: Realm.UpdatePolicy
  ) -> [Value] {
    if layout.isOwning, !contents.isEmpty, let table = layout.target.flatMap(core.table(named:)),
      let objects = owned(contents, of: layout, name: name)
    {
      return addOwned(objects, table, policy).map(Value.link)
    }
    return contents.map { element($0, of: layout, name: name, policy) }
  }

  /// Returns the embedded objects of a collection, which have no owner yet; nil where an element is none.
  private func owned(
    _ contents: [PropertyContent], of layout: CollectionLayout, name: String
  ) -> [ObjectBase]? {
    guard let target = layout.target else { return nil }
    var seen = Set<ObjectIdentifier>(minimumCapacity: contents.count)
    let objects = contents.compactMap { content -> ObjectBase? in
      guard case .object(let object) = content else { return nil }
      checkClass(of: object, target, name)
      let isRepeated = !seen.insert(ObjectIdentifier(object)).inserted
      refuseOwned(object, isRepeated: isRepeated, in: layout)
      return object
    }
    return objects.count == contents.count ? objects : nil
  }

  /// Updates the embedded objects of a list in their order, so that these keep their identity; adds or removes the last
  /// ones.
  private func updateElements(
    of layout: CollectionLayout, in row: ManagedRow, from objects: [ObjectBase],
    _ policy: Realm.UpdatePolicy
  ) {
    guard let table = layout.target.flatMap(core.table(named:)) else { return }
    let present = core.read(.elements, or: []) { try CollectionReader(layout, $0).values(row.key) }
    for (value, object) in zip(present, objects) {
      if case .link(let key) = value { update(ManagedRow(table, key), from: object, table, policy) }
    }
    if objects.count < present.count {
      core.change(or: ()) {
        try $0.remove(objects.count..<present.count, from: layout, of: row.key)
      }
    } else if objects.count > present.count {
      let added = addOwned(Array(objects[present.count...]), table, policy).map(Value.link)
      core.change(or: ()) { try $0.insert(added, at: present.count, into: layout, of: row.key) }
    }
  }

  /// Stops the process for an embedded object that has an owner, or is repeated in the collection.
  private func refuseOwned(
    _ object: ObjectBase, isRepeated: Bool = false, in layout: CollectionLayout
  ) {
    guard isRepeated || object.position != nil else { return }
    ProgrammingError.stop(
      "Cannot add an existing managed embedded object to a "
        + (layout.kind == .map ? "Dictionary." : "List.")
        + " It has one owner: make a copy with init(value:).")
  }

  /// Converts a value of any type to its stored form, and adds unmanaged objects.
  ///
  /// - Parameters:
  ///   - content: The value.
  ///   - policy: The policy for objects whose primary key exists.
  ///   - depth: The nesting level.
  /// - Returns: The stored form; too many levels stop the process.
  func mixed(
    _ content: PropertyContent, _ policy: Realm.UpdatePolicy = .error, depth: Int = 0
  ) -> Value {
    switch content {
    case .value(let value):
      Self.checkSize(value, "an AnyRealmValue")
      return value
    case .object(let object):
      guard object is Object else {
        ProgrammingError.stop(
          "An AnyRealmValue cannot hold an embedded object: give it a property of its own.")
      }
      guard case .link(let key) = link(to: object, policy) else { return .null }
      return .object(ObjectAddress(className: object.objectSchema.className, key: key))
    case .elements(let elements):
      AnyRealmValue.checkDepth(depth)
      return .list(elements.map { mixed($0, policy, depth: depth + 1) })
    case .entries(let entries):
      AnyRealmValue.checkDepth(depth)
      return .map(
        ValueMap(entries.map { ($0.key, mixed($0.content, policy, depth: depth + 1)) }))
    }
  }

  /// Returns the number of elements of a new object's list, which is written with the row; 0 for sets and
  /// maps, whose elements may be equal.
  static func countOfNewList(_ layout: CollectionLayout, _ content: PropertyContent) -> Int {
    guard layout.kind == .list, case .elements(let elements) = content else { return 0 }
    return elements.count
  }

  /// Replaces the elements of a collection.
  func fill(
    _ layout: CollectionLayout, of row: ManagedRow, with content: PropertyContent,
    _ policy: Realm.UpdatePolicy, isNew: Bool
  ) {
    let name = "\(layout.ownerClass).\(layout.path)"
    switch content {
    case .elements(let contents):
      if !isNew, policy == .modified, layout.isOwning, layout.kind == .list,
        let objects = owned(contents, of: layout, name: name)
      {
        return updateElements(of: layout, in: row, from: objects, policy)
      }
      let values = elements(contents, of: layout, name: name, policy)
      if isNew, values.isEmpty { return }
      if !isNew {
        let present = core.read(.elements, or: []) {
          try CollectionReader(layout, $0).values(row.key)
        }
        if policy == .modified,
          layout.kind == .list ? present == values : Set(present) == Set(values)
        {
          return
        }
        core.change(or: ()) {
          try $0.removeAll(from: layout, of: row.key)
        }
      }
      core.change(or: ()) { transaction in
        if layout.kind == .list, isNew {
          try transaction.fill(values, intoNew: layout, of: row.key)
        } else if layout.kind == .list {
          try transaction.insert(values, at: 0, into: layout, of: row.key)
        } else {
          for value in values { _ = try transaction.insert(value, into: layout, of: row.key) }
        }
      }
    case .entries(let entries):
      if isNew, entries.isEmpty { return }
      let values = entries.map {
        (key: $0.key, value: element($0.content, of: layout, name: name, policy))
      }
      if !isNew {
        if policy == .modified, isStored(values, in: layout, of: row) { return }
        core.change(or: ()) {
          try $0.removeAll(from: layout, of: row.key)
        }
      }
      core.change(or: ()) { transaction in
        for (key, value) in values {
          try transaction.set(value, forKey: key, in: layout, of: row.key)
        }
      }
    case .value, .object: break
    }
  }

  /// Returns whether the stored entries of a map are equal to the new entries.
  private func isStored(
    _ entries: [(key: String, value: Value)], in layout: CollectionLayout, of row: ManagedRow
  ) -> Bool {
    let stored = core.read(.elements, or: []) { try CollectionReader(layout, $0).entries(row.key) }
    guard stored.count == entries.count else { return false }
    let given = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return zip(stored, given).allSatisfy {
      $0.key.hasSameBytes(as: $1.key) && $0.value == $1.value
    }
  }
}

/// Checks of values that a program must not write.
extension ObjectWriter {
  /// Stops the process for an embedded object that has an owner.
  ///
  /// - Parameters:
  ///   - object: The embedded object.
  ///   - isOwned: Whether the object has an owner that is not written yet.
  func refuseSecondOwner(of object: ObjectBase, isOwned: Bool = false) {
    guard isOwned || object.position != nil else { return }
    ProgrammingError.stop(
      "Can't set link to existing managed embedded object of type "
        + "'\(object.objectSchema.className)': it has an owner already. Make a copy with "
        + "init(value:).")
  }

  /// Stops the process for an object of a subclass, which has a separate table.
  func checkClass(of value: ObjectBase?, _ info: ClassInfo, _ property: Int) {
    guard let value,
      !info.objectTypes.indices.contains(property)
        || type(of: value) != info.objectTypes[property]
    else { return }
    let description = info.schema.properties[property]
    guard let expected = description.objectClassName, description.collection == nil else { return }
    checkClass(of: value, expected, info.name(of: property))
  }

  func checkClass(
    of value: ObjectBase?, _ expected: String, _ name: @autoclosure () -> String
  ) {
    guard let value, value.objectSchema.className != expected else { return }
    ProgrammingError.stop(
      "Object of type '\(value.objectSchema.className)' cannot be the value of '\(name())', which takes "
        + "'\(expected)' only: a subclass is stored apart from its superclass.")
  }

  /// Stops the process for a value that is too long.
  static func checkSize(_ value: Value, _ name: @autoclosure () -> String) {
    guard let count = excessBytes(of: value) else { return }
    ProgrammingError.stop(
      "Value of '\(name())' has \(count) bytes; a "
        + "property holds at most \(maximumBytes). Keep larger data in files.")
  }

  /// Returns the number of bytes of a value that is too long; nil for other values.
  static func excessBytes(of value: Value) -> Int? {
    let count =
      switch value {
      case .string(let text): text.utf8.count
      case .data(let data): data.count
      default: 0
      }
    return count > maximumBytes ? count : nil
  }

  /// 16 MB, as in Realm.
  static let maximumBytes = 16 << 20
}
