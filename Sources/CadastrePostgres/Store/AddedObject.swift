import Cadastre
import CadastreModel
import CadastreStore

/// An object that is written to a table.
struct AddedObject: Sendable {
  /// The target of a link.
  struct Target: Sendable {
    let className: String
    /// The primary key; nil if the class has none.
    let primaryKey: Value?

    init(_ object: ObjectBase) {
      className = DetachedObjects.schema(of: type(of: object)).className
      primaryKey = DetachedObjects.primaryKey(of: object)
    }
  }

  /// A link, or a list, set or map of links.
  struct Links: Sendable {
    let path: String
    let layout: FieldLayout
    let targets: [(key: String, target: Target?)]

    init(_ links: DetachedLinks) {
      (path, layout) = (links.path, links.layout)
      targets = links.entries.map { ($0.key, $0.target.map(Target.init)) }
    }
  }

  /// The values of the properties, except links.
  let row: ImportRow
  /// The links that were loaded or set.
  let links: [Links]
  /// The primary key; nil if the class has none.
  let primaryKey: Value?
  /// The paths of the properties that an update writes; nil for all properties, in an object that was not read
  /// from this database.
  let changed: Set<String>?
  /// The paths of the links that were not loaded.
  let unloaded: [String]

  /// Creates the row of an unmanaged object.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - values: The values and links of the object.
  ///   - before: The values that were read from the database; nil for an object that was not read from it.
  ///   - policy: The properties that an update of a fetched object writes: `.modified` or `.all`.
  ///   - table: The table.
  ///   - groups: The properties of the table.
  /// - Throws: ``PostgresMappingError`` if links that must be written were neither loaded nor set.
  init(
    _ object: ObjectBase, _ values: (row: ImportRow, links: [DetachedLinks]), before: ImportRow?,
    _ policy: Realm.UpdatePolicy, _ table: PostgresTable, _ groups: [ColumnGroup]
  ) throws {
    var changed: Set<String>?
    if let before {
      let (old, new) = (try table.fieldBytes(before), try table.fieldBytes(values.row))
      let differing = groups.filter { $0.isInModel && old[$0.columns] != new[$0.columns] }
      // With another primary key, the object is another row.
      if !differing.contains(where: \.isPrimaryKey) {
        let written = policy == .all ? groups.filter(\.isInModel) : differing
        changed = Set(written.map(\.path))
      }
    }
    var unloaded: [String] = []
    for links in values.links {
      let writesChanges = policy != .all && changed != nil && links.belong(to: object)
      if links.isLoaded {
        if !(writesChanges && links.areUnchanged) { changed?.insert(links.path) }
      } else if !links.entries.isEmpty {
        throw table.refused(
          links.path,
          "elements were added to links that were not loaded; read the object with "
            + "loading(_:), or set the whole property")
      } else if writesChanges {
        unloaded.append(links.path)
      } else {
        throw table.refused(links.path, PostgresTable.notLoaded)
      }
    }
    row = values.row
    links = values.links.filter(\.isLoaded).map(Links.init)
    primaryKey = DetachedObjects.primaryKey(of: object)
    self.changed = changed
    self.unloaded = unloaded
  }
}

/// A property and its columns in a table.
struct ColumnGroup: Sendable {
  /// The path of the property from the class, with the names of embedded objects.
  let path: String
  /// The indexes of the columns; for an embedded object, the index of its presence column.
  let columns: Range<Int>
  /// The indexes of all columns of an embedded object; nil for other properties.
  let embedded: Range<Int>?
  /// Whether the class of the program has the property.
  let isInModel: Bool
  let isPrimaryKey: Bool
  let isCollection: Bool
}

extension PostgresTable {
  /// Returns the properties and their columns.
  ///
  /// - Parameters:
  ///   - model: The class of the program, which may have fewer properties.
  ///   - models: The target classes of its links and embedded objects.
  /// - Returns: The groups of columns; members of embedded objects follow their owner.
  func columnGroups(of model: ObjectSchema, in models: Schema) -> [ColumnGroup] {
    var groups: [ColumnGroup] = []
    // The first column is the key.
    var start = 1
    append(fields, of: model, in: models, prefix: "", to: &groups, from: &start)
    return groups
  }

  private func append(
    _ fields: [PostgresField], of model: ObjectSchema?, in models: Schema, prefix: String,
    to groups: inout [ColumnGroup], from start: inout Int
  ) {
    for field in fields {
      let property = field.property
      let member = model?[property.name]
      let path = prefix + property.name
      let all = start..<start + Self.columns([field], prefix: "", isInside: false).count
      var columns = all
      var inner: [PostgresField] = []
      if case .embedded(_, let fields) = field {
        (columns, inner) = (start..<start + 1, fields)
      }
      groups.append(
        ColumnGroup(
          path: path, columns: columns, embedded: inner.isEmpty ? nil : all,
          isInModel: member != nil,
          isPrimaryKey: property.isPrimaryKey, isCollection: property.collection != nil))
      start = columns.upperBound
      append(
        inner, of: member.flatMap(models.target), in: models, prefix: path + ".", to: &groups,
        from: &start)
    }
  }

  /// The reason for refusing to write a whole object whose links were not loaded.
  static let notLoaded =
    "its links were not loaded, and the whole object is needed; read the object with loading(_:), or set "
    + "the property"

  func refused(_ path: String, _ reason: String) -> PostgresMappingError {
    PostgresMappingError(
      subject: "property '\(path)' of class '\(schema.className)'", reason: reason)
  }

  /// Returns the binary form of each column of a row; equal values have equal bytes.
  func fieldBytes(_ row: ImportRow) throws -> [[UInt8]] {
    let values = try encoded(row.values, layout, key: ObjectKey(1)) { collection in
      let elements = Self.elements(of: row, collection)
      // Sets and maps have no order.
      return switch collection.kind {
      case .list: elements
      case .set:
        elements.map { ($0, PostgresValue($0.value).fieldBytes) }
          .sorted { $0.1.lexicographicallyPrecedes($1.1) }.map(\.0)
      case .map: elements.sorted { $0.key < $1.key }
      }
    }
    return values.map(\.fieldBytes)
  }

  static func elements(
    of row: ImportRow, _ collection: CollectionLayout
  ) -> [ElementValue] {
    let entries =
      row.entries(of: collection)
      ?? (row.elements(of: collection) ?? []).map { (key: "", value: $0) }
    return entries.compactMap { entry in entry.value.value.map { (entry.key, $0) } }
  }
}
