import CadastreModel
public import CadastrePredicate
import CadastreStore

extension ChangeTrace {
  /// The number of links that are followed where no key paths are given.
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
    self = ProgrammingError.orStop { () throws(QueryPredicateError) in
      try ChangeTrace(checking: keyPaths, of: table, in: core, within: position)
    }
  }

  /// Which changes count for objects of a class.
  ///
  /// - Throws: `QueryPredicateError` for a key path that leads nowhere.
  init(
    checking keyPaths: [String], of table: ManagedTable, in core: RealmCore,
    within position: ObjectPosition?
  ) throws(QueryPredicateError) {
    self.init(table.className)
    for keyPath in keyPaths {
      try watch(
        keyPath, from: position?.embeddedLayout?.schema ?? table.info.schema,
        position?.fields ?? table.layout.fields, position?.pointColumns ?? table.layout.point, core)
    }
  }

  private mutating func watch(
    _ keyPath: String, from schema: ObjectSchema, _ fields: [FieldLayout], _ point: PointColumns?,
    _ core: RealmCore
  ) throws(QueryPredicateError) {
    let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    var position = Position(0, schema, fields, point)
    for (number, name) in names.enumerated() {
      let isLast = number == names.count - 1
      guard let next = follow(name, from: position, isLast: isLast, core) else {
        let owner = position.schema.className
        throw QueryPredicateError(
          .invalidQuery,
          position.schema.index(of: name) == nil && !position.schema.hasComputed(name)
            ? "Property '\(name)' in KeyPath '\(keyPath)' is not a valid property in \(owner)"
            : "Property '\(name)' in KeyPath '\(keyPath)' is not a collection of objects or an object, so "
              + "it can only appear at the end of a key path")
      }
      position = next
    }
  }

  /// A position on a key path: a node, and the fields of its objects.
  private struct Position {
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

    /// Creates an object of a class with a table.
    init(_ node: Int, _ table: ManagedTable) {
      self.init(node, table.info.schema, table.layout.fields, table.layout.point)
    }
  }

  /// Follows one name of a key path; nil if there is no such property.
  private mutating func follow(
    _ name: String, from position: Position, isLast: Bool, _ core: RealmCore
  ) -> Position? {
    guard let index = position.schema.index(of: name) else {
      return followBackwards(name, from: position, core)
    }
    let property = position.schema.properties[index]
    switch position.fields[index] {
    case .scalar(let column):
      watch([column], at: position.node)
      return isLast ? position : nil
    case .pointType, .pointCoordinates:
      if let point = position.point {
        watch([point.longitude, point.latitude, point.altitude, point.odd], at: position.node)
      }
      return isLast ? position : nil
    case .embedded(let embedded):
      watch([embedded.presence], at: position.node)
      return Position(position.node, embedded.schema, embedded.fields, embedded.point)
    case .link(let column), .owned(let column):
      watch([column], at: position.node)
      guard !isLast else { return position }
      guard let table = property.objectClassName.flatMap(core.table(named:)) else { return nil }
      return Position(
        follow(column: column, to: table.className, from: position.node), table)
    case .collection(let collection):
      watch([collection.countColumn], at: position.node)
      guard !isLast else { return position }
      guard let table = collection.target.flatMap(core.table(named:)) else { return nil }
      return Position(follow(collection, to: table.className, from: position.node), table)
    }
  }

  private mutating func followBackwards(
    _ name: String, from position: Position, _ core: RealmCore
  ) -> Position? {
    guard
      let property = position.schema.computedProperties.first(where: { $0.name == name }),
      let table = property.objectClassName.flatMap(core.table(named:)),
      let origin = core.linkLocations(of: property).first(where: { $0.embedded == nil }),
      let node = follow(backwards: origin, from: position.node)
    else { return nil }
    return Position(node, table)
  }
}

extension ObjectSchema {
  fileprivate func hasComputed(_ name: String) -> Bool {
    computedProperties.contains { $0.name == name }
  }
}

/// Checks of key paths from outside the program; `observe` and `changes` stop the process for those that lead
/// nowhere.
extension RealmCollection {
  /// Checks that key paths from outside the program lead to properties whose changes can be observed.
  ///
  ///     try airports.check(keyPaths: keyPaths)
  ///     for await change in airports.changes(keyPaths: keyPaths) { … }
  ///
  /// - Parameter keyPaths: The key paths, names joined by dots.
  /// - Throws: `QueryPredicateError` for a key path that leads nowhere.
  public func check(keyPaths: [String]) throws(QueryPredicateError) {
    guard let source = handle.source, let table = source.table else { return }
    _ = try ChangeTrace(checking: keyPaths, of: table, in: source.core, within: nil)
  }
}

extension ObjectBase {
  /// Checks that key paths from outside the program lead to properties whose changes can be observed.
  ///
  /// - Parameter keyPaths: The key paths, names joined by dots.
  /// - Throws: `QueryPredicateError` for a key path that leads nowhere.
  public func check(keyPaths: [String]) throws(QueryPredicateError) {
    guard let position else { return }
    let row = position.row
    _ = try ChangeTrace(checking: keyPaths, of: row.table, in: row.core, within: position)
  }
}
