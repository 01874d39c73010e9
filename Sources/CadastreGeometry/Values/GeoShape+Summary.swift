extension GeoShape {
  /// The shape as in `description`, with counts in place of most parts of long lists.
  ///
  /// - Complexity: O(1), independent of the number of points.
  package var summary: String {
    switch self {
    case .box, .circle: description
    case .polygon(let polygon): polygon.summary
    case .multiPolygon(let polygons):
      "geoMultiPolygon(" + Self.shortened(polygons, "polygons", \.summary) + ")"
    }
  }

  /// Returns all parts of a short list, or the first parts and the number of all.
  fileprivate static func shortened<Part>(
    _ parts: [Part], atMost limit: Int = 4, _ noun: String, _ text: (Part) -> String
  ) -> String {
    let shown = (parts.count > limit ? parts.prefix(limit / 2) : parts[...]).map(text)
    return (shown + (parts.count > limit ? ["… \(parts.count) \(noun) in all"] : []))
      .joined(separator: ", ")
  }
}

extension GeoPolygon {
  fileprivate var summary: String {
    let rings = GeoShape.shortened(rings, "rings") { ring in
      "{" + GeoShape.shortened(ring, atMost: 8, "points", \.description) + "}"
    }
    return "geoPolygon(\(rings))"
  }
}

extension GeoShape {
  /// The number of vertices of all rings; 0 for a circle.
  package var vertexCount: Int {
    switch self {
    case .circle: 0
    case .box: 4
    case .polygon(let polygon): polygon.vertexCount
    case .multiPolygon(let polygons): polygons.reduce(0) { $0 + $1.vertexCount }
    }
  }
}

extension GeoPolygon {
  // The last point of a ring is its first.
  fileprivate var vertexCount: Int { rings.reduce(0) { $0 + $1.count - 1 } }
}
