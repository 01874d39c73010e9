import CadastreGeometry
import CadastreModel
import CadastreStore

/// The columns that take the geometry or the coordinates of a record.
enum PlaceColumns: Sendable {
  /// An embedded point.
  case point(EmbeddedLayout)
  /// A geometry, in one column.
  case geometry(Int)

  /// Writes a point to a row.
  func write(_ point: TypedPoint, to row: inout ImportRow) {
    switch self {
    case .point(let embedded):
      embedded.write(
        longitude: point.longitude, latitude: point.latitude, altitude: point.altitude, to: &row)
    case .geometry(let column): row.values[column] = point.geometry.map(Value.geometry) ?? .null
    }
  }

  /// Writes a geometry to a row, for a point its centroid; an empty geometry has none.
  ///
  /// - Parameters:
  ///   - geometry: The geometry, which is no point unless a column of geometries takes it.
  ///   - imported: The use of geometries.
  ///   - row: The row.
  /// - Throws: ``Rejection`` if the geometry is invalid and not kept or repaired, or if a point cannot take it.
  func write(
    _ geometry: Geometry, _ imported: ImportedClass, to row: inout ImportRow
  ) throws(Rejection) {
    if case .point = self, imported.geometryUse != .centroid {
      throw Rejection(
        field: ImportedClass.geometryName,
        reason: "the geometry is no point; the class has a property for points only")
    }
    let shape = try imported.invalidShapes.checked(geometry, field: ImportedClass.geometryName)
    switch self {
    case .geometry(let column): row.values[column] = .geometry(shape)
    case .point(let embedded):
      guard let center = shape.centroid else { return }
      embedded.write(longitude: center.longitude, latitude: center.latitude, to: &row)
    }
  }
}
