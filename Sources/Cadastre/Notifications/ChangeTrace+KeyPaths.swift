import CadastreModel
import CadastreStore

extension ChangeTrace {
  /// Links that are followed, one after the other, where nobody says which changes count.
  private static let levels = 4

  /// Which changes count for objects of a class.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties that count, over links too; nil or none for all, those of linked
  ///     objects included. One that leads nowhere stops the process.
  ///   - table: The class.
  ///   - core: The Realm.
  ///   - position: The object, where it is one that may be embedded in a row of the class; its
  ///     properties are those that key paths begin with.
  init(
    _ keyPaths: [String]?, of table: ManagedTable, in core: RealmCore,
    within position: ObjectPosition? = nil
  ) {
    let catalogue = core.catalogue
    let className = table.className
    guard let keyPaths, !keyPaths.isEmpty else {
      self.init(className, levels: Self.levels, in: catalogue)
      return
    }
    self.init(className)
    for keyPath in keyPaths {
      watch(
        keyPath, from: position?.embeddedLayout?.schema ?? table.info.schema,
        position?.fields ?? table.layout.fields, position?.pointColumns ?? table.layout.point, core)
    }
  }

  private mutating func watch(
    _ keyPath: String, from schema: ObjectSchema, _ fields: [FieldLayout], _ point: PointColumns?,
    _ core: RealmCore
  ) {
    let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var place = Place(0, schema, fields, point)
    for (number, name) in names.enumerated() {
      let isLast = number == names.count - 1
      guard let next = follow(name, from: place, isLast: isLast, core) else {
        let owner = place.schema.className
        Misuse.stop(
          place.schema.index(of: name) == nil && !place.schema.hasComputed(name)
            ? "Property '\(name)' in KeyPath '\(keyPath)' is not a valid property in \(owner)."
            : "Property '\(name)' in KeyPath '\(keyPath)' is not a collection of objects or an object, so "
              + "it can only appear at the end of a key path.")
      }
      place = next
    }
  }

  /// Where a key path has come to: a node, and in its objects the fields of one of them.
  private struct Place {
    var node: Int
    var schema: ObjectSchema
    var fields: [FieldLayout]
    var point: PointColumns?

    init(
      _ node: Int, _ schema: ObjectSchema, _ fields: [FieldLayout], _ point: PointColumns?
    ) {
      self.node = node
      self.schema = schema
      self.fields = fields
      self.point = point
    }

    /// An object of a class with a table.
    init(_ node: Int, _ table: ManagedTable) {
      self.init(node, table.info.schema, table.layout.fields, table.layout.point)
    }
  }

  /// Goes one step on; nil where that leads nowhere.
  private mutating func follow(
    _ name: String, from place: Place, isLast: Bool, _ core: RealmCore
  ) -> Place? {
    guard let index = place.schema.index(of: name) else {
      return followBackwards(name, from: place, core)
    }
    let property = place.schema.properties[index]
    switch place.fields[index] {
    case .scalar(let column):
      watch([column], at: place.node)
      return isLast ? place : nil
    case .pointType, .pointCoordinates:
      if let point = place.point {
        watch([point.longitude, point.latitude, point.altitude, point.odd], at: place.node)
      }
      return isLast ? place : nil
    case .embedded(let embedded):
      watch([embedded.presence], at: place.node)
      return Place(place.node, embedded.schema, embedded.fields, embedded.point)
    case .link(let column), .owned(let column):
      watch([column], at: place.node)
      guard !isLast else { return place }
      guard let table = property.objectClassName.flatMap(core.table(named:)) else { return nil }
      return Place(
        follow(column: column, to: table.className, from: place.node), table)
    case .collection(let collection):
      watch([collection.countColumn], at: place.node)
      guard !isLast else { return place }
      guard let table = collection.target.flatMap(core.table(named:)) else { return nil }
      return Place(follow(collection, to: table.className, from: place.node), table)
    }
  }

  private mutating func followBackwards(
    _ name: String, from place: Place, _ core: RealmCore
  ) -> Place? {
    guard
      let property = place.schema.computedProperties.first(where: { $0.name == name }),
      let table = property.objectClassName.flatMap(core.table(named:)),
      let origin = core.linkPlaces(of: property).first(where: { $0.embedded == nil }),
      let node = follow(backwards: origin, from: place.node)
    else { return nil }
    return Place(node, table)
  }
}

extension ObjectSchema {
  fileprivate func hasComputed(_ name: String) -> Bool {
    computedProperties.contains { $0.name == name }
  }
}
