package import CadastreModel
package import CadastrePredicate
package import CadastreStore
import Foundation

/// Access to unmanaged objects and to queries for other databases.
package enum DetachedObjects {
  /// Returns the schema of a class.
  package static func schema(of type: ObjectBase.Type) -> ObjectSchema { ClassInfo.of(type).schema }

  /// Returns the predicate of a type-safe condition.
  package static func predicate<Element>(
    _ condition: (Query<Element>) -> Query<Bool>
  ) -> QueryPredicate { condition(Query()).predicate }

  /// Returns the arguments of a predicate text.
  package static func arguments(
    _ values: [Any?]
  ) throws(QueryPredicateError) -> [PredicateArgument] { try PredicateArgument.arguments(values) }

  /// Returns the property path of a key path.
  package static func path<Element: ObjectBase>(of keyPath: PartialKeyPath<Element>) -> PropertyPath
  {
    PropertyPath(
      PropertyNames.name(of: keyPath).split(separator: ".").map(String.init))
  }

  /// Returns the stored form of a value; nil if it has none.
  package static func value(_ value: Any?) -> Value? { DynamicValue.value(value) }

  /// Returns the schemas of a class and of all classes reachable through its properties.
  package static func reachableSchema(of type: ObjectBase.Type) -> Schema {
    Schema(ClassInfo.of(type).reachableSchemas)
  }

  /// Creates an unmanaged object from a row, and marks its links as not loaded.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - row: The row.
  ///   - layout: The layout of the row.
  ///   - source: The database of the row.
  /// - Returns: The object.
  /// - Throws: `InvalidValueError` for a value that does not fit the class.
  package static func object<Element: ObjectBase>(
    _ type: Element.Type, _ row: ImportRow, _ layout: TableLayout, from source: AnyObject
  ) throws(InvalidValueError) -> Element {
    let object = type.init()
    try ClassInfo.of(type).create(
      object, checking: members(row, layout.schema, layout.fields), ObjectCreation.Check(core: nil))
    note(FetchedRow(row, layout, source), in: object, layout.schema, layout.fields) {
      $0.markNotLoaded(in: $1)
    }
    return object
  }

  /// Records the row of an object in the object and in its embedded objects.
  private static func note(
    _ row: FetchedRow, in object: ObjectBase, _ schema: ObjectSchema, _ layouts: [FieldLayout],
    links: (ClassInfo.Field, ObjectBase) -> Void
  ) {
    object.fetchedRow = row
    for (property, layout) in zip(schema.properties, layouts) {
      switch layout {
      case .embedded(let embedded) where embedded.point == nil:
        guard case .object(let inner) = object.content(of: property.name) else { continue }
        note(row, in: inner, embedded.schema, embedded.fields, links: links)
      case .link, .collection:
        guard property.type == .object, let field = object.field(named: property.name) else {
          continue
        }
        links(field, object)
      case .scalar, .embedded, .owned, .pointType, .pointCoordinates: continue
      }
    }
  }

  /// Returns the dynamic form of a value; nil for null.
  package static func dynamic(_ value: Value) -> Any? { value.dynamicValue }

  /// Returns the values of a row by the names of the properties, as ``object(_:_:_:)`` sets them.
  package static func dictionary(_ row: ImportRow, _ layout: TableLayout) -> [String: Any?] {
    members(row, layout.schema, layout.fields)
  }

  private static func members(
    _ row: ImportRow, _ schema: ObjectSchema, _ layouts: [FieldLayout]
  ) -> [String: Any?] {
    var members: [String: Any?] = [:]
    for (property, layout) in zip(schema.properties, layouts) {
      switch layout {
      case .scalar(let column): members[property.name] = .some(row.values[column].dynamicValue)
      case .embedded(let embedded):
        members[property.name] = .some(self.embedded(row, embedded))
      case .collection(let collection) where collection.target == nil:
        members[property.name] = .some(elements(row, collection))
      case .link, .owned, .collection, .pointType, .pointCoordinates: continue
      }
    }
    return members
  }

  private static func embedded(_ row: ImportRow, _ embedded: EmbeddedLayout) -> [String: Any?]? {
    guard !row.values[embedded.presence].isNull else { return nil }
    guard let point = embedded.point else { return members(row, embedded.schema, embedded.fields) }
    let content = point.content(row.values)
    return [
      ObjectSchema.pointTypeName: content.type,
      ObjectSchema.pointCoordinatesName: content.coordinates,
    ]
  }

  private static func elements(_ row: ImportRow, _ collection: CollectionLayout) -> Any? {
    if let elements = row.elements(of: collection) {
      return elements.map { $0.value?.dynamicValue }
    }
    return row.entries(of: collection).map { entries in
      Dictionary(
        entries.map { ($0.key, $0.value.value?.dynamicValue) }, uniquingKeysWith: { $1 })
    }
  }

  // MARK: Rows

  /// Returns the values of an unmanaged object.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - layout: The layout of the row.
  /// - Returns: The row, without links, and the links.
  package static func row(
    of object: ObjectBase, _ layout: TableLayout
  ) -> (row: ImportRow, links: [DetachedLinks]) {
    var row = ImportRow(columns: layout.columns.count)
    var links: [DetachedLinks] = []
    write(object, layout.schema, layout.fields, "", to: &row, &links)
    return (row, links)
  }

  private static func write(
    _ object: ObjectBase, _ schema: ObjectSchema, _ layouts: [FieldLayout], _ prefix: String,
    to row: inout ImportRow, _ links: inout [DetachedLinks]
  ) {
    for (property, layout) in zip(schema.properties, layouts) {
      guard let field = object.field(named: property.name) else { continue }
      let path = prefix + property.name
      func add(_ entries: [DetachedLinks.Entry]) {
        links.append(
          DetachedLinks(
            path: path, layout: layout, entries: entries,
            isLoaded: !field.isNotLoaded(in: object), owner: object.fetchedRow))
      }
      switch (layout, field.content(of: object)) {
      case (.scalar(let column), .value(let value)): row.values[column] = value
      case (.link, .object(let target)): add([("", target)])
      case (.link, _): add([])
      case (.embedded(let embedded), .object(let inner)):
        row.values[embedded.presence] = .bool(true)
        if let point = embedded.point {
          point.write(Self.content(inner), to: &row.values)
        } else {
          write(inner, embedded.schema, embedded.fields, path + ".", to: &row, &links)
        }
      case (.collection, .elements(let elements)) where property.type == .object:
        add(elements.compactMap { element in element.linkedObject.map { ("", $0) } })
      case (.collection, .entries(let entries)) where property.type == .object:
        add(entries.map { ($0.key, $0.content.linkedObject) })
      case (.collection(let collection), .elements(let elements)):
        row.members.append(.list(collection, elements.compactMap(\.value).map { .value($0) }))
      case (.collection(let collection), .entries(let entries)):
        row.members.append(
          .map(
            collection,
            entries.compactMap { entry in entry.content.value.map { (entry.key, .value($0)) } }))
      default: continue
      }
    }
  }

  /// Returns the members of an embedded object with the shape of a point.
  static func content(_ point: ObjectBase) -> PointColumns.Content {
    var content = PointColumns.Content(type: "", coordinates: [])
    if case .value(.string(let type)) = point.content(of: ObjectSchema.pointTypeName) {
      content.type = type
    }
    if case .elements(let elements) = point.content(of: ObjectSchema.pointCoordinatesName) {
      content.coordinates = elements.compactMap { $0.value?.doubleValue }
    }
    return content
  }

  // MARK: Rows of another database

  /// Sets the links of an object created from a row.
  ///
  /// - Parameters:
  ///   - entries: The targets of the links.
  ///   - object: The object.
  ///   - path: The path of the property through embedded objects.
  package static func load(
    _ entries: [DetachedLinks.Entry], in object: ObjectBase, at path: PropertyPath
  ) {
    var holder = object
    for name in path.names.dropLast() {
      guard case .object(let inner) = holder.content(of: name) else { return }
      holder = inner
    }
    guard let name = path.names.last, let property = holder.objectSchema[name] else { return }
    // Only maps have null links.
    let entries = property.collection == .map ? entries : entries.filter { $0.target != nil }
    switch property.collection {
    case nil: holder[name] = entries.first?.target
    case .list, .set: holder[name] = entries.compactMap(\.target) as [Any]
    case .map:
      holder[name] = Dictionary(
        entries.map { ($0.key, $0.target as Any?) }, uniquingKeysWith: { $1 })
    }
    object.fetchedRow?.links[path.description] = entries.map(FetchedRow.Link.init)
  }

  /// Returns the original values of an object created from a row.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - layout: The layout of the row.
  ///   - source: The database.
  /// - Returns: The values; nil if the object was not created from a row of the database.
  /// - Throws: `InvalidValueError` for a value that does not fit the class.
  package static func fetchedValues(
    of object: ObjectBase, _ layout: TableLayout, from source: AnyObject
  ) throws(InvalidValueError) -> ImportRow? {
    guard let fetched = object.fetchedRow, fetched.source === source else { return nil }
    // Creates an object from the row, because a mapping may change stored values.
    let original = try Self.object(type(of: object), fetched.row, fetched.layout, from: source)
    return row(of: original, layout).row
  }

  /// Records that the database has the current values of an object created from a row.
  package static func noteStored(
    _ object: ObjectBase, _ row: ImportRow, _ links: [DetachedLinks], _ layout: TableLayout
  ) {
    guard let fetched = object.fetchedRow else { return }
    (fetched.row, fetched.layout) = (row, layout)
    for links in links where links.isLoaded {
      fetched.links[links.path] = links.entries.map(FetchedRow.Link.init)
    }
    note(fetched, in: object, layout.schema, layout.fields) { _, _ in }
  }
}

/// The row of another database from which an unmanaged object was created.
final class FetchedRow {
  /// The target of a loaded link; targets with the same primary key are equal.
  struct Link: Hashable {
    let key: String
    let target: ObjectBase?
    /// The primary key; nil if the class has none.
    let primaryKey: Value?

    init(_ entry: DetachedLinks.Entry) {
      (key, target) = entry
      primaryKey = entry.target.flatMap(DetachedObjects.primaryKey)
    }

    static func == (first: Link, second: Link) -> Bool {
      first.key == second.key && first.primaryKey == second.primaryKey
        && (first.primaryKey != nil || first.target === second.target)
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(key)
      hasher.combine(primaryKey)
    }
  }

  /// The values.
  var row: ImportRow
  /// The layout of the row.
  var layout: TableLayout
  /// The database.
  let source: AnyObject
  /// The loaded links, by path.
  var links: [String: [Link]] = [:]

  init(_ row: ImportRow, _ layout: TableLayout, _ source: AnyObject) {
    (self.row, self.layout, self.source) = (row, layout, source)
  }
}

/// A link of an unmanaged object, or a list, set or map of links.
package struct DetachedLinks {
  /// The target of a link, and its key in a map.
  package typealias Entry = (key: String, target: ObjectBase?)

  /// The path of the property through embedded objects.
  package let path: String
  /// The storage of the property.
  package let layout: FieldLayout
  /// The targets; empty for a null link.
  package let entries: [Entry]
  /// Whether the links were loaded, or set by the program.
  package let isLoaded: Bool
  /// The row from which the owner of the property was created; nil for an object of the program.
  fileprivate let owner: FetchedRow?

  /// Returns whether the links belong to an object created from a row, and not to a new embedded object.
  package func belong(to object: ObjectBase) -> Bool {
    owner.map { $0 === object.fetchedRow } ?? false
  }

  /// Whether the links are equal to the loaded ones.
  package var areUnchanged: Bool {
    guard let before = owner?.links[path], before.count == entries.count else { return false }
    let after = entries.map(FetchedRow.Link.init)
    // Sets and maps have no order.
    if case .collection(let collection) = layout, collection.kind != .list {
      return Set(before) == Set(after)
    }
    return before == after
  }
}

extension DetachedObjects {
  /// Returns the primary key of an object; nil if its class has none.
  package static func primaryKey(of object: ObjectBase) -> Value? {
    object.objectSchema.primaryKeyProperty.flatMap { object.content(of: $0.name)?.value }
  }
}
