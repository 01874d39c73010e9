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
    try all.forEachRecord(try all.keys()) { record in
      let box: Envelope? =
        switch features.geometry(of: record) {
        case .shape(let shape): shape.planarEnvelope
        case .point(let point):
          Envelope(west: point[0], south: point[1], east: point[0], north: point[1])
        case nil: nil
        }
      guard let box else { return }
      extent?.formUnion(box)
      extent = extent ?? box
    }
    return extent.map { box in
      [box.west, box.south, box.east, box.north].map(FieldText.coordinate).joined(separator: ", ")
    }
  }
}
