import CadastreModel
import CadastreStore

/// Writes unmanaged objects into the store.
///
/// A row is written before its links, so that a link back finds the row.
struct ObjectWriter {
  private let core: RealmCore
  /// The copies made so far of another Realm's objects; nil where they are refused.
  private let copies: Copies?
  private let unfinished = Unfinished()
  /// Whether the rows of new objects stay in memory with them.
  private let keepsRows: Bool

  /// A writer that refuses objects of another Realm.
  ///
  /// - Parameters:
  ///   - core: The Realm that is written.
  ///   - keepsRows: Whether the rows of new objects stay in memory with them, which makes reading a
  ///     few of them faster, and takes a lot of memory for many.
  init(_ core: RealmCore, keepsRows: Bool = true) {
    self.core = core
    self.keepsRows = keepsRows
    copies = nil
  }

  /// A writer that copies objects of another Realm.
  ///
  /// - Parameters:
  ///   - core: The Realm that is written.
  ///   - source: An object of which there is a copy already.
  ///   - copy: That copy.
  init(_ core: RealmCore, copying source: Object?, to copy: Object) {
    self.core = core
    keepsRows = true
    let copies = Copies()
    if let row = source?.position?.row { copies.known[Copies.Row(row)] = copy }
    self.copies = copies
  }

  // MARK: Whole objects

  /// Adds an object and the objects it links to, and makes them managed.
  ///
  /// Objects that this Realm manages already are unchanged.
  func add(_ object: ObjectBase, _ policy: Realm.UpdatePolicy) {
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
    let table = unfinished.table(of: root, core)
    let existing = existing(root, table, policy)
    let named = existing == nil || policy == .all ? nil : root.namedProperties
    root.namedProperties = nil
    var row = existing?.values ?? unfinished.row(table)
    let members = unfinished.members(replacing: existing)
    write(
      root, table.layout.fields, nil, into: &row, members
    ) { named?.contains($0) == false }
    let managed: ManagedRow
    if let existing {
      let changes = changes(from: existing.values, to: row, policy, table)
      if !changes.isEmpty { existing.set(changes) }
      managed = existing
    } else {
      managed = insert(&row, table)
    }
    root.attach(to: ObjectPosition(managed), table.info)
    finish(members, in: managed, policy)
  }

  private func insert(_ row: inout [Value], _ table: ManagedTable) -> ManagedRow {
    let key = core.insert(table, row)
    if keepsRows { return ManagedRow(table, key, values: row) }
    unfinished.takeBack(&row, table)
    return ManagedRow(table, key)
  }

  /// Adds an embedded object that gets a row of its own.
  func addOwned(_ object: ObjectBase, _ table: ManagedTable) -> ObjectKey {
    refuseSecondOwner(of: object)
    var row = unfinished.row(table)
    let members = unfinished.members(replacing: nil)
    write(object, table.layout.fields, table.layout.point, into: &row, members)
    let managed = insert(&row, table)
    object.attach(to: ObjectPosition(managed), table.info)
    finish(members, in: managed, .error)
    return managed.key
  }

  private func refuseSecondOwner(of object: ObjectBase) {
    guard object.position != nil else { return }
    ProgrammingError.stop(
      "Can't set link to existing managed embedded object of type "
        + "'\(object.objectSchema.className)': it has an owner already. Make a copy with "
        + "init(value:).")
  }

  /// The row to be updated instead of a new one, by policy and primary key.
  private func existing(
    _ object: Object, _ table: ManagedTable, _ policy: Realm.UpdatePolicy
  ) -> ManagedRow? {
    let schema = table.info.schema
    guard policy != .error else { return nil }
    guard let property = schema.primaryKeyProperty, let index = schema.index(of: property.name)
    else {
      ProgrammingError.stop(
        "'\(schema.className)' does not have a primary key and can not be updated.")
    }
    let field = table.info.fields[index]
    guard
      case .value(let value) = field.property.content(at: field.address(in: object), of: object)
    else { return nil }
    let key = core.read(or: nil) { try $0.key(schema.className, primaryKey: value) }
    return key.map { ManagedRow(table, $0) }
  }

  private func changes(
    from old: [Value], to new: [Value], _ policy: Realm.UpdatePolicy, _ table: ManagedTable
  ) -> [(column: Int, value: Value)] {
    // Columns of collections and owned objects are set when these are written.
    let elsewhere = Set(
      table.layout.collections.map(\.countColumn) + table.layout.owned.map(\.column))
    return new.indices.filter { column in
      old[column] != new[column] || policy == .all && !elsewhere.contains(column)
    }.map { ($0, new[$0]) }
  }

  // MARK: One property

  /// Makes a property of a managed object lead to an object.
  func set(
    _ value: ObjectBase?, _ property: Int, of owner: ObjectBase, at position: ObjectPosition
  ) {
    let info = owner.classInfo
    let row = position.row
    switch position.field(property) {
    case .link(let column):
      checkClass(of: value, info, property)
      row.set([(column, link(to: value, .error))])
    case .embedded(let layout):
      checkClass(of: value, info, property)
      if let value { refuseSecondOwner(of: value) }
      var values = row.values
      let members = unfinished.members(replacing: row)
      write(value, layout, into: &values, members)
      row.set(layout.columns.map { ($0, values[$0]) })
      finish(members, in: row, .error)
    case .owned(let column):
      checkClass(of: value, info, property)
      setOwned(
        value, column, in: row, info.schema.properties[property].objectClassName,
        previous: row.value(column))
    case .scalar, .collection, .pointType, .pointCoordinates: break
    }
  }

  /// Replaces an embedded object with a row of its own by another.
  private func setOwned(
    _ value: ObjectBase?, _ column: Int, in row: ManagedRow, _ className: String?, previous: Value
  ) {
    guard let className, let table = core.table(named: className) else { return }
    if case .link(let key) = previous, let value, value.position?.row.key == key { return }
    row.set([(column, value.map { .link(addOwned($0, table)) } ?? .null)])
    if case .link(let key) = previous {
      core.deleteOwned(ObjectAddress(className: className, key: key))
    }
  }

  // MARK: Elements

  /// The stored form of an element of a collection; new objects are added.
  func element(
    _ content: PropertyContent, of layout: CollectionLayout, name: @autoclosure () -> String,
    _ policy: Realm.UpdatePolicy = .error
  ) -> Value {
    if layout.element.type == .any {
      if layout.kind == .set { refuseCollection(content) }
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
      if object.position != nil {
        ProgrammingError.stop(
          "Cannot add an existing managed embedded object to a "
            + (layout.kind == .map ? "Dictionary." : "List.")
            + " It has one owner: make a copy with init(value:).")
      }
      return .link(addOwned(object, table))
    case .elements, .entries: return .null
    }
  }

  /// The stored form of a value of any type; new objects in it are added.
  ///
  /// - Parameters:
  ///   - content: The value.
  ///   - policy: The policy for objects whose primary key exists.
  ///   - depth: The number of lists and maps around it.
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

  private func refuseCollection(_ content: PropertyContent) {
    switch content {
    case .elements, .entries:
      ProgrammingError.stop("A MutableSet cannot hold lists or maps: use a List of AnyRealmValue.")
    case .value, .object: break
    }
  }

  // MARK: Rows

  /// The parts of an object that are written after its row.
  private final class Members {
    /// The row that was there before.
    fileprivate(set) var replaced: ManagedRow?
    var links: [(column: Int, target: ObjectBase?)] = []
    var embedded: [(object: ObjectBase, layout: EmbeddedLayout, generation: Value)] = []
    var owned: [(column: Int, object: ObjectBase?, className: String?)] = []
    var collections: [(layout: CollectionLayout, content: PropertyContent)] = []
    var mixed: [(column: Int, content: PropertyContent)] = []

    /// Whether nothing but embedded objects is left to be done.
    var isSettled: Bool {
      links.isEmpty && owned.isEmpty && collections.isEmpty && mixed.isEmpty
    }

    /// The value of a column before the members are written.
    func previous(_ column: Int, of row: ManagedRow) -> Value {
      replaced == nil ? .null : row.value(column)
    }

    func removeAll() {
      replaced = nil
      links.removeAll(keepingCapacity: true)
      embedded.removeAll(keepingCapacity: true)
      owned.removeAll(keepingCapacity: true)
      collections.removeAll(keepingCapacity: true)
      mixed.removeAll(keepingCapacity: true)
    }
  }

  /// Written rows whose members are not yet written, and buffers for reuse.
  private final class Unfinished {
    var rows: [(members: Members, row: ManagedRow, policy: Realm.UpdatePolicy)] = []
    var isBeingFinished = false
    private var lastTable: (type: ObjectBase.Type, table: ManagedTable)?
    private var spareMembers: [Members] = []
    private var spareRow: (table: ManagedTable, row: [Value])?

    /// The table of an object's class.
    func table(of object: Object, _ core: RealmCore) -> ManagedTable {
      let type = type(of: object)
      if let lastTable, lastTable.type == type { return lastTable.table }
      let table = core.table(type)
      lastTable = (type, table)
      return table
    }

    func members(replacing row: ManagedRow?) -> Members {
      let members = spareMembers.popLast() ?? Members()
      members.replaced = row
      return members
    }

    func takeBack(_ members: Members) {
      members.removeAll()
      spareMembers.append(members)
    }

    /// A row without values.
    func row(_ table: ManagedTable) -> [Value] {
      guard let spare = spareRow, spare.table.isSame(as: table) else { return table.emptyRow }
      // Handed out once: writing a row may run code that adds objects.
      spareRow = nil
      return spare.row
    }

    func takeBack(_ row: inout [Value], _ table: ManagedTable) {
      for column in row.indices { row[column] = .null }
      spareRow = (table, row)
      row = []
    }
  }

  /// Makes embedded objects managed, and writes the members of a row.
  ///
  /// Rows of linked objects are queued, so that chains of any length need no deep stack.
  private func finish(_ members: Members, in row: ManagedRow, _ policy: Realm.UpdatePolicy) {
    for (object, layout, generation) in members.embedded {
      object.attach(to: ObjectPosition(row, layout, generation: generation), object.classInfo)
    }
    guard !members.isSettled else { return unfinished.takeBack(members) }
    unfinished.rows.append((members, row, policy))
    guard !unfinished.isBeingFinished else { return }
    unfinished.isBeingFinished = true
    defer { unfinished.isBeingFinished = false }
    while !unfinished.rows.isEmpty {
      let rows = unfinished.rows
      unfinished.rows = []
      for (members, row, policy) in rows {
        settle(members, in: row, policy)
        unfinished.takeBack(members)
      }
    }
  }

  /// Writes links and fills collections.
  private func settle(_ members: Members, in row: ManagedRow, _ policy: Realm.UpdatePolicy) {
    for (column, target) in members.links {
      let link = link(to: target, policy)
      if policy == .all || members.previous(column, of: row) != link { row.set([(column, link)]) }
    }
    for (column, object, className) in members.owned {
      setOwned(object, column, in: row, className, previous: members.previous(column, of: row))
    }
    for (column, content) in members.mixed {
      let value = mixed(content, policy)
      if policy == .all || members.previous(column, of: row) != value {
        row.set([(column, value)])
      }
    }
    for (layout, content) in members.collections {
      fill(layout, of: row, with: content, policy, isNew: members.replaced == nil)
    }
  }

  /// Replaces the elements of a collection.
  private func fill(
    _ layout: CollectionLayout, of row: ManagedRow, with content: PropertyContent,
    _ policy: Realm.UpdatePolicy, isNew: Bool
  ) {
    let name = "\(layout.ownerClass).\(layout.path)"
    switch content {
    case .elements(let contents):
      let values = contents.map { element($0, of: layout, name: name, policy) }
      if isNew, values.isEmpty { return }
      if !isNew {
        let present = core.read(or: []) { try CollectionReader(layout, $0).values(row.key) }
        if policy == .modified, present == values { return }
        core.change(layout, removesEmbedded: true, or: ()) {
          try $0.removeAll(from: layout, of: row.key)
        }
      }
      core.change(layout, or: ()) { transaction in
        if layout.kind == .list {
          try transaction.insert(values, at: 0, into: layout, of: row.key)
        } else {
          for value in values { _ = try transaction.insert(value, into: layout, of: row.key) }
        }
      }
    case .entries(let entries):
      if isNew, entries.isEmpty { return }
      let values = entries.map { ($0.key, element($0.content, of: layout, name: name, policy)) }
      if !isNew {
        core.change(layout, removesEmbedded: true, or: ()) {
          try $0.removeAll(from: layout, of: row.key)
        }
      }
      core.change(layout, or: ()) { transaction in
        for (key, value) in values {
          try transaction.set(value, forKey: key, in: layout, of: row.key)
        }
      }
    case .value, .object: break
    }
  }

  /// The stored form of a link, its target added if it is new.
  private func link(to target: ObjectBase?, _ policy: Realm.UpdatePolicy) -> Value {
    guard let target else { return .null }
    let local = copies?.copy(of: target, notIn: core) ?? target
    add(local, policy)
    guard let position = local.position else { return .null }
    return .link(position.row.key)
  }

  /// Writes an embedded object, or none, into the columns of its owner.
  private func write(
    _ value: ObjectBase?, _ layout: EmbeddedLayout, into row: inout [Value], _ members: Members
  ) {
    let previous = row[layout.presence]
    if let value, value.position != nil || members.embedded.contains(where: { $0.object === value })
    {
      ProgrammingError.stop(
        "Can't set link to existing managed embedded object of type "
          + "'\(value.objectSchema.className)': it has an owner already. Make a copy with "
          + "init(value:).")
    }
    if let replaced = members.replaced, !previous.isNull { core.release(layout, of: replaced) }
    for column in layout.columns { row[column] = .null }
    guard let value else { return }
    let generation = Value.int(core.nextGeneration(after: previous))
    row[layout.presence] = generation
    members.embedded.append((value, layout, generation))
    write(value, layout.fields, layout.point, into: &row, members)
  }

  private func write(
    _ object: ObjectBase, _ fields: [FieldLayout], _ point: PointColumns?,
    into row: inout [Value], _ members: Members, isSkipped: (Int) -> Bool = { _ in false }
  ) {
    let info = object.classInfo
    var place = PointColumns.Content(type: "", coordinates: [])
    for (index, field) in info.fields.enumerated() where !isSkipped(index) {
      let content = field.property.content(at: field.address(in: object), of: object)
      let member: ObjectBase? = if case .object(let member) = content { member } else { nil }
      checkClass(of: member, info, index)
      switch (fields[index], content) {
      case (.scalar(let column), .value(let value)):
        Self.checkSize(value, "\(info.schema.className).\(info.schema.properties[index].name)")
        row[column] = value
      case (.scalar(let column), _): members.mixed.append((column, content))
      case (.link(let column), _): members.links.append((column, member))
      case (.owned(let column), _):
        if let member { refuseSecondOwner(of: member) }
        members.owned.append((column, member, info.schema.properties[index].objectClassName))
      case (.collection(let layout), _):
        // The number of elements in the store stays as it is until they change.
        if members.replaced == nil || row[layout.countColumn].isNull {
          row[layout.countColumn] = .int(0)
        }
        members.collections.append((layout, content))
      case (.embedded(let layout), _): write(member, layout, into: &row, members)
      case (.pointType, .value(.string(let type))): place.type = type
      case (.pointCoordinates, .elements(let coordinates)):
        place.coordinates = coordinates.compactMap { $0.value?.doubleValue }
      default: break
      }
    }
    point?.write(place, to: &row)
  }

  /// Stops the process for an object of a subclass: its table is another one.
  private func checkClass(of value: ObjectBase?, _ info: ClassInfo, _ property: Int) {
    guard value != nil else { return }
    let description = info.schema.properties[property]
    guard let expected = description.objectClassName, description.collection == nil else { return }
    checkClass(of: value, expected, "\(info.schema.className).\(description.name)")
  }

  private func checkClass(
    of value: ObjectBase?, _ expected: String, _ name: @autoclosure () -> String
  ) {
    guard let value, value.objectSchema.className != expected else { return }
    ProgrammingError.stop(
      "Object of type '\(value.objectSchema.className)' cannot be the value of '\(name())', which takes "
        + "'\(expected)' only: a subclass is stored apart from its superclass.")
  }

  /// Stops the process for a value that is too long to be stored.
  static func checkSize(_ value: Value, _ name: @autoclosure () -> String) {
    let count =
      switch value {
      case .string(let text): text.utf8.count
      case .data(let data): data.count
      default: 0
      }
    guard count > maximumBytes else { return }
    ProgrammingError.stop(
      "Value of '\(name())' has \(count) bytes; a "
        + "property holds at most \(maximumBytes). Keep larger data in files.")
  }

  /// 16 MB, as in Realm.
  private static let maximumBytes = 16 << 20
}

/// Copies of another Realm's objects, one for each.
private final class Copies {
  /// The identity of a row among those of all Realms.
  struct Row: Hashable {
    let core: ObjectIdentifier
    let className: String
    let key: ObjectKey

    init(_ row: ManagedRow) {
      core = ObjectIdentifier(row.core)
      className = row.table.className
      key = row.key
    }
  }

  var known: [Row: Object] = [:]

  /// The copy of an object of another Realm; nil for others.
  func copy(of object: ObjectBase, notIn core: RealmCore) -> Object? {
    guard let source = object as? Object, let row = source.position?.row, row.core !== core else {
      return nil
    }
    if let copy = known[Row(row)] { return copy }
    guard let copy = source.classInfo.type.init() as? Object else { return nil }
    known[Row(row)] = copy
    ClassInfo.of(type(of: copy)).fill(copy, from: source)
    return copy
  }
}
