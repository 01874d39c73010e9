package import CadastreGeometry
package import CadastreModel

/// The columns of a layer of a GeoPackage, which has its places in a geometry of their own.
package struct LayerColumns {
  private let columns: [OutputColumn]

  /// Takes what is no place from some columns.
  package init(_ columns: [OutputColumn]) {
    self.columns = columns.filter { !$0.isPlace }
  }

  /// Names and types, nil for what is written as text.
  package var columnTypes: [(name: String, type: PropertyType?)] {
    columns.map { ($0.path.description, $0.type) }
  }

  /// The values of a record, what is nested as JSON.
  package func values(_ record: StoredRecord) -> [Value] {
    columns.map { column in
      let content = record.content(column.path)
      guard case .value(let value) = content else { return .string(FieldText.json(content)) }
      return value
    }
  }

  /// The first place of a record; an altitude below zero, which a place cannot have, is left out.
  package static func place(_ record: StoredRecord) -> GeoPoint? {
    record.placeCoordinates.flatMap { coordinates in
      GeoPoint(
        latitude: coordinates[1], longitude: coordinates[0],
        altitude: coordinates.count > 2 ? max(coordinates[2], 0) : 0)
    }
  }
}
