/// Fast classification of boxes of the size of a point.
extension PreparedPolygon {
  /// Classifies a small box with the arcs of one strip; nil if they are not sufficient.
  ///
  /// If no arc is near the box, all of it is on the same side as its centre.
  @inline(__always)
  func relation(to box: SmallBox) -> EnvelopeRelation? {
    let (south, north) = (box.latitude - box.halfHeight, box.latitude + box.halfHeight)
    let (west, east) = (box.longitude - box.halfWidth, box.longitude + box.halfWidth)
    guard north >= minLatitude, south <= maxLatitude else { return .disjoint }
    // Points at the poles and at ±180° have several coordinates.
    guard south > -89.9, north < 89.9, west > -180, east < 180 else { return nil }
    var offset = box.longitude - start
    if offset < 0, edges == .spherical { offset += 360 }
    guard offset - box.halfWidth > 0, offset + box.halfWidth < width else {
      let isBeside =
        offset < 0
        ? offset + box.halfWidth < 0
        : offset - box.halfWidth > width + 1e-9 && offset + box.halfWidth < 360 - 1e-9
      guard isBeside else { return nil }
      return base & 3 == 1 ? .inside : .disjoint
    }
    let strip = Int((offset - box.halfWidth) * scale)
    guard strip == Int((offset + box.halfWidth) * scale), strip <= lastStrip else { return nil }
    var roles = base
    var next = Int(bounds[strip])
    let end = Int(bounds[strip + 1])
    while next < end {
      let part = parts[next]
      next += 1
      if south > part.maxLatitude { break }
      if east < part.west || west > part.east { continue }
      let isOver = box.longitude >= part.west && box.longitude < part.east
      if north < part.minLatitude {
        if isOver { roles ^= part.role }
        continue
      }
      guard west > part.west, east < part.east else { return nil }
      switch arcs[Int(part.arc)].side(of: box, edges: edges) {
      case .north: break
      case .south: roles ^= part.role
      case .border: return nil
      }
    }
    return roles & 3 == 1 ? .inside : .disjoint
  }
}

extension Arc {
  /// Returns the side of a box whose longitudes are in the arc's interval; `border` if it may
  /// intersect the arc.
  func side(of box: SmallBox, edges: EdgeModel) -> ArcSide {
    guard kind == .sloped else { return .border }
    let height: Double
    let reach: Double
    switch edges {
    case .spherical:
      height = normal.dot(UnitVector(longitude: box.longitude, latitude: box.latitude))
      reach = box.reach + Self.borderTolerance * 2
    case .planar:
      // The height over the line in degrees, times the width of the arc; `reach` is its maximum
      // change within the box.
      let (run, rise) = (east - west, eastLatitude - westLatitude)
      height = (box.latitude - westLatitude) * run - (box.longitude - west) * rise
      reach = (box.halfHeight * run + box.halfWidth * abs(rise)) * (1 + 1e-9) + 1e-10
    }
    if height > reach { return .north }
    return height < -reach ? .south : .border
  }
}
