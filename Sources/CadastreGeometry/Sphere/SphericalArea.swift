/// Integrals over the interior of rings of great-circle edges.
enum SphericalArea {
  /// Returns the area of the interior of a ring, in steradians.
  ///
  /// Small rings are divided into triangles from one vertex, because the areas between edges and the
  /// equator would cancel.
  ///
  /// Source: A. van Oosterom and J. Strackee, "The Solid Angle of a Plane Triangle", IEEE
  /// Transactions on Biomedical Engineering 30, 1983, for the triangles.
  static func area(of course: RingCourse) -> Double {
    let vertices = course.vertices
    guard course.parallels.isEmpty else { return abs(signedArea(of: course)) }
    guard let first = vertices.first else { return 0 }
    let origin = first.unitVector
    let directions = vertices.map(\.unitVector)
    let isSmall = directions.allSatisfy { $0.dot(origin) > 0.999 }
    let area = isSmall ? abs(triangles(directions)) : abs(bands(vertices))
    return min(area, max(0, 4 * .pi - area))
  }

  /// Returns the integral of the direction over the interior of a ring.
  ///
  /// Source: S2, "s2centroids.h": half the sum of angle times normal over the edges. Small rings are
  /// divided into triangles from one vertex, because the terms of edges would cancel.
  static func moment(of course: RingCourse) -> UnitVector {
    let vertices = course.vertices
    let directions = vertices.map(\.unitVector)
    if course.parallels.isEmpty, let origin = directions.first,
      directions.allSatisfy({ $0.dot(origin) > 0.999 })
    {
      let sum = zip(directions.dropFirst(), directions.dropFirst(2))
        .reduce(UnitVector(x: 0, y: 0, z: 0)) { $0 + moment(of: origin, $1.0, $1.1) }
      return triangles(directions) < 0 ? sum * -1 : sum
    }
    var sum = UnitVector(x: 0, y: 0, z: 0)
    for (start, end) in zip(vertices, vertices.dropFirst()) {
      guard let segment = Segment(start, end, edges: .spherical) else { continue }
      sum = sum + segment.normal * (start.angle(to: end) / 2)
    }
    for parallel in course.parallels {
      let radius = cosine(latitude: parallel.latitude)
      sum.z += parallel.sign * .pi * radius * radius
    }
    // The integral over the interior has the opposite sign if that is on the right.
    return signedArea(of: course) < 0 ? sum * -1 : sum
  }

  /// Returns the integral of the direction over a small triangle, negative for a clockwise triangle.
  ///
  /// The direction is that of the mean of the corners below 640 m, with an error of the third power
  /// of the size. Above, the integral is the solution of three equations, by Cramer's rule; its
  /// error is that of the vertices divided by the size. Both are about 1e-12 radians at 640 m.
  ///
  /// Source: S2, "s2centroids.h".
  private static func moment(of a: UnitVector, _ b: UnitVector, _ c: UnitVector) -> UnitVector {
    let (ab, ac) = (b - a, c - a)
    if max(ab.length, ac.length) < 1e-4 { return (a + b + c) * (triangle(a, b, c) / 3) }
    let squares = (squaredAngle(b - c), squaredAngle(ac), squaredAngle(ab))
    let (x, y, z) = (
      UnitVector(x: a.x, y: ab.x, z: ac.x), UnitVector(x: a.y, y: ab.y, z: ac.y),
      UnitVector(x: a.z, y: ab.z, z: ac.z)
    )
    let ratio = angleBySine(squares.0)
    let ratios = UnitVector(
      x: 1 + ratio, y: angleBySine(squares.1) - ratio, z: angleBySine(squares.2) - ratio)
    return UnitVector(
      x: y.cross(z).dot(ratios), y: z.cross(x).dot(ratios), z: x.cross(y).dot(ratios)) * 0.5
  }

  /// Returns the square of a small angle for the difference of two unit vectors.
  private static func squaredAngle(_ chord: UnitVector) -> Double {
    let angle = 2 * arcSine(chord.length / 2)
    return angle * angle
  }

  /// Returns x / sin x - 1 for the square of an angle x of a few degrees.
  private static func angleBySine(_ square: Double) -> Double {
    var sum = 73.0 / 3_421_440
    sum = sum * square + 127.0 / 604_800
    sum = sum * square + 31.0 / 15_120
    sum = sum * square + 7.0 / 360
    sum = sum * square + 1.0 / 6
    return sum * square
  }

  /// Returns the area of the interior of a large ring; negative if the interior is on the right.
  private static func signedArea(of course: RingCourse) -> Double {
    var area = bands(course.vertices)
    for parallel in course.parallels {
      area += parallel.sign * 2 * .pi * (1 - sine(latitude: parallel.latitude))
    }
    if course.isBalanced { return area }
    area = area.truncatingRemainder(dividingBy: 4 * .pi)
    if area > 2 * .pi { area -= 4 * .pi }
    if area < -2 * .pi { area += 4 * .pi }
    return area
  }

  /// Returns the signed area of a small ring; counter-clockwise is positive.
  private static func triangles(_ directions: [UnitVector]) -> Double {
    guard let origin = directions.first else { return 0 }
    var sum = 0.0
    for (first, second) in zip(directions.dropFirst(), directions.dropFirst(2)) {
      sum += triangle(origin, first, second)
    }
    return sum
  }

  /// Returns the signed area of a triangle; counter-clockwise is positive.
  private static func triangle(_ a: UnitVector, _ b: UnitVector, _ c: UnitVector) -> Double {
    // Differences from the common vertex keep the precision of small triangles.
    let volume = a.dot((b - a).cross(c - a))
    return 2 * arcTangent(y: volume, x: 1 + a.dot(b) + b.dot(c) + c.dot(a))
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
