import CadastreModel
public import CadastrePredicate
import CadastreStore

extension ChangeTrace {
  /// The number of links to follow without key paths.
  private static let levels = 4

  /// Traces the changes that affect objects of a class.
  ///
  /// - Parameters:
  ///   - keyPaths: The traced properties, also of linked objects; nil for all, including those of linked
  ///     objects. An invalid key path stops the process.
  ///   - table: The class.
  ///   - core: The Realm.
  ///   - position: The object, if it may be embedded in a row of the class: key paths begin at the embedded
  ///     object.
  init(
    _ keyPaths: [String]?, of table: ManagedTable, in core: RealmCore,
    within position: ObjectPosition? = nil
  ) {
    let catalogue = core.catalogue
    let className = table.className
    guard let keyPaths else {
      self.init(className, levels: Self.levels, in: catalogue)
      return
    }
    self = ProgrammingError.orStop { () throws(QueryPredicateError) in
      try ChangeTrace(checking: keyPaths, of: table, in: core, within: position)
    }
  }

  /// Traces the changes that affect objects of a class.
  ///
  /// - Throws: `QueryPredicateError` for an invalid key path.
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

  /// A position in a key path: a node of the trace, and the fields of its objects.
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

    /// Creates the position of an object with a separate row.
    init(_ node: Int, _ table: ManagedTable) {
      self.init(node, table.info.schema, table.layout.fields, table.layout.point)
    }
  }

  /// Follows one name of a key path; returns nil for an unknown property.
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

/// Checks of key paths from outside the program; `observe` and `changes` stop the process for an invalid key
/// path.
extension RealmCollection {
  /// Checks that key paths from outside the program lead to observable properties.
  ///
  ///     try airports.check(keyPaths: keyPaths)
  ///     for await change in airports.changes(keyPaths: keyPaths) { … }
  ///
  /// - Parameter keyPaths: The key paths, names joined by dots.
  /// - Throws: `QueryPredicateError` for an invalid key path.
  public func check(keyPaths: [String]) throws(QueryPredicateError) {
    guard let source = handle.source, let table = source.table else { return }
    _ = try ChangeTrace(checking: keyPaths, of: table, in: source.core, within: nil)
  }
}

extension ObjectBase {
  /// Checks that key paths from outside the program lead to observable properties.
  ///
  /// - Parameter keyPaths: The key paths, names joined by dots.
  /// - Throws: `QueryPredicateError` for an invalid key path.
  public func check(keyPaths: [String]) throws(QueryPredicateError) {
    guard let position else { return }
    let row = position.row
    _ = try ChangeTrace(checking: keyPaths, of: row.table, in: row.core, within: position)
  }
}
