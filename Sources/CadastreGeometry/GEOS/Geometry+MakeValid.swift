import CGEOS

/// Repair in the plane of longitude and latitude, by GEOS.
extension Geometry {
  /// Returns a valid geometry of the same positions and the points where its edges cross.
  ///
  /// The result of polygons is a polygon or a multi-polygon, without parts that have no area; polygons of a
  /// multi-polygon that overlap become their union. A geometry whose edges cross ±180° is repaired in a
  /// plane that is continuous there.
  ///
  /// - Returns: The repaired geometry, which is valid with spherical edges.
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if edges cross both ±180° and 0°, if the polygons have
  ///   no area, if the result is invalid, or if GEOS fails.
  public func madeValid() throws(GeometryError) -> Geometry {
    if case .collection(let members) = shape {
      var repaired: [Geometry] = []
      for member in members { repaired.append(try member.madeValid()) }
      return Geometry(unchecked: .collection(repaired))
    }
    let isCrossing = try crossesAntimeridian()
    let plane = isCrossing ? turned : self
    let repaired = try plane.validInPlane()
    let result = isCrossing ? repaired.turned : repaired
    if let fault = result.fault(edges: .spherical) {
      throw .geometryLibrary("the repaired geometry is invalid: \(fault)")
    }
    return result
  }

  /// Returns whether edges cross ±180°, and none is a whole parallel.
  ///
  /// - Throws: ``GeometryError/geometryLibrary(_:)`` if edges cross 0°, too.
  private func crossesAntimeridian() throws(GeometryError) -> Bool {
    guard let edge = Self.longEdge(of: self), parts.chains.allSatisfy(\.wholeParallels.isEmpty)
    else { return false }
    if let other = Self.longEdge(of: turned) {
      let opposite = Self.turned(other.longitude)
      throw .geometryLibrary(
        "an edge at [\(edge.longitude), \(edge.latitude)] crosses ±180°, and one at "
          + "[\(opposite), \(other.latitude)] crosses 0°; divide the geometry at ±180°")
    }
    return true
  }

  /// The start of the first edge that is longer than 180° of longitude as written.
  private static func longEdge(of geometry: Geometry) -> Vertex? {
    for chain in geometry.parts.chains {
      for (start, end) in zip(chain, chain.dropFirst())
      where abs(end.longitude - start.longitude) > 180 { return start }
    }
    return nil
  }

  /// The geometry with all longitudes turned by 180°; two turns restore it, with -180° for 180°.
  private var turned: Geometry {
    mapPositions { position in
      GeoPosition(
        longitude: Self.turned(position.longitude), latitude: position.latitude,
        altitude: position.altitude) ?? position
    }
  }

  private static func turned(_ longitude: Double) -> Double {
    longitude < 0 ? longitude + 180 : longitude - 180
  }

  /// Returns the geometry repaired as the plane of its coordinates.
  private func validInPlane() throws(GeometryError) -> Geometry {
    let polygons: [[[GeoPosition]]]
    switch shape {
    case .polygon(let rings) where !rings.isEmpty: polygons = [rings]
    case .multiPolygon(let parts) where !parts.isEmpty: polygons = parts
    default: return try transformed { GEOSMakeValid_r($0, $1) }
    }
    var repaired: [[[GeoPosition]]] = []
    for rings in polygons {
      let part = Geometry(unchecked: .polygon(rings))
      repaired += try part.transformed { GEOSMakeValid_r($0, $1) }.parts.polygons
    }
    if polygons.count > 1 {
      let parts = Geometry(unchecked: .multiPolygon(repaired))
      repaired = try parts.transformed { GEOSUnaryUnion_r($0, $1) }.parts.polygons
    }
    guard let first = repaired.first else { throw .geometryLibrary("the polygons have no area") }
    return Geometry(unchecked: repaired.count == 1 ? .polygon(first) : .multiPolygon(repaired))
  }
}

extension Geometry.Parts {
  /// The vertices of all lines and rings.
  fileprivate var chains: [[Vertex]] { (lines + polygons.joined()).map { $0.map(\.vertex) } }
}
