extension Geometry {
  /// The geometry as well-known text, longitude first; numbers round-trip exactly.
  ///
  /// A geometry with altitudes has the suffix `Z`, and a position without one has `NaN`.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var wkt: String { wkt(missingAltitude: .nan) }

  /// Returns the text with a number for the altitude of positions that have none beside others that
  /// have one.
  func wkt(missingAltitude: Double) -> String {
    WKTWriter(hasAltitude: hasAltitude, missingAltitude: missingAltitude).text(shape)
  }
}

/// A writer of geometries as well-known text.
private struct WKTWriter {
  let hasAltitude: Bool
  let missingAltitude: Double

  func text(_ shape: Geometry.Shape) -> String {
    switch shape {
    case .point(let position): tagged("POINT", list(position.map { [numbers($0)] } ?? []))
    case .lineString(let line): tagged("LINESTRING", text(line))
    case .polygon(let rings): tagged("POLYGON", list(rings.map(text)))
    case .multiPoint(let positions):
      tagged("MULTIPOINT", list(positions.map { "(" + numbers($0) + ")" }))
    case .multiLineString(let lines): tagged("MULTILINESTRING", list(lines.map(text)))
    case .multiPolygon(let polygons):
      tagged("MULTIPOLYGON", list(polygons.map { list($0.map(text)) }))
    case .collection(let members):
      tagged("GEOMETRYCOLLECTION", list(members.map { text($0.shape) }))
    }
  }

  private func tagged(_ name: String, _ list: String) -> String {
    name + (hasAltitude ? " Z " : " ") + list
  }

  private func list(_ elements: [String]) -> String {
    elements.isEmpty ? "EMPTY" : "(" + elements.joined(separator: ", ") + ")"
  }

  private func text(_ line: [GeoPosition]) -> String {
    list(line.map(numbers))
  }

  private func numbers(_ position: GeoPosition) -> String {
    let text = "\(position.longitude) \(position.latitude)"
    guard hasAltitude else { return text }
    let altitude = position.altitude ?? missingAltitude
    return text + (altitude.isNaN ? " NaN" : " \(altitude)")
  }
}
