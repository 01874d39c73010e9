import CadastreGeometry

extension FlatGeobufGeometry {
  /// Returns the geometry; nil if it is empty.
  ///
  /// - Throws: ``GeometryProblem`` for an unknown type, coordinates out of range, short lines and
  ///   rings that are not closed.
  /// - Complexity: O(n) in the number of positions.
  func geometry() throws(GeometryProblem) -> Geometry? {
    try Geometry.unlessEmpty(try shape())
  }

  private func shape() throws(GeometryProblem) -> Geometry.Shape {
    switch type {
    case 1:
      let isEmpty = xy.isEmpty || xy[0].isNaN && xy[1].isNaN
      return .point(isEmpty ? nil : try position(0))
    case 2: return .lineString(try positions(0..<xy.count / 2))
    case 3: return .polygon(try lines())
    case 4: return .multiPoint(try positions(0..<xy.count / 2))
    case 5: return .multiLineString(try lines())
    case 6:
      var polygons: [[[GeoPosition]]] = []
      for part in parts { polygons.append(try part.lines()) }
      return .multiPolygon(polygons)
    case 7:
      var geometries: [Geometry] = []
      for part in parts {
        if let geometry = try part.geometry() { geometries.append(geometry) }
      }
      return .collection(geometries)
    default:
      throw GeometryProblem(
        "found a \(Self.name(of: type)); expected a type of simple features")
    }
  }

  /// Returns the lines or rings, which are divided by `ends`.
  private func lines() throws(GeometryProblem) -> [[GeoPosition]] {
    guard !xy.isEmpty else { return [] }
    var lines: [[GeoPosition]] = []
    var start = 0
    for end in ends.isEmpty ? [xy.count / 2] : ends {
      lines.append(try positions(start..<end))
      start = end
    }
    return lines
  }

  private func positions(_ range: Range<Int>) throws(GeometryProblem) -> [GeoPosition] {
    var positions: [GeoPosition] = []
    positions.reserveCapacity(range.count)
    for index in range { positions.append(try position(index)) }
    return positions
  }

  private func position(_ index: Int) throws(GeometryProblem) -> GeoPosition {
    try GeoPosition(
      x: xy[2 * index], y: xy[2 * index + 1], z: index < z.count ? z[index] : nil)
  }
}
