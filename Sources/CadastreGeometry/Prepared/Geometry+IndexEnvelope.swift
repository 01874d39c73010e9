extension Geometry {
  /// A box that contains the geometry with edges of either model; nil if it is empty.
  ///
  /// A geometry that crosses ±180° has a box of all longitudes.
  ///
  /// - Complexity: O(n) in the number of positions.
  package var indexEnvelope: Envelope? {
    if let point { return Envelope(point) }
    let envelopes = EdgeModel.allCases.flatMap { PreparedGeometry(self, edges: $0).envelopes }
    guard var union = envelopes.first else { return nil }
    for other in envelopes.dropFirst() { union.formUnion(other) }
    return union
  }

  /// The envelope with planar edges; nil if the geometry is empty.
  ///
  /// A geometry that crosses ±180° has an envelope of all longitudes.
  ///
  /// - Complexity: O(n) in the number of positions.
  package var planarEnvelope: Envelope? { PreparedGeometry(self, edges: .planar).bounds }
}

extension Envelope {
  /// Creates the envelope of a point.
  fileprivate init(_ point: GeoPoint) {
    self.init(
      minLongitude: point.longitude, maxLongitude: point.longitude,
      minLatitude: point.latitude, maxLatitude: point.latitude)
  }
}

extension PreparedGeometry {
  /// The smallest envelope that contains the geometry and does not cross ±180°; nil if it is empty.
  package var bounds: Envelope? {
    var bounds: Envelope?
    for envelope in envelopes {
      bounds?.formUnion(envelope)
      bounds = bounds ?? envelope
    }
    return bounds
  }
}
