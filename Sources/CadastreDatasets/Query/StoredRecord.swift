package import CadastreGeometry
package import CadastreModel
package import CadastreStore

/// An object as a file or a table shows it: names and values, nested where it embeds others.
package struct StoredRecord: Sendable {
  /// What a property holds.
  package enum Content: Sendable {
    /// A single value, which may be null.
    case value(Value)
    /// A place, by all of its coordinates.
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

  /// States an object.
  package init(fields: [(name: String, content: Content)]) {
    self.fields = fields
  }

  /// Reads a row of a class, and its collections.
  package init(
    _ row: [Value], _ layout: TableLayout, _ key: ObjectKey, _ reader: any StoreReader
  ) throws(StoreError) {
    try self.init(
      row, layout.schema, layout.fields, Source(key: key, layout: layout, reader: reader))
  }

  /// Where what is outside of the row is found.
  private struct Source {
    let key: ObjectKey
    let layout: TableLayout
    let reader: any StoreReader

    /// The elements of a collection of the row.
    func content(_ collection: CollectionLayout) throws(StoreError) -> Content {
      let reading = CollectionReader(collection, reader)
      if collection.kind == .map {
        var entries: [(key: String, content: Content)] = []
        for (name, value) in try reading.entries(key) {
          entries.append((name, try element(value, of: collection)))
        }
        return .map(entries)
      }
      var elements: [Content] = []
      for value in try reading.values(key) {
        elements.append(try element(value, of: collection))
      }
      return .list(elements)
    }

    private func element(
      _ value: Value, of collection: CollectionLayout
    ) throws(StoreError) -> Content {
      guard collection.isOwning, let target = collection.target else { return .value(value) }
      return try owned(value, target)
    }

    /// An embedded object with a row of its own.
    func owned(_ value: Value, _ className: String) throws(StoreError) -> Content {
      guard case .link(let key) = value, let layout = reader.catalogue.layout(className),
        let row = try reader.row(layout, key)
      else { return .value(.null) }
      if let point = layout.point { return .point(point.content(row)) }
      return .record(try StoredRecord(row, layout, key, reader))
    }
  }

  private init(
    _ row: [Value], _ schema: ObjectSchema, _ layouts: [FieldLayout], _ source: Source
  ) throws(StoreError) {
    fields = []
    for (property, layout) in zip(schema.properties, layouts) {
      fields.append((property.name, try Self.content(row, property, layout, source)))
    }
  }

  private static func content(
    _ row: [Value], _ property: Property, _ layout: FieldLayout, _ source: Source
  ) throws(StoreError) -> Content {
    switch layout {
    case .scalar(let column), .link(let column): .value(row[column])
    case .owned(let column): try source.owned(row[column], property.objectClassName ?? "")
    case .collection(let collection): try source.content(collection)
    case .embedded(let embedded): try content(row, embedded, source)
    case .pointType, .pointCoordinates: .value(.null)
    }
  }

  private static func content(
    _ row: [Value], _ embedded: EmbeddedLayout, _ source: Source
  ) throws(StoreError) -> Content {
    guard !row[embedded.presence].isNull else { return .value(.null) }
    guard let point = embedded.point else {
      return .record(try StoredRecord(row, embedded.schema, embedded.fields, source))
    }
    return .point(point.content(row))
  }

  /// The first valid point among the properties; nil if there is none.
  package var location: GeoPoint? {
    placeCoordinates.flatMap { GeoPoint(latitude: $0[1], longitude: $0[0]) }
  }

  /// All coordinates of the first place among the properties, longitude and latitude first.
  var placeCoordinates: [Double]? {
    for field in fields {
      if case .point(let content) = field.content,
        PointShape.location(type: content.type, coordinates: content.coordinates) != nil
      {
        return content.coordinates
      }
    }
    return nil
  }

  /// What stands at the end of a path of names; null where something on the way is null.
  package func content(_ path: PropertyPath) -> Content {
    var content = Content.record(self)
    for name in path.names {
      switch content {
      case .record(let record):
        content = record.fields.first { $0.name == name }?.content ?? .value(.null)
      case .point(let point):
        content =
          name == ObjectSchema.pointTypeName ? .value(.string(point.type)) : .point(point)
      case .value, .list, .map: return .value(.null)
      }
    }
    return content
  }
}
