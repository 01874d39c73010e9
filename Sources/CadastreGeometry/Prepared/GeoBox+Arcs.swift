extension GeoBox {
  /// Returns the band of latitudes if the box contains all longitudes, else nil.
  func band(edges: EdgeModel) -> Envelope? {
    let (south, north) = latitudes
    guard edges == .spherical, abs(topRight.longitude - bottomLeft.longitude) == 360
    else { return nil }
    return Envelope(minLongitude: -180, maxLongitude: 180, minLatitude: south, maxLatitude: north)
  }

  /// The latitudes of the southern and the northern side.
  var latitudes: (Double, Double) {
    (
      min(bottomLeft.latitude, topRight.latitude),
      max(bottomLeft.latitude, topRight.latitude)
    )
  }

  /// Returns the box, or the two parts of one that crosses ±180° with planar edges.
  ///
  /// With planar edges a box crosses ±180° if its first longitude is more than 180° east of the second.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: One or two boxes.
  package func parts(edges: EdgeModel) -> [GeoBox] {
    let width = bottomLeft.longitude - topRight.longitude
    guard edges == .planar, width > 180, width < 360 else { return [self] }
    let (south, north) = latitudes
    return [(bottomLeft.longitude, 180), (-180, topRight.longitude)].map { west, east in
      GeoBox(
        bottomLeft: GeoPoint(uncheckedLatitude: south, longitude: west, altitude: 0),
        topRight: GeoPoint(uncheckedLatitude: north, longitude: east, altitude: 0))
    }
  }

  /// Returns the longitudes of the western and the eastern side.
  func longitudes(_ edges: EdgeModel) -> (Double, Double) {
    let (first, second) = (bottomLeft.longitude, topRight.longitude)
    switch edges {
    case .planar: return (min(first, second), max(first, second))
    case .spherical:
      let (west, east) =
        longitudeDifference(from: first, to: second) >= 0 ? (first, second) : (second, first)
      return (west == 180 ? -180 : west, east == 180 ? -180 : east)
    }
  }

  /// Returns the border of a box that is one part.
  ///
  /// - Parameter edges: The model of the edges.
  /// - Returns: A collector with the border as a ring or as a line.
  /// - Throws: `RegionError.Reason` if the box is 180° wide and has a side on the equator, with
  ///   spherical edges.
  func arcs(edges: EdgeModel) throws(RegionError.Reason) -> ArcCollector {
    let (south, north) = latitudes
    let (west, east) = longitudes(edges)
    var collector = ArcCollector(edges: edges)
    if band(edges: edges) != nil {
      if south == north {
        collector.addParallel(south, role: .line)
        return collector
      }
      let ring = Geometry(self).parts.polygons[0][0].map {
        Vertex(longitude: $0.longitude, latitude: $0.latitude)
      }
      try collector.addRing([], of: RingCourse(ring), role: .shell)
      return collector
    }
    if west == east || south == north {
      let start = Vertex(longitude: west, latitude: south)
      let end = Vertex(longitude: east, latitude: north)
      // Two arcs, because the ends of a meridian from pole to pole are antipodes.
      let middle = Vertex(longitude: west, latitude: south + (north - south) / 2)
      if west == east {
        try collector.addLine(from: start, to: middle)
        try collector.addLine(from: middle, to: end)
      } else {
        try collector.addLine(from: start, to: end)
      }
      return collector
    }
    try collector.addRing(ring(west, east, south, north, edges), role: .shell)
    return collector
  }

  /// Returns the corners, counter-clockwise; with spherical edges a side at a pole is one vertex.
  func ring(
    _ west: Double, _ east: Double, _ south: Double, _ north: Double, _ edges: EdgeModel
  ) -> [Vertex] {
    let corners = [
      Vertex(longitude: west, latitude: south), Vertex(longitude: east, latitude: south),
      Vertex(longitude: east, latitude: north), Vertex(longitude: west, latitude: north),
    ]
    guard edges == .spherical, corners.contains(where: \.isPole) else { return corners }
    let southPole = Vertex(longitude: 0, latitude: -90)
    let northPole = Vertex(longitude: 0, latitude: 90)
    if south > -90 { return [corners[0], corners[1], northPole] }
    if north < 90 { return [southPole, corners[2], corners[3]] }
    return [
      southPole, Vertex(longitude: east, latitude: 0), northPole,
      Vertex(longitude: west, latitude: 0),
    ]
  }
}
