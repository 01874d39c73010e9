extension PreparedGeometry {
  /// An envelope that every box must contain which contains the geometry.
  ///
  /// It is that of the vertices whose coordinates have one form only: a vertex at ±180° has two
  /// longitudes, and a pole has all. Without such a vertex, and for a circle, it is inverted, so that
  /// every box contains it.
  package var coreEnvelope: Envelope {
    var core = Envelope(
      minLongitude: .infinity, maxLongitude: -.infinity, minLatitude: .infinity,
      maxLatitude: -.infinity)
    guard let parts = geometry?.parts else { return core }
    let lines = parts.lines + parts.polygons.flatMap(\.self)
    for positions in [parts.points] + lines {
      for position in positions where abs(position.longitude) < 180 && abs(position.latitude) < 90 {
        core.minLongitude = min(core.minLongitude, position.longitude)
        core.maxLongitude = max(core.maxLongitude, position.longitude)
        core.minLatitude = min(core.minLatitude, position.latitude)
        core.maxLatitude = max(core.maxLatitude, position.latitude)
      }
    }
    return core
  }
}
