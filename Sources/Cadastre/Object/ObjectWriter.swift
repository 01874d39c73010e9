import CadastreModel
import CadastreStore

/// Brings objects that no Realm manages into the store.
///
/// A row is written first and its links after it, so that a link back finds the row.
struct ObjectWriter {
  private let core: RealmCore
  /// The copies made so far of another Realm's objects; nil where they are refused.
  private let copies: Copies?

  /// A writer that refuses objects of another Realm.
  init(_ core: RealmCore) {
    self.core = core
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
    let copies = Copies()
    if let row = source?.position?.row { copies.known[Copies.Row(row)] = copy }
    self.copies = copies
  }

  // MARK: Whole objects

  /// Adds an object, and those it links to, and makes it managed.
  ///
  /// What is managed by this Realm already stays as it is.
  func add(_ object: ObjectBase, _ policy: Realm.UpdatePolicy) {
    if let position = object.position {
      guard position.row.core === core else {
        Misuse.stop(
          "Object is already managed by another Realm. Use create instead to copy it into this one."
        )
      }
      guard position.isValid else {
        Misuse.stop("Object has been deleted or invalidated and cannot be added.")
      }
      return
    }
    guard let root = object as? Object else {
      Misuse.stop(
        "Embedded objects cannot be created directly: set '\(type(of: object).className())' as a "
          + "property of the object that holds it.")
    }
    let table = core.table(type(of: root))
    let existing = existing(root, table, policy)
    let named = existing == nil || policy == .all ? nil : root.namedProperties
    root.namedProperties = nil
    var row = existing?.values ?? table.layout.columns.map { _ in .null }
    let members = Members()
    write(
      root, table.layout.fields, nil, into: &row, members
    ) { named?.contains($0) == false }
    let managed: ManagedRow
    if let existing {
      let changes = changes(from: existing.values, to: row, policy)
      if !changes.isEmpty { existing.set(changes) }
      managed = existing
    } else {
      let key = core.insert(table, row)
      managed = ManagedRow(core, table, key, values: row)
    }
    table.info.attach(root)
    root.position = ObjectPosition(managed)
    settle(members, in: managed, policy)
  }

  /// The row to be updated instead of a new one, by policy and primary key.
  private func existing(
    _ object: Object, _ table: ManagedTable, _ policy: Realm.UpdatePolicy
  ) -> ManagedRow? {
    let schema = table.info.schema
    guard policy != .error else { return nil }
    guard let property = schema.primaryKeyProperty, let index = schema.index(of: property.name)
    else {
      Misuse.stop("'\(schema.className)' does not have a primary key and can not be updated.")
    }
    let field = table.info.fields[index]
    guard
      case .value(let value) = field.property.content(at: field.address(in: object), of: object)
    else { return nil }
    let key = Misuse.orStop { try core.reader.key(schema.className, primaryKey: value) }
    return key.map { ManagedRow(core, table, $0) }
  }

  private func changes(
    from old: [Value], to new: [Value], _ policy: Realm.UpdatePolicy
  ) -> [(column: Int, value: Value)] {
    new.indices.filter { policy == .all || old[$0] != new[$0] }.map { ($0, new[$0]) }
  }

  // MARK: One property

  /// Makes a property of a managed object lead to an object.
  func set(
    _ value: ObjectBase?, _ property: Int, of owner: ObjectBase, at position: ObjectPosition
  ) {
    let info = ClassInfo.of(type(of: owner))
    let row = position.row
    switch position.field(property) {
    case .link(let column):
      checkClass(of: value, info, property)
      row.set([(column, link(to: value, .error))])
    case .embedded(let layout):
      checkClass(of: value, info, property)
      var values = row.values
      let members = Members()
      write(value, layout, into: &values, members)
      row.set(layout.columns.map { ($0, values[$0]) })
      settle(members, in: row, .error)
    case .scalar, .pointType, .pointCoordinates: break
    }
  }

  // MARK: Rows

  /// What is to be done when a row is there.
  private final class Members {
    var links: [(column: Int, target: ObjectBase?)] = []
    var embedded: [(object: ObjectBase, layout: EmbeddedLayout)] = []
  }

  /// Makes embedded objects managed, and follows links.
  private func settle(_ members: Members, in row: ManagedRow, _ policy: Realm.UpdatePolicy) {
    for (object, layout) in members.embedded {
      ClassInfo.of(type(of: object)).attach(object)
      object.position = ObjectPosition(row, layout)
    }
    for (column, target) in members.links {
      let link = link(to: target, policy)
      if policy == .all || row.value(column) != link { row.set([(column, link)]) }
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
      Misuse.stop(
        "Can't set link to existing managed embedded object of type "
          + "'\(type(of: value).className())': it has an owner already. Make a copy with "
          + "init(value:).")
    }
    for column in layout.columns { row[column] = .null }
    guard let value else { return }
    row[layout.presence] = .int(core.nextGeneration(after: previous))
    members.embedded.append((value, layout))
    write(value, layout.fields, layout.point, into: &row, members)
  }

  private func write(
    _ object: ObjectBase, _ fields: [FieldLayout], _ point: PointColumns?,
    into row: inout [Value], _ members: Members, isSkipped: (Int) -> Bool = { _ in false }
  ) {
    let info = ClassInfo.of(type(of: object))
    var place = PointColumns.Content(type: "", coordinates: [])
    for (index, field) in info.fields.enumerated() where !isSkipped(index) {
      let content = field.property.content(at: field.address(in: object), of: object)
      let member: ObjectBase? = if case .object(let member) = content { member } else { nil }
      checkClass(of: member, info, index)
      switch (fields[index], content) {
      case (.scalar(let column), .value(let value)):
        Self.checkSize(value, info.schema, index)
        row[column] = value
      case (.link(let column), _): members.links.append((column, member))
      case (.embedded(let layout), _): write(member, layout, into: &row, members)
      case (.pointType, .value(.string(let type))): place.type = type
      case (.pointCoordinates, .coordinates(let coordinates)): place.coordinates = coordinates
      default: break
      }
    }
    point?.write(place, to: &row)
  }

  /// Stops the process for an object of a subclass: its table is another one.
  private func checkClass(of value: ObjectBase?, _ info: ClassInfo, _ property: Int) {
    guard let value, let expected = info.fields[property].objectType,
      type(of: value) != expected, type(of: value).className() != expected.className()
    else { return }
    Misuse.stop(
      "Object of type '\(type(of: value).className())' cannot be the value of "
        + "'\(info.schema.className).\(info.fields[property].name)', which takes "
        + "'\(expected.className())' only: a subclass is stored apart from its superclass.")
  }

  /// Stops the process for a value that is too long to be stored.
  static func checkSize(_ value: Value, _ schema: ObjectSchema, _ property: Int) {
    let count =
      switch value {
      case .string(let text): text.utf8.count
      case .data(let data): data.count
      default: 0
      }
    guard count > maximumBytes else { return }
    Misuse.stop(
      "Value of '\(schema.className).\(schema.properties[property].name)' has \(count) bytes; a "
        + "property holds at most \(maximumBytes). Keep larger data in files.")
  }

  /// 16 MB, as in Realm.
  private static let maximumBytes = 16 << 20
}

/// Copies of another Realm's objects, one for each.
private final class Copies {
  /// What tells the rows of all Realms apart.
  struct Row: Hashable {
    let core: ObjectIdentifier
    let className: String
    let key: ObjectKey

    init(_ row: ManagedRow) {
      core = ObjectIdentifier(row.core)
      className = row.table.info.schema.className
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
    let copy = type(of: source).init()
    known[Row(row)] = copy
    ClassInfo.of(type(of: source)).fill(copy, from: source)
    return copy
  }
}
