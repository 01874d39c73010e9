import CadastreGeometry
import CadastreStore

/// The use of the geometries of records, apart from columns with coordinates or text.
package enum GeometryUse: Sendable {
  /// They are stored: points as `location`; if there are other geometries, all as `geometry`.
  case stored
  /// They are ignored, and no columns are taken for a location.
  case ignored
  /// The centroids are stored as `location`.
  case centroid
}

extension EmbeddedLayout {
  /// Writes the centroid of a geometry to the row of its owner; nothing for an empty geometry.
  ///
  /// - Parameters:
  ///   - geometry: The geometry of a record.
  ///   - invalidShapes: The treatment of an invalid geometry.
  ///   - row: The row.
  /// - Throws: ``Rejection`` if the geometry is invalid and not kept or repaired.
  func writeCentroid(
    of geometry: Geometry, _ invalidShapes: InvalidShapes, to row: inout ImportRow
  ) throws(Rejection) {
    let shape = try invalidShapes.checked(geometry, field: ImportedClass.geometryName)
    guard let center = shape.centroid else { return }
    write(longitude: center.longitude, latitude: center.latitude, to: &row)
  }
}
