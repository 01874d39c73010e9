import CadastreModel
import CadastreStore

/// Brings objects that no Realm manages into the store.
struct ObjectWriter {
  private let core: RealmCore

  init(_ core: RealmCore) { self.core = core }

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
    var row = existing?.values ?? table.layout.columns.map { _ in .null }
    // A link back to this object must find it, so it gets its row before its links are followed.
    let links = linkFields(root, table)
    write(root, table.info, table.layout.fields, nil, into: &row, isSkipped: { links[$0] != nil })
    let managed: ManagedRow
    if let existing {
      existing.set(changes(from: existing.values, to: row, policy))
      managed = existing
    } else {
      let key = core.insert(table, row)
      managed = ManagedRow(core, table, key, values: row)
    }
    table.info.attach(root)
    root.position = ObjectPosition(managed)
    for (_, link) in links.sorted(by: { $0.key < $1.key }) {
      guard link.target != nil || existing != nil else { continue }
      managed.set([(link.column, self.link(to: link.target, policy))])
    }
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

  /// The managed object with the primary key of one that no Realm manages.
  func existingObject(like object: Object) -> ObjectBase? {
    existing(object, core.table(type(of: object)), .modified).map(core.object)
  }

  private func changes(
    from old: [Value], to new: [Value], _ policy: Realm.UpdatePolicy
  ) -> [(column: Int, value: Value)] {
    new.indices.filter { policy == .all || old[$0] != new[$0] }.map { ($0, new[$0]) }
  }

  private func linkFields(
    _ object: Object, _ table: ManagedTable
  ) -> [Int: (column: Int, target: ObjectBase?)] {
    var links: [Int: (column: Int, target: ObjectBase?)] = [:]
    for (index, layout) in table.layout.fields.enumerated() {
      guard case .link(let column) = layout else { continue }
      let field = table.info.fields[index]
      var target: ObjectBase?
      if case .object(let linked) = field.property.content(
        at: field.address(in: object), of: object)
      {
        target = linked
      }
      links[index] = (column, target)
    }
    return links
  }

  // MARK: Properties

  /// The stored form of a link, its target added if it is new.
  func link(to target: ObjectBase?, _ policy: Realm.UpdatePolicy = .error) -> Value {
    guard let target else { return .null }
    add(target, policy)
    guard let position = target.position else { return .null }
    return .link(position.row.key)
  }

  /// Writes an embedded object, or none, into the columns of its owner.
  func write(_ value: ObjectBase?, _ layout: EmbeddedLayout, into row: inout [Value]) {
    let previous = row[layout.presence]
    if let position = value?.position {
      Misuse.stop(
        "Can't set link to existing managed embedded object of type "
          + "'\(position.row.table.info.schema.className)': it has an owner already. Make a copy "
          + "with init(value:).")
    }
    for column in layout.columns { row[column] = .null }
    guard let value else { return }
    row[layout.presence] = .int(core.nextGeneration(after: previous))
    write(value, ClassInfo.of(type(of: value)), layout.fields, layout.point, into: &row)
  }

  private func write(
    _ object: ObjectBase, _ info: ClassInfo, _ fields: [FieldLayout], _ point: PointColumns?,
    into row: inout [Value], isSkipped: (Int) -> Bool = { _ in false }
  ) {
    var place = PointColumns.Content(type: "", coordinates: [])
    for (index, field) in info.fields.enumerated() where !isSkipped(index) {
      let content = field.property.content(at: field.address(in: object), of: object)
      switch (fields[index], content) {
      case (.scalar(let column), .value(let value)):
        row[column] = checked(value, info, index)
      case (.link(let column), .object(let target)): row[column] = link(to: target)
      case (.embedded(let layout), .object(let embedded)): write(embedded, layout, into: &row)
      case (.embedded(let layout), _): write(nil, layout, into: &row)
      case (.pointType, .value(.string(let type))): place.type = type
      case (.pointCoordinates, .coordinates(let coordinates)): place.coordinates = coordinates
      default: break
      }
    }
    point?.write(place, to: &row)
  }

  /// A value that is not too long to be stored.
  private func checked(_ value: Value, _ info: ClassInfo, _ index: Int) -> Value {
    let count =
      switch value {
      case .string(let text): text.utf8.count
      case .data(let data): data.count
      default: 0
      }
    guard count <= Self.maximumBytes else {
      Misuse.stop(
        "Value of '\(info.schema.className).\(info.schema.properties[index].name)' has \(count) "
          + "bytes; a property holds at most \(Self.maximumBytes). Keep larger data in files.")
    }
    return value
  }

  /// 16 MB, as in Realm.
  private static let maximumBytes = 16 << 20
}
