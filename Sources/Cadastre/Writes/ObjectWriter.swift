import CadastreModel
import CadastreStore

/// Writes unmanaged objects into the store.
///
/// A row is written before its links, so that a cyclic link refers to an existing row.
// A class, because a row that is being written leads to others. Its properties are `@exclusivity(unchecked)`: no code
// that runs during an access reaches the property again, and the dynamic check would cost as much as the access.
final class ObjectWriter {
  let core: RealmCore
  /// The copies of objects of another Realm; nil if such objects stop the process.
  private let copies: ObjectCopies?
  /// Whether new objects keep their rows in memory.
  private let keepsRows: Bool
  /// The written rows whose members are not written yet.
  @exclusivity(unchecked)
  private var pending: [(members: PendingMembers, row: ManagedRow, policy: Realm.UpdatePolicy)] = []
  @exclusivity(unchecked) private var isWritingMembers = false

  /// Creates a writer that stops the process for objects of another Realm.
  ///
  /// - Parameters:
  ///   - core: The Realm to write.
  ///   - keepsRows: Whether new objects keep their rows in memory, which speeds up reading a few objects, and
  ///     takes much memory for many objects.
  init(_ core: RealmCore, keepsRows: Bool = true) {
    self.core = core
    self.keepsRows = keepsRows
    copies = nil
  }

  /// Creates a writer that copies objects of another Realm.
  ///
  /// - Parameters:
  ///   - core: The Realm to write.
  ///   - source: An object that has a copy.
  ///   - copy: The copy.
  init(_ core: RealmCore, copying source: Object?, to copy: Object) {
    self.core = core
    keepsRows = true
    let copies = ObjectCopies()
    if let row = source?.position?.row { copies.known[ObjectCopies.Row(row)] = copy }
    self.copies = copies
  }

  // MARK: Whole objects

  /// Adds an object and the objects it links to, and makes them managed.
  ///
  /// Objects that this Realm manages do not change.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - policy: The policy for objects whose primary key exists.
  ///   - specified: The properties that the value of the object specifies; nil for those that the object records.
  ///   - isLinked: Whether another object links to the object; a linked object without a primary key is
  ///     inserted, independent of the policy.
  func add(
    _ object: ObjectBase, _ policy: Realm.UpdatePolicy, _ specified: SpecifiedProperties? = nil,
    isLinked: Bool = false
  ) {
    if let position = object.position {
      guard position.row.core === core else {
        ProgrammingError.stop(
          "Object is already managed by another Realm. Use create instead to copy it into this one."
        )
      }
      guard position.isValid else {
        ProgrammingError.stop("Object has been deleted or invalidated and cannot be added.")
      }
      return
    }
    guard let root = object as? Object else {
      ProgrammingError.stop(
        "Embedded objects cannot be created directly: set '\(type(of: object).className())' as a "
          + "property of the object that holds it.")
    }
    let table = core.table(type(of: root))
    let specified = specified ?? root.takeSpecifiedProperties()
    let existing = existing(root, table, policy, specified, isLinked: isLinked)
    let info = table.info.type == type(of: root) ? table.info : root.classInfo
    var row = existing?.values ?? table.newRow
    var members = PendingMembers(replaced: existing?.row)
    write(
      root, info, table.layout.fields, nil, into: &row, &members, policy, specified,
      all: existing == nil || policy == .all)
    let managed: ManagedRow
    if let existing {
      let changes = changes(from: existing.values, to: row, policy, table)
      if !changes.isEmpty { existing.row.set(changes) }
      managed = existing.row
    } else {
      managed = self.managed(row, table, core.insert(table, row, isUpsert: policy != .error))
    }
    root.attach(to: ObjectPosition(managed), table.info)
    finish(members, in: managed, policy)
  }

  private func managed(_ row: [Value], _ table: ManagedTable, _ key: ObjectKey) -> ManagedRow {
    keepsRows ? ManagedRow(table, key, values: row) : ManagedRow(table, key)
  }

  /// Adds an embedded object with a separate row; the policy applies to the objects that it links to.
  func addOwned(
    _ object: ObjectBase, _ table: ManagedTable, _ policy: Realm.UpdatePolicy = .error
  ) -> ObjectKey {
    var members = PendingMembers()
    let row = ownedRow(of: object, table, &members, policy)
    let managed = managed(row, table, core.insert(table, row, isUpsert: false))
    object.attach(to: ObjectPosition(managed), table.info)
    finish(members, in: managed, policy)
    return managed.key
  }

  /// Adds distinct embedded objects with separate rows, in one batch; the policy applies to the objects that they link
  /// to.
  func addOwned(
    _ objects: [ObjectBase], _ table: ManagedTable, _ policy: Realm.UpdatePolicy
  ) -> [ObjectKey] {
    var members = Array(repeating: PendingMembers(), count: objects.count)
    let rows = objects.indices.map { ownedRow(of: objects[$0], table, &members[$0], policy) }
    let inserted = core.insert(table, rows)
    return objects.indices.map { index in
      let key = inserted.map { ObjectKey($0.lowerBound + Int64(index)) } ?? core.nextRefusedKey()
      let managed = managed(rows[index], table, key)
      objects[index].attach(to: ObjectPosition(managed), table.info)
      finish(members[index], in: managed, policy)
      return key
    }
  }

  /// Returns the row of a new embedded object with a separate row.
  private func ownedRow(
    of object: ObjectBase, _ table: ManagedTable, _ members: inout PendingMembers,
    _ policy: Realm.UpdatePolicy
  ) -> [Value] {
    refuseSecondOwner(of: object)
    var row = table.newRow
    write(
      object, object.classInfo, table.layout.fields, table.layout.point, into: &row, &members,
      policy)
    return row
  }

  /// Updates an embedded object with a separate row, which keeps its identity.
  func update(
    _ row: ManagedRow, from object: ObjectBase, _ table: ManagedTable, _ policy: Realm.UpdatePolicy
  ) {
    refuseSecondOwner(of: object)
    let previous = row.values
    var values = previous
    var members = PendingMembers(replaced: row)
    write(
      object, object.classInfo, table.layout.fields, table.layout.point, into: &values, &members,
      policy, object.takeSpecifiedProperties(), all: false)
    let changes = changes(from: previous, to: values, policy, table)
    if !changes.isEmpty { row.set(changes) }
    object.attach(to: ObjectPosition(row), table.info)
    finish(members, in: row, policy)
  }

  /// Returns the row to update and its columns, by policy and primary key; nil to insert a row.
  private func existing(
    _ object: Object, _ table: ManagedTable, _ policy: Realm.UpdatePolicy,
    _ specified: SpecifiedProperties?, isLinked: Bool
  ) -> (row: ManagedRow, values: [Value])? {
    guard policy != .error else { return nil }
    let schema = table.info.schema
    guard let property = schema.primaryKeyProperty, let index = schema.index(of: property.name)
    else {
      if isLinked { return nil }
      ProgrammingError.stop(
        "'\(schema.className)' does not have a primary key and can not be updated.")
    }
    guard
      case .value(let value) = content(of: table.info.fields[index], of: object, specified?[index])
    else { return nil }
    let found = core.readRow(or: nil) { try $0.row(table.layout, primaryKey: value) }
    return found.map { (ManagedRow(table, $0.key, values: $0.row), $0.row) }
  }

  private func changes(
    from old: [Value], to new: [Value], _ policy: Realm.UpdatePolicy, _ table: ManagedTable
  ) -> [(column: Int, value: Value)] {
    // The columns of collections and owned objects are set with their contents.
    let elsewhere =
      policy == .all
      ? table.layout.collections.map(\.countColumn) + table.layout.owned.map(\.column) : []
    return new.indices.filter { column in
      old[column] != new[column] || policy == .all && !elsewhere.contains(column)
    }.map { ($0, new[$0]) }
  }

  // MARK: One property

  /// Sets the linked or embedded object of a property of a managed object.
  func set(
    _ value: ObjectBase?, _ property: Int, of owner: ObjectBase, at position: ObjectPosition
  ) {
    let info = owner.classInfo
    let row = position.row
    switch position.fieldToSet(property) {
    case .link(let column):
      checkClass(of: value, info, property)
      row.set(column, link(to: value, .error))
    case .embedded(let layout):
      checkClass(of: value, info, property)
      if let position = value?.position, position.isValid,
        position.isSameObject(as: ObjectPosition(row, layout))
      {
        return
      }
      if let value { refuseSecondOwner(of: value) }
      var values = row.values
      var members = PendingMembers(replaced: row)
      write(value, layout, into: &values, &members, .error)
      row.set(layout.columns.map { ($0, values[$0]) })
      finish(members, in: row, .error)
    case .owned(let column):
      checkClass(of: value, info, property)
      setOwned(
        value, column, in: row, info.schema.properties[property].objectClassName,
        previous: row.value(column), .error)
    case .scalar, .collection, .pointType, .pointCoordinates: break
    }
  }

  /// Replaces an embedded object with a separate row.
  private func setOwned(
    _ value: ObjectBase?, _ column: Int, in row: ManagedRow, _ className: String?,
    previous: Value, _ policy: Realm.UpdatePolicy
  ) {
    guard let className, let table = core.table(named: className) else { return }
    if case .link(let key) = previous, let value, value.position?.row.key == key { return }
    row.set(column, value.map { .link(addOwned($0, table, policy)) } ?? .null)
    if case .link(let key) = previous {
      core.deleteOwned(ObjectAddress(className: className, key: key))
    }
  }

  // MARK: Rows

  /// Makes the embedded objects of a row managed, and queues the members of the row.
  ///
  /// The queue avoids deep recursion along chains of links.
  private func finish(_ members: PendingMembers, in row: ManagedRow, _ policy: Realm.UpdatePolicy) {
    for (object, info, layout, generation) in members.embedded {
      object.attach(to: ObjectPosition(row, layout, generation: generation), info)
    }
    guard !members.isSettled else { return }
    pending.append((members, row, policy))
    guard !isWritingMembers else { return }
    isWritingMembers = true
    defer { isWritingMembers = false }
    while !pending.isEmpty {
      let rows = pending
      pending = []
      for (members, row, policy) in rows { writeMembers(members, in: row, policy) }
    }
  }

  /// Writes links and fills collections.
  private func writeMembers(
    _ members: PendingMembers, in row: ManagedRow, _ policy: Realm.UpdatePolicy
  ) {
    for (column, target) in members.links {
      let link = link(to: target, policy)
      if policy == .all || members.previous(column, of: row) != link { row.set(column, link) }
    }
    for (column, object, className) in members.owned {
      let previous = members.previous(column, of: row)
      if policy == .modified, let object, object.position == nil, case .link(let key) = previous,
        let table = className.flatMap(core.table(named:))
      {
        update(ManagedRow(table, key), from: object, table, policy)
      } else {
        setOwned(object, column, in: row, className, previous: previous, policy)
      }
    }
    for (column, content) in members.mixed {
      let value = mixed(content, policy)
      if policy == .all || members.previous(column, of: row) != value {
        row.set(column, value)
      }
    }
    for (layout, content) in members.collections {
      fill(layout, of: row, with: content, policy, isNew: members.replaced == nil)
    }
  }

  /// Returns the stored form of null or of a link to an object that this Realm manages; nil for a target
  /// without a row.
  private func knownLink(to target: ObjectBase?) -> Value? {
    guard let target else { return .null }
    guard let position = target.position, position.row.core === core, position.isValid else {
      return nil
    }
    return .link(position.row.key)
  }

  /// Returns the stored form of a link; adds an unmanaged target.
  func link(to target: ObjectBase?, _ policy: Realm.UpdatePolicy) -> Value {
    guard let target else { return .null }
    let local = copies?.copy(of: target, notIn: core) ?? target
    add(local, policy, isLinked: true)
    guard let position = local.position else { return .null }
    return .link(position.row.key)
  }

  /// Writes an embedded object or null into the columns of its owner.
  ///
  /// With the policy `modified` an existing embedded object is updated, and keeps its identity.
  private func write(
    _ value: ObjectBase?, _ layout: EmbeddedLayout, into row: inout [Value],
    _ members: inout PendingMembers, _ policy: Realm.UpdatePolicy
  ) {
    let previous = row[layout.presence]
    if let value {
      refuseSecondOwner(of: value, isOwned: members.embedded.contains { $0.object === value })
    }
    if let value, policy == .modified, members.replaced != nil, !previous.isNull {
      let info = value.classInfo
      members.embedded.append((value, info, layout, previous))
      write(
        value, info, layout.fields, layout.point, into: &row, &members, policy,
        value.takeSpecifiedProperties(), all: false)
      return
    }
    if let replaced = members.replaced, !previous.isNull { core.release(layout, of: replaced) }
    for column in layout.columns { row[column] = .null }
    guard let value else { return }
    let generation = Value.int(core.nextGeneration(after: previous))
    row[layout.presence] = generation
    let info = value.classInfo
    members.embedded.append((value, info, layout, generation))
    write(value, info, layout.fields, layout.point, into: &row, &members, policy)
  }

  /// Writes all properties of an object; without `all` only those that its value specifies, where it specifies some.
  private func write(
    _ object: ObjectBase, _ info: ClassInfo, _ fields: [FieldLayout], _ point: PointColumns?,
    into row: inout [Value], _ members: inout PendingMembers, _ policy: Realm.UpdatePolicy,
    _ specified: SpecifiedProperties? = nil, all: Bool = true
  ) {
    let part = all ? nil : specified
    var place = PointColumns.Content(type: "", coordinates: [])
    // The properties of a point share columns, so unspecified ones keep their values.
    if part != nil, let point { place = point.content(row) }
    for index in info.fields.indices where part?.contains(index) != false {
      let content = content(of: info.fields[index], of: object, specified?[index])
      if case .value(let value) = content, case .scalar(let column) = fields[index] {
        Self.checkSize(value, info.name(of: index))
        row[column] = value
        continue
      }
      let member = content.linkedObject
      if let member {
        if case .set(let given?) = part?[index] { member.specifiedProperties = given }
        checkClass(of: member, info, index)
      }
      switch (fields[index], content) {
      case (.scalar(let column), _): members.mixed.append((column, content))
      case (.link(let column), _):
        if members.replaced == nil, let link = knownLink(to: member) {
          row[column] = link
        } else {
          members.links.append((column, member))
        }
      case (.owned(let column), _):
        if let member { refuseSecondOwner(of: member) }
        members.owned.append((column, member, info.schema.properties[index].objectClassName))
      case (.collection(let layout), _):
        // The number of stored elements does not change until the elements are written.
        if members.replaced == nil {
          row[layout.countColumn] = .int(Int64(Self.countOfNewList(layout, content)))
        } else if row[layout.countColumn].isNull {
          row[layout.countColumn] = .int(0)
        }
        if members.replaced != nil || !content.isEmptyCollection {
          members.collections.append((layout, content))
        }
      case (.embedded(let layout), _): write(member, layout, into: &row, &members, policy)
      case (.pointType, .value(.string(let type))): place.type = type
      case (.pointCoordinates, .elements(let coordinates)):
        place.coordinates = []
        place.coordinates.reserveCapacity(coordinates.count)
        for coordinate in coordinates {
          if let number = coordinate.value?.doubleValue { place.coordinates.append(number) }
        }
      default: break
      }
    }
    point?.write(place, to: &row)
  }

  /// Returns the content of a property of an object, or the value that was specified and not set in the object.
  private func content(
    of field: ClassInfo.Field, of object: ObjectBase, _ specified: SpecifiedProperties.Content?
  ) -> PropertyContent {
    if case .value(let value) = specified { .value(value) } else { field.content(of: object) }
  }
}

/// The parts of an object that are written after its row.
private struct PendingMembers {
  /// The row that was there before.
  var replaced: ManagedRow?
  var links: [(column: Int, target: ObjectBase?)] = []
  var embedded: [(object: ObjectBase, info: ClassInfo, layout: EmbeddedLayout, generation: Value)] =
    []
  var owned: [(column: Int, object: ObjectBase?, className: String?)] = []
  var collections: [(layout: CollectionLayout, content: PropertyContent)] = []
  var mixed: [(column: Int, content: PropertyContent)] = []

  /// Whether only embedded objects, which are in the row, are left.
  var isSettled: Bool {
    links.isEmpty && owned.isEmpty && collections.isEmpty && mixed.isEmpty
  }

  /// The value of a column before the members are written.
  func previous(_ column: Int, of row: ManagedRow) -> Value {
    replaced == nil ? .null : row.value(column)
  }
}
