package import CadastreModel
package import CadastreStore

/// An object as a file or a table shows it: names and values, nested where it embeds others.
package struct StoredRecord: Sendable {
  /// What a property holds.
  package indirect enum Content: Sendable {
    /// A single value, which may be null.
    case value(Value)
    /// A place, by all of its coordinates.
    case point(PointColumns.Content)
    /// An embedded object.
    case record(StoredRecord)
  }

  /// The properties, in the order of the class.
  package var fields: [(name: String, content: Content)]

  /// Reads a row of a class.
  package init(_ row: [Value], _ layout: TableLayout) {
    self.init(row, layout.schema, layout.fields)
  }

  private init(_ row: [Value], _ schema: ObjectSchema, _ layouts: [FieldLayout]) {
    fields = zip(schema.properties, layouts).map { property, layout in
      switch layout {
      case .scalar(let column), .link(let column): (property.name, .value(row[column]))
      case .embedded(let embedded): (property.name, Self.content(row, embedded))
      case .pointType, .pointCoordinates: (property.name, .value(.null))
      }
    }
  }

  private static func content(_ row: [Value], _ embedded: EmbeddedLayout) -> Content {
    guard !row[embedded.presence].isNull else { return .value(.null) }
    guard let point = embedded.point else {
      return .record(StoredRecord(row, embedded.schema, embedded.fields))
    }
    return .point(point.content(row))
  }

  /// The first place among the properties; nil where there is none that is valid.
  package var place: MapPoint? {
    for field in fields {
      if case .point(let content) = field.content,
        let place = PointShape.place(type: content.type, coordinates: content.coordinates)
      {
        return MapPoint(longitude: place.longitude, latitude: place.latitude)
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
      case .value: return .value(.null)
      }
    }
    return content
  }
}
