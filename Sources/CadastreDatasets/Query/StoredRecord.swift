package import CadastreGeometry
package import CadastreModel
import CadastrePredicate
package import CadastreStore

/// An object read from a store, as names and values; embedded objects are nested.
package struct StoredRecord: Sendable {
  /// The content of a property.
  package enum Content: Sendable {
    /// A single value, which may be null.
    case value(Value)
    /// A point with all of its coordinates.
    case point(PointColumns.Content)
    /// An embedded object.
    case record(StoredRecord)
    /// The elements of a list or a set.
    case list([Content])
    /// The entries of a map.
    case map([(key: String, content: Content)])
  }

  /// The properties, in the order of the class.
  package var fields: [(name: String, content: Content)]

  /// Creates a record from names and contents.
  package init(fields: [(name: String, content: Content)]) {
    self.fields = fields
  }

  /// The maximum nesting of embedded objects; one level takes about 7 kB of stack.
  static let maximumDepth = 500

  /// Creates a record from a row and reads its collections and owned objects.
  ///
  /// - Throws: ``StoreError``: `nestedTooDeeply`, or `corrupt` if an object is embedded in several
  ///   objects or in itself.
  package init(
    _ row: [Value], _ layout: TableLayout, _ key: ObjectKey, _ reader: any StoreReader
  ) throws(StoreError) {
    var embedded: Set<ObjectAddress> = []
    try self.init(
      row, layout.schema, layout.fields,
      Source(key: key, layout: layout, reader: reader, depth: 0), &embedded)
  }

  /// The access to content outside the row.
  private struct Source {
    let key: ObjectKey
    let layout: TableLayout
    let reader: any StoreReader
    /// The number of embedded objects with separate rows that contain the row.
    let depth: Int

    /// Reads the elements of a collection of the row.
    func content(
      _ collection: CollectionLayout, _ embedded: inout Set<ObjectAddress>
    ) throws(StoreError) -> Content {
      let reading = CollectionReader(collection, reader)
      if collection.kind == .map {
        var entries: [(key: String, content: Content)] = []
        for (name, value) in try reading.entries(key) {
          entries.append((name, try element(value, of: collection, &embedded)))
        }
        return .map(entries)
      }
      var elements: [Content] = []
      for value in try reading.values(key) {
        elements.append(try element(value, of: collection, &embedded))
      }
      return .list(elements)
    }

    private func element(
      _ value: Value, of collection: CollectionLayout, _ embedded: inout Set<ObjectAddress>
    ) throws(StoreError) -> Content {
      guard collection.isOwning, let target = collection.target else { return .value(value) }
      return try owned(value, target, &embedded)
    }

    /// Reads an embedded object that has a separate row.
    func owned(
      _ value: Value, _ className: String, _ embedded: inout Set<ObjectAddress>
    ) throws(StoreError) -> Content {
      guard case .link(let key) = value, let layout = reader.catalogue.layout(className),
        let row = try reader.row(layout, key)
      else { return .value(.null) }
      // In a damaged file, objects that share elements would be read an exponential number of times.
      guard embedded.insert(ObjectAddress(className: className, key: key)).inserted else {
        throw failure(
          .corrupt("object \(key) of '\(className)' is embedded in several objects, or in itself"))
      }
      if let point = layout.point { return .point(point.content(row)) }
      guard depth < StoredRecord.maximumDepth else {
        throw failure(
          .nestedTooDeeply(className: className, maximumDepth: StoredRecord.maximumDepth))
      }
      let source = Source(key: key, layout: layout, reader: reader, depth: depth + 1)
      return .record(try StoredRecord(row, layout.schema, layout.fields, source, &embedded))
    }

    private func failure(_ reason: StoreError.Reason) -> StoreError {
      StoreError(reason, path: reader.connection.path)
    }
  }

  private init(
    _ row: [Value], _ schema: ObjectSchema, _ layouts: [FieldLayout], _ source: Source,
    _ embedded: inout Set<ObjectAddress>
  ) throws(StoreError) {
    fields = []
    fields.reserveCapacity(layouts.count)
    for (property, layout) in zip(schema.properties, layouts) {
      fields.append((property.name, try Self.content(row, property, layout, source, &embedded)))
    }
  }

  private static func content(
    _ row: [Value], _ property: Property, _ layout: FieldLayout, _ source: Source,
    _ objects: inout Set<ObjectAddress>
  ) throws(StoreError) -> Content {
    switch layout {
    case .scalar(let column), .link(let column): .value(row[column])
    case .owned(let column):
      try source.owned(row[column], property.objectClassName ?? "", &objects)
    case .collection(let collection): try source.content(collection, &objects)
    case .embedded(let embedded): try content(row, embedded, source, &objects)
    case .pointType, .pointCoordinates: .value(.null)
    }
  }

  private static func content(
    _ row: [Value], _ embedded: EmbeddedLayout, _ source: Source,
    _ objects: inout Set<ObjectAddress>
  ) throws(StoreError) -> Content {
    guard !row[embedded.presence].isNull else { return .value(.null) }
    guard let point = embedded.point else {
      return .record(
        try StoredRecord(row, embedded.schema, embedded.fields, source, &objects))
    }
    return .point(point.content(row))
  }

  /// The first valid point among the properties and those of embedded objects; nil if there is none.
  package var location: GeoPoint? {
    coordinates.flatMap { GeoPoint(latitude: $0[1], longitude: $0[0]) }
  }

  /// All coordinates of the first valid point, longitude and latitude first.
  var coordinates: [Double]? {
    first { content in
      if case .point(let point) = content { point.validCoordinates } else { nil }
    }
  }

  /// The first geometry among the properties and those of embedded objects; nil if there is none.
  package var geometry: Geometry? {
    first { content in
      if case .value(.geometry(let geometry)) = content { geometry } else { nil }
    }
  }

  /// Returns the first result for the properties, in the order of the columns of the output.
  private func first<Result>(_ result: (Content) -> Result?) -> Result? {
    for field in fields {
      let found =
        if case .record(let record) = field.content { record.first(result) } else {
          result(field.content)
        }
      if let found { return found }
    }
    return nil
  }

  /// Returns the content of a column.
  package func content(_ column: OutputColumn) -> Content {
    guard let expression = column.expression else {
      return column.isOnEllipsoid ? measuredOnEllipsoid(column.path) : content(column.path)
    }
    guard column.isOnEllipsoid else { return .value(expression.value(value(at:))) }
    return .value(
      expression.value { path in
        if case .value(let value) = measuredOnEllipsoid(path) { value } else { .null }
      })
  }

  /// Returns the content at a path, where areas and lengths are those on the ellipsoid.
  private func measuredOnEllipsoid(_ path: PropertyPath) -> Content {
    let owner = PropertyPath(Array(path.names.dropLast()))
    guard let measure = path.names.last.flatMap(GeometryMeasure.init(rawValue:)),
      EllipsoidMeasure.isMeasured(measure), !owner.names.isEmpty,
      case .geometry(let geometry) = value(at: owner)
    else { return content(path) }
    return .value(EllipsoidMeasure.value(measure, of: geometry))
  }

  /// Returns the single value at a path; null for other content.
  func value(at path: PropertyPath) -> Value {
    if case .value(let value) = content(path) { value } else { .null }
  }

  /// Returns the content of a column as it is written: days are texts such as `2024-05-01`.
  package func written(_ column: OutputColumn) -> Content {
    let content = content(column)
    guard column.isDay, case .value(.date(let date)) = content, date.isStartOfDay else {
      return content
    }
    return .value(.string(date.day))
  }

  /// Returns the content at a path of names; null if a part of the path is null.
  ///
  /// The last names may be measures of a geometry, or the part of a date.
  package func content(_ path: PropertyPath) -> Content {
    let names = path.names
    guard let first = names.first else { return .record(self) }
    var content = content(ofField: first)
    guard names.count > 1 else { return content }
    for name in names.dropFirst() {
      switch content {
      case .record(let record): content = record.content(ofField: name)
      case .point(let point):
        if let member = PointMember(rawValue: name) {
          let coordinates = point.coordinates
          return .value(
            coordinates.indices.contains(member.index)
              ? .double(coordinates[member.index]) : .null)
        }
        content =
          name == ObjectSchema.pointTypeName ? .value(.string(point.type)) : .point(point)
      case .value(let value):
        content = .value(ValueMeasure.value(name, of: value) ?? .null)
      case .list, .map: return .value(.null)
      }
    }
    return content
  }

  /// Returns the content of a field; null if there is none with the name.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - index: The expected index of the field.
  /// - Returns: The content.
  func content(ofField name: String, near index: Int = 0) -> Content {
    if index < fields.count, fields[index].name == name { return fields[index].content }
    guard let index = fields.firstIndex(where: { $0.name == name }) else { return .value(.null) }
    return fields[index].content
  }
}

extension PointColumns.Content {
  /// All coordinates, longitude and latitude first; nil if they do not form a point on Earth.
  var validCoordinates: [Double]? {
    PointShape.location(type: type, coordinates: coordinates) == nil ? nil : coordinates
  }
}

extension StoredRecord {
  /// Creates a record from a row outside of a store, whose embedded objects are all in columns.
  ///
  /// - Parameters:
  ///   - row: The row, with its collections.
  ///   - layout: The table of the row's class.
  package init(_ row: ImportRow, _ layout: TableLayout) {
    self.init(row, layout.schema, layout.fields)
  }

  private init(_ row: ImportRow, _ schema: ObjectSchema, _ layouts: [FieldLayout]) {
    self.init(
      fields: zip(schema.properties, layouts).map { property, layout in
        (property.name, Self.content(row, layout))
      })
  }

  private static func content(_ row: ImportRow, _ layout: FieldLayout) -> Content {
    switch layout {
    case .scalar(let column), .link(let column): return .value(row.values[column])
    case .embedded(let embedded):
      guard !row.values[embedded.presence].isNull else { return .value(.null) }
      if let point = embedded.point { return .point(point.content(row.values)) }
      return .record(StoredRecord(row, embedded.schema, embedded.fields))
    case .collection(let collection):
      if collection.kind == .map {
        return .map((row.entries(of: collection) ?? []).map { ($0.key, content($0.value)) })
      }
      return .list((row.elements(of: collection) ?? []).map(content))
    case .owned, .pointType, .pointCoordinates: return .value(.null)
    }
  }

  private static func content(_ element: ImportRow.Element) -> Content {
    .value(element.value ?? .null)
  }
}

extension StoredRecord {
  /// Returns the record with the fields of a class only, in embedded objects too.
  ///
  /// - Parameters:
  ///   - root: The class with the fields that remain.
  ///   - schema: The classes of embedded objects with the fields that remain.
  /// - Returns: The record.
  func limited(to root: ObjectSchema, in schema: Schema) -> StoredRecord {
    StoredRecord(
      fields: fields.compactMap { field in
        guard let property = root[field.name] else { return nil }
        guard let target = property.objectClassName.flatMap({ schema[$0] }), target.isEmbedded
        else { return field }
        return (field.name, Self.limited(field.content, to: target, in: schema))
      })
  }

  private static func limited(
    _ content: Content, to target: ObjectSchema, in schema: Schema
  ) -> Content {
    switch content {
    case .value, .point: content
    case .record(let record): .record(record.limited(to: target, in: schema))
    case .list(let elements): .list(elements.map { limited($0, to: target, in: schema) })
    case .map(let entries):
      .map(entries.map { ($0.key, limited($0.content, to: target, in: schema)) })
    }
  }
}
