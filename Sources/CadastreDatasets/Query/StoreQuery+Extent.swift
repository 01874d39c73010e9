import CadastreGeometry

extension StoreQuery {
  /// Returns the box around the geometries of the objects as `west, south, east, north` in degrees; nil if no object
  /// has one.
  ///
  /// The box is that of longitudes and latitudes on a map, so that it is wide where objects lie on both sides of ±180°.
  ///
  /// - Throws: `StoreError`, or ``QueryPredicateError``.
  /// - Complexity: O(n) in the number of objects, without the limit of the query.
  package func extent() throws -> String? {
    let all = try StoreQuery(snapshot, className: className)
    let features = FeatureColumns(try columns(nil))
    var extent: Envelope?
    func add(_ longitude: Double, _ latitude: Double) {
      let box = Envelope(west: longitude, south: latitude, east: longitude, north: latitude)
      extent?.formUnion(box)
      extent = extent ?? box
    }
    try all.forEachRecord(try all.keys()) { record in
      switch features.geometry(of: record) {
      case .shape(let shape): shape.forEachPosition { add($0.longitude, $0.latitude) }
      case .point(let point): add(point[0], point[1])
      case nil: break
      }
    }
    return extent.map { box in
      [box.west, box.south, box.east, box.north].map(FieldText.coordinate).joined(separator: ", ")
    }
  }
}

extension Geometry {
  fileprivate func forEachPosition(_ body: (GeoPosition) -> Void) {
    switch shape {
    case .point(let position): position.map(body)
    case .multiPoint(let positions), .lineString(let positions): positions.forEach(body)
    case .polygon(let lines), .multiLineString(let lines): lines.joined().forEach(body)
    case .multiPolygon(let polygons): polygons.joined().joined().forEach(body)
    case .collection(let parts): for part in parts { part.forEachPosition(body) }
    }
  }
}
