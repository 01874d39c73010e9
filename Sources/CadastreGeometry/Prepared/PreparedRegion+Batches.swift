/// Many places, or boxes of an index, at once: the form of the region is looked at once for all.
extension PreparedRegion {
  /// Keeps of a selection only the positions of places that are in the region.
  ///
  /// - Parameters:
  ///   - selection: Positions counted from 0 in the two columns; its order is kept.
  ///   - longitudes: Degrees, one a place.
  ///   - latitudes: Degrees, as many as longitudes.
  package func refine(
    _ selection: inout [Int32], longitudes: UnsafeBufferPointer<Double>,
    latitudes: UnsafeBufferPointer<Double>
  ) {
    precondition(longitudes.count == latitudes.count, "as many latitudes as longitudes")
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
    case .everything, .band, .polygons:
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

  /// How boxes lie to the region, as `relation(to:)` says of each.
  ///
  /// Boxes as small as those that hold one point each are decided by their middles, with a margin.
  ///
  /// - Parameters:
  ///   - boxes: West, east, south and north of each, in degrees.
  ///   - relations: Where the answers go; as many as there are boxes.
  package func relations(
    of boxes: UnsafeBufferPointer<SIMD4<Float>>,
    _ relations: UnsafeMutablePointer<EnvelopeRelation>
  ) {
    switch body {
    case .circle(let circle):
      for (place, box) in boxes.enumerated() {
        let small = SmallBox(box)
        var found = small.isSmall ? circle.relation(to: small) : nil
        if found == nil { found = Envelope(box).onEarth.map(circle.relation) }
        relations[place] = found ?? .straddles
      }
    case .polygon(let polygon):
      for (place, box) in boxes.enumerated() {
        let small = SmallBox(box)
        var found = small.isSmall ? polygon.relation(to: small) : nil
        if found == nil { found = Envelope(box).onEarth.map(polygon.relation) }
        relations[place] = found ?? .straddles
      }
    case .everything, .band, .polygons:
      for (place, box) in boxes.enumerated() { relations[place] = relation(to: Envelope(box)) }
    }
  }
}
