import CadastreGeometry

/// The treatment of geometries that are invalid, such as polygons whose rings cross.
package enum InvalidShapes: String, Sendable, CaseIterable {
  /// The row is rejected with the reason.
  case reject
  /// The geometry is stored as it is.
  case keep
  /// The geometry is made valid in longitude and latitude; polygons stay polygons.
  case repair

  /// Returns the geometry to store.
  ///
  /// - Parameters:
  ///   - geometry: The geometry of a record.
  ///   - field: The name of the field, for messages.
  /// - Returns: The geometry, or a repaired one.
  /// - Throws: ``Rejection`` with the violated rule and its location.
  func checked(_ geometry: Geometry, field: String) throws(Rejection) -> Geometry {
    guard self != .keep, let fault = geometry.fault(edges: .spherical) else { return geometry }
    if self == .repair {
      do throws(GeometryError) {
        return try geometry.madeValid()
      } catch {
        throw Rejection(field: field, reason: "the geometry cannot be repaired: \(error)")
      }
    }
    throw Rejection(
      field: field,
      reason: "the geometry is invalid: \(fault) (--on-invalid repair|keep takes it)")
  }
}
