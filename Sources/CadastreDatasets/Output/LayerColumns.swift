package import CadastreGeometry
package import CadastreModel

/// The attribute columns of a GeoPackage layer, without points and geometries.
package struct LayerColumns {
  private let columns: [OutputColumn]
  /// Whether the records have geometries that may be no points.
  package let hasShapes: Bool

  /// Selects the columns that are no points and no geometries.
  package init(_ columns: [OutputColumn]) {
    self.columns = columns.filter { !$0.isPoint && $0.type != .geometry }
    hasShapes = columns.contains { $0.type == .geometry }
  }

  /// The names and types; a type of nil means text.
  package var columnTypes: [(name: String, type: PropertyType?)] {
    columns.map { ($0.path.description, $0.type) }
  }

  /// Returns the values of a record; nested content is JSON.
  package func values(_ record: StoredRecord) -> [Value] {
    columns.map { column in
      let content = record.content(column)
      guard case .value(let value) = content else { return .string(FieldText.json(content)) }
      return value
    }
  }

  /// Returns the first geometry of a record, else its first point.
  package static func geometry(_ record: StoredRecord) -> Geometry? {
    record.geometry ?? point(record).map(Geometry.init)
  }

  /// Returns the first point of a record; a negative altitude becomes 0, because `GeoPoint` has none.
  package static func point(_ record: StoredRecord) -> GeoPoint? {
    record.coordinates.flatMap { coordinates in
      GeoPoint(
        latitude: coordinates[1], longitude: coordinates[0],
        altitude: coordinates.count > 2 ? max(coordinates[2], 0) : 0)
    }
  }
}
