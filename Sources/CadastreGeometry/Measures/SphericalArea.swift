/// Integrals over the interior of rings of great-circle edges.
enum SphericalArea {
  /// Returns the area of the smaller side of a ring, in steradians.
  ///
  /// Small rings are divided into triangles from one vertex, because the areas between edges and the
  /// equator would cancel.
  ///
  /// Source: A. van Oosterom and J. Strackee, "The Solid Angle of a Plane Triangle", IEEE
  /// Transactions on Biomedical Engineering 30, 1983, for the triangles.
  static func area(of ring: [GeoPosition]) -> Double {
    let vertices = ring.map { Vertex(longitude: $0.longitude, latitude: $0.latitude).onSphere }
    guard let first = vertices.first else { return 0 }
    let origin = first.unitVector
    let directions = vertices.map(\.unitVector)
    let isSmall = directions.allSatisfy { $0.dot(origin) > 0.999 }
    let area = isSmall ? abs(triangles(directions)) : abs(bands(vertices))
    return min(area, max(0, 4 * .pi - area))
  }

  /// Returns the integral of the direction over the smaller side of a ring.
  ///
  /// Source: S2, "s2centroids.h": half the sum of angle times normal over the edges.
  static func moment(of ring: [GeoPosition]) -> UnitVector {
    let vertices = ring.map { Vertex(longitude: $0.longitude, latitude: $0.latitude).onSphere }
    var sum = UnitVector(x: 0, y: 0, z: 0)
    for (start, end) in zip(vertices, vertices.dropFirst()) {
      guard let segment = Segment(start, end, edges: .spherical) else { continue }
      let weight = start.angle(to: end) / 2
      sum =
        sum
        + UnitVector(
          x: segment.normal.x * weight, y: segment.normal.y * weight,
          z: segment.normal.z * weight)
    }
    // The integral over the smaller side has the opposite sign if that is on the right.
    return signedArea(vertices) < 0 ? UnitVector(x: -sum.x, y: -sum.y, z: -sum.z) : sum
  }

  /// Returns the area on the left of a ring if it is the smaller side, else minus the area of the
  /// smaller side.
  private static func signedArea(_ vertices: [Vertex]) -> Double {
    let directions = vertices.map(\.unitVector)
    guard let origin = directions.first else { return 0 }
    if directions.allSatisfy({ $0.dot(origin) > 0.999 }) { return triangles(directions) }
    var area = bands(vertices).truncatingRemainder(dividingBy: 4 * .pi)
    if area > 2 * .pi { area -= 4 * .pi }
    if area < -2 * .pi { area += 4 * .pi }
    return area
  }

  /// Returns the signed area of a small ring; counter-clockwise is positive.
  private static func triangles(_ directions: [UnitVector]) -> Double {
    guard let origin = directions.first else { return 0 }
    var sum = 0.0
    for (first, second) in zip(directions.dropFirst(), directions.dropFirst(2)) {
      // Differences from the common vertex keep the precision of small triangles.
      let volume = origin.dot((first - origin).cross(second - origin))
      let scale = 1 + origin.dot(first) + first.dot(second) + second.dot(origin)
      sum += 2 * arcTangent(y: volume, x: scale)
    }
    return sum
  }

  /// Returns the area on the left of a ring, plus or minus the area of the sphere.
  private static func bands(_ vertices: [Vertex]) -> Double {
    var (sum, rest, winding) = (0.0, 0.0, 0.0)
    let ring = withDividedPoles(vertices)
    for (start, end) in zip(ring, ring.dropFirst()) {
      let turn = longitudeDifference(from: start.longitude, to: end.longitude)
      winding += turn
      let half = turn / 2 * radiansPerDegree
      let middle = (start.latitude + end.latitude) / 2 * radiansPerDegree
      let difference = (start.latitude - end.latitude) / 2 * radiansPerDegree
      // The excess of the quadrilateral between the edge and the equator.
      let excess =
        2 * arcTangent(y: sine(half) * sine(middle), x: cosine(half) * cosine(difference))
      // Kahan's summation.
      let term = -excess - rest
      let next = sum + term
      rest = (next - sum) - term
      sum = next
    }
    // On the left of a ring eastward around a pole is a hemisphere without the band to the equator.
    return sum + (winding / 360).rounded() * 2 * .pi
  }

  /// Returns a closed ring with two vertices for each pole, on the meridians of its neighbours.
  private static func withDividedPoles(_ vertices: [Vertex]) -> [Vertex] {
    let ring = vertices.dropLast()
    guard ring.contains(where: \.isPole) else { return vertices }
    var divided: [Vertex] = []
    for index in ring.indices {
      let vertex = ring[index]
      guard vertex.isPole else {
        divided.append(vertex)
        continue
      }
      for neighbour in [
        ring[(index + ring.count - 1) % ring.count], ring[(index + 1) % ring.count],
      ] {
        divided.append(Vertex(longitude: neighbour.longitude, latitude: vertex.latitude))
      }
    }
    if let first = divided.first { divided.append(first) }
    return divided
  }
}
