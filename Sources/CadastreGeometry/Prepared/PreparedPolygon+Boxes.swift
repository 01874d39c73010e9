/// Boxes that hold one point each, decided by their middles.
extension PreparedPolygon {
  /// How a small box lies to the polygon; nil where that takes more than a look at one strip.
  ///
  /// Where no border comes near the box, all of it is inside or outside as its middle is.
  @inline(__always)
  func relation(to box: SmallBox) -> EnvelopeRelation? {
    let (south, north) = (box.latitude - box.halfHeight, box.latitude + box.halfHeight)
    let (west, east) = (box.longitude - box.halfWidth, box.longitude + box.halfWidth)
    guard north >= minLatitude, south <= maxLatitude else { return .disjoint }
    // Poles and ±180° have several names.
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
  /// On which side a whole box lies whose longitudes are within the arc's; `border` where that is not
  /// certain.
  func side(of box: SmallBox, edges: EdgeModel) -> ArcSide {
    guard kind == .sloped else { return .border }
    let height: Double
    let reach: Double
    switch edges {
    case .spherical:
      height = normal.dot(UnitVector(longitude: box.longitude, latitude: box.latitude))
      reach = box.reach + Self.borderTolerance * 2
    case .planar:
      // The height over the line in degrees times the width of the arc, and what it differs by in the box.
      let (run, rise) = (east - west, eastLatitude - westLatitude)
      height = (box.latitude - westLatitude) * run - (box.longitude - west) * rise
      reach = (box.halfHeight * run + box.halfWidth * abs(rise)) * (1 + 1e-9) + 1e-10
    }
    if height > reach { return .north }
    return height < -reach ? .south : .border
  }
}
