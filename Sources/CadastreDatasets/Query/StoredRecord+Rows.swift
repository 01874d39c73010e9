import CadastreModel
package import CadastreStore

extension StoredRecord {
  /// Creates a record from a row that is in no store, and whose embedded objects are all in columns.
  ///
  /// - Parameters:
  ///   - row: The row, with its collections.
  ///   - layout: The table that could hold it.
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
