package import CadastreModel
package import CadastrePredicate
package import CadastreStore
import Foundation

/// Objects and queries for back ends that are not a store.
package enum DetachedObjects {
  /// The schema of a class.
  package static func schema(of type: ObjectBase.Type) -> ObjectSchema { ClassInfo.of(type).schema }

  /// The predicate of a type-safe condition.
  package static func predicate<Element>(
    _ condition: (Query<Element>) -> Query<Bool>
  ) -> QueryPredicate { condition(Query()).predicate }

  /// The arguments of a predicate text.
  package static func arguments(
    _ values: [Any?]
  ) throws(QueryPredicateError) -> [PredicateArgument] { try PredicateArgument.arguments(values) }

  /// The path that a key path names.
  package static func path<Element: ObjectBase>(of keyPath: PartialKeyPath<Element>) -> PropertyPath
  {
    PropertyPath(
      PropertyNames.name(ofPartial: keyPath).split(separator: ".").map(String.init))
  }

  /// The stored form of a value of a property; nil if the value has none.
  package static func value(_ value: Any?) -> Value? { DynamicValue.value(value) }

  /// An unmanaged object of a row; its links are nil.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - row: The row.
  ///   - layout: The table that could hold the row.
  /// - Returns: The object.
  /// - Throws: `InvalidValueError` for a value that does not fit the class.
  package static func object<Element: ObjectBase>(
    _ type: Element.Type, _ row: ImportRow, _ layout: TableLayout
  ) throws(InvalidValueError) -> Element {
    let object = type.init()
    try ClassInfo.of(type).create(
      object, checking: members(row, layout.schema, layout.fields), ObjectCreation.Check(core: nil))
    return object
  }

  /// A value as a property of an object has it; nil for null.
  package static func dynamic(_ value: Value) -> Any? { value.dynamicValue }

  /// The values of a row by the names of the properties, as ``object(_:_:_:)`` sets them.
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

  /// The row of an unmanaged object.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - layout: The table that could hold it.
  ///   - link: Called with the column and the object of each link that is not nil.
  /// - Returns: The row, with null for links.
  package static func row(
    of object: ObjectBase, _ layout: TableLayout, link: (Int, ObjectBase) -> Void
  ) -> ImportRow {
    var row = ImportRow(columns: layout.columns.count)
    write(object, layout.schema, layout.fields, to: &row, link)
    return row
  }

  private static func write(
    _ object: ObjectBase, _ schema: ObjectSchema, _ layouts: [FieldLayout],
    to row: inout ImportRow, _ link: (Int, ObjectBase) -> Void
  ) {
    for (property, layout) in zip(schema.properties, layouts) {
      let content = object.content(of: property.name)
      switch (layout, content) {
      case (.scalar(let column), .value(let value)?): row.values[column] = value
      case (.link(let column), .object(let target)?): link(column, target)
      case (.embedded(let embedded), .object(let inner)?):
        row.values[embedded.presence] = .bool(true)
        if let point = embedded.point {
          point.write(Self.content(inner), to: &row.values)
        } else {
          write(inner, embedded.schema, embedded.fields, to: &row, link)
        }
      case (.collection(let collection), .elements(let elements)?):
        row.members.append(.list(collection, elements.compactMap(\.value).map { .value($0) }))
      case (.collection(let collection), .entries(let entries)?):
        row.members.append(
          .map(
            collection,
            entries.compactMap { entry in entry.content.value.map { (entry.key, .value($0)) } }))
      default: continue
      }
    }
  }

  private static func content(_ point: ObjectBase) -> PointColumns.Content {
    var content = PointColumns.Content(type: "", coordinates: [])
    if case .value(.string(let type)) = point.content(of: ObjectSchema.pointTypeName) {
      content.type = type
    }
    if case .elements(let elements) = point.content(of: ObjectSchema.pointCoordinatesName) {
      content.coordinates = elements.compactMap { $0.value?.doubleValue }
    }
    return content
  }
}
