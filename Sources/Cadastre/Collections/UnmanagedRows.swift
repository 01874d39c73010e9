import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore

/// Unmanaged objects as rows in memory, and the objects to which they link.
///
/// An object becomes a row when a filter reaches it. Every embedded object has a row of its own.
final class UnmanagedRows: RowProvider {
  let catalogue: Catalogue
  private var objects: [String: [Int64: ObjectBase]] = [:]
  private var keys: [ObjectIdentifier: Int64] = [:]
  /// The properties of each class by column.
  private var properties: [String: [Property?]] = [:]

  init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  /// False, because the program may change the objects.
  let areRowsImmutable = false

  /// Returns the key of an object: that of its row if it is managed, else a negative one.
  func key(of object: ObjectBase, _ className: String) -> Int64 {
    if let position = object.position, position.embedded == nil {
      let key = position.row.key.rawValue
      let other = objects[className]?[key]
      // An object of another Realm may have the same key.
      if other == nil || other?.position?.isSameObject(as: position) == true {
        objects[className, default: [:]][key] = object
        return key
      }
    }
    if let known = keys[ObjectIdentifier(object)] { return known }
    let key = Int64(-1 - keys.count)
    keys[ObjectIdentifier(object)] = key
    objects[className, default: [:]][key] = object
    return key
  }

  // MARK: Rows

  func row(_ layout: TableLayout, _ key: Int64) -> [Value]? {
    guard let object = objects[layout.schema.className]?[key] else { return nil }
    return layout.columns.indices.map { value($0, of: layout, object) }
  }

  func value(_ column: Int, of layout: TableLayout, _ key: Int64) -> Value? {
    guard let object = objects[layout.schema.className]?[key] else { return nil }
    return value(column, of: layout, object)
  }

  private func value(_ column: Int, of layout: TableLayout, _ object: ObjectBase) -> Value {
    guard let property = properties(of: layout)[column] else {
      return layout.point.map { value(column, of: $0, object) } ?? .null
    }
    let content = object.content(of: property.name)
    if property.isCollection { return .int(Int64(content?.members.count ?? 0)) }
    return value(content, property)
  }

  private func properties(of layout: TableLayout) -> [Property?] {
    if let known = properties[layout.schema.className] { return known }
    let made = layout.propertiesByColumn
    properties[layout.schema.className] = made
    return made
  }

  private func value(_ column: Int, of point: PointColumns, _ object: ObjectBase) -> Value {
    let columns = [point.longitude, point.latitude, point.altitude, point.odd]
    guard columns.contains(column) else { return .null }
    var row = [Value](repeating: .null, count: columns.reduce(0, max) + 1)
    point.write(DetachedObjects.content(object), to: &row)
    return row[column]
  }

  /// Returns the stored form of the content of a property, or of an element.
  private func value(_ content: PropertyContent?, _ property: Property) -> Value {
    switch content {
    case .object(let object)?:
      property.objectClassName.map { .link(ObjectKey(key(of: object, $0))) }
        ?? .object(address(of: object))
    case .value(let value)?: value
    case .elements(let elements)?: .list(elements.map { value($0, property) })
    case .entries(let entries)?:
      .map(ValueMap(entries.map { ($0.key, value($0.content, property)) }))
    case nil: .null
    }
  }

  /// Returns the address of an object in a value of any type.
  private func address(of object: ObjectBase) -> ObjectAddress {
    let className = object.objectSchema.className
    return ObjectAddress(className: className, key: ObjectKey(key(of: object, className)))
  }

  // MARK: Collections

  func elements(_ layout: CollectionLayout, of owner: Int64) -> [Value] {
    guard let property = catalogue.schema[layout.ownerClass]?[layout.path.names[0]] else {
      return []
    }
    return content(layout, owner)?.members.map { value($0.content, property) } ?? []
  }

  func keys(_ layout: CollectionLayout, of owner: Int64) -> [String] {
    content(layout, owner)?.members.map(\.key) ?? []
  }

  /// The content of a collection, whose path has one name, because embedded objects have rows of their own.
  private func content(_ layout: CollectionLayout, _ owner: Int64) -> PropertyContent? {
    objects[layout.ownerClass]?[owner]?.content(of: layout.path.names[0])
  }
}

extension PropertyContent {
  /// The elements of a collection, those of a map with their keys in byte order.
  fileprivate var members: [(key: String, content: PropertyContent)] {
    switch self {
    case .elements(let elements): elements.map { ("", $0) }
    case .entries(let entries):
      entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    case .value, .object: []
    }
  }
}

/// The values of an unmanaged collection as rows; their keys are their indexes.
///
/// A row has the value twice, because both names are usual: `self` and `SELF`.
final class ValueRows: RowProvider {
  let catalogue: Catalogue
  let schema: ObjectSchema
  private let contents: [PropertyContent]

  init(_ contents: [PropertyContent], _ shape: PropertyShape) {
    self.contents = contents
    let names = [("self", "lower"), ("SELF", "upper")]
    schema = ObjectSchema(
      className: "Element",
      properties: names.map { name, column in
        Property(name: name, columnName: column, type: shape.type, isOptional: shape.isOptional)
      })
    catalogue = Catalogue(inMemory: Schema([schema]))
  }

  let areRowsImmutable = true

  func row(_ layout: TableLayout, _ key: Int64) -> [Value]? {
    contents[Int(key)].value.map { Array(repeating: $0, count: layout.columns.count) }
  }

  func elements(_ layout: CollectionLayout, of owner: Int64) -> [Value] { [] }

  func keys(_ layout: CollectionLayout, of owner: Int64) -> [String] { [] }
}

extension RowProvider {
  /// Returns the first index whose row matches a predicate.
  ///
  /// - Parameters:
  ///   - predicate: The predicate.
  ///   - schema: The class of the rows.
  ///   - indices: The indexes.
  ///   - key: Returns the key of the row of an index; nil for none.
  /// - Returns: The index; nil if no row matches.
  /// - Throws: `QueryPredicateError` for a predicate that does not fit the class.
  func firstMatch(
    _ predicate: QueryPredicate, of schema: ObjectSchema, _ indices: some Sequence<Int>,
    key: (Int) -> Int64?
  ) throws(QueryPredicateError) -> Int? {
    let bound = try predicate.bound(to: catalogue.schema, root: schema)
    do {
      let filter = try RowFilter(bound, on: schema.className, of: self)
      return try indices.first { try key($0).map(filter.matches) ?? false }
    } catch {
      throw error as? QueryPredicateError ?? QueryPredicateError(.invalidQuery, "\(error)")
    }
  }
}

extension TableLayout {
  /// The property whose value, link or number of elements each column has; nil for other columns,
  /// such as those of a point.
  fileprivate var propertiesByColumn: [Property?] {
    var properties = [Property?](repeating: nil, count: columns.count)
    for (property, field) in zip(schema.properties, fields) {
      switch field {
      case .scalar(let column), .link(let column), .owned(let column):
        properties[column] = property
      case .collection(let collection): properties[collection.countColumn] = property
      case .embedded, .pointType, .pointCoordinates: break
      }
    }
    return properties
  }
}

extension ClassInfo {
  /// The layouts of unmanaged objects of the class, and of the objects that they lead to.
  var unmanagedCatalogue: Catalogue {
    unmanaged.withLock { known in
      if let known { return known }
      let classes = reachableSchemas
      let embedded = Set(classes.filter(\.isEmbedded).map(\.className))
      let catalogue = Catalogue(inMemory: Schema(classes, storedApart: embedded))
      known = catalogue
      return catalogue
    }
  }
}
