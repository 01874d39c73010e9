/// Tests of batches of points or boxes, which dispatch on the form of the region once per batch.
extension PreparedRegion {
  /// Removes the points outside the region from a selection vector; the order does not change.
  ///
  /// - Parameters:
  ///   - selection: Indices into the two columns.
  ///   - longitudes: The longitudes of the points, in degrees.
  ///   - latitudes: The latitudes of the points, in degrees.
  /// - Complexity: O(n) in the number of selected points.
  package func refine(
    _ selection: inout [Int32], longitudes: UnsafeBufferPointer<Double>,
    latitudes: UnsafeBufferPointer<Double>
  ) {
    precondition(
      longitudes.count == latitudes.count,
      "\(longitudes.count) longitudes, but \(latitudes.count) latitudes")
    switch body {
    case .circle(let circle):
      Self.refine(&selection, longitudes, latitudes) {
        CoordinateRange.contains(longitude: $0, latitude: $1)
          && circle.contains(longitude: $0, latitude: $1)
      }
    case .polygon(let polygon):
      Self.refine(&selection, longitudes, latitudes) {
        polygon.contains(longitude: $0, latitude: $1)
      }
    case .everything, .polygons:
      Self.refine(&selection, longitudes, latitudes) { contains(longitude: $0, latitude: $1) }
    }
  }

  @inline(__always)
  private static func refine(
    _ selection: inout [Int32], _ longitudes: UnsafeBufferPointer<Double>,
    _ latitudes: UnsafeBufferPointer<Double>, where isInside: (Double, Double) -> Bool
  ) {
    selection.removeAll { !isInside(longitudes[Int($0)], latitudes[Int($0)]) }
  }

  /// Classifies boxes like `relation(to:)`.
  ///
  /// Boxes of the size of a point are classified by their centres, with a margin.
  ///
  /// - Parameters:
  ///   - boxes: West, east, south and north of each box, in degrees.
  ///   - relations: The results; memory for one per box.
  /// - Complexity: O(n) in the number of boxes of the size of a point.
  package func relations(
    of boxes: UnsafeBufferPointer<SIMD4<Float>>,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    switch body {
    case .circle(let circle):
      for (index, box) in boxes.enumerated() {
        let small = SmallBox(box)
        var relation = small.isSmall ? circle.relation(to: small) : nil
        if relation == nil { relation = Envelope(box).inRange.map(circle.relation) }
        relations[index] = relation ?? .intersects
      }
    case .polygon(let polygon):
      for (index, box) in boxes.enumerated() {
        let small = SmallBox(box)
        var relation = small.isSmall ? polygon.relation(to: small) : nil
        if relation == nil { relation = Envelope(box).inRange.map(polygon.relation) }
        relations[index] = relation ?? .intersects
      }
    case .everything, .polygons:
      for (index, box) in boxes.enumerated() { relations[index] = relation(to: Envelope(box)) }
    }
  }
}
