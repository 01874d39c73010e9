import CadastreTestSupport
import Testing

@testable import CadastreGeometry

extension SeededGenerator {
  /// Returns the point in degrees at a bearing and an angle in radians from another point.
  mutating func point(
    from center: (longitude: Double, latitude: Double), bearing: Double, angle: Double
  ) -> (Double, Double) {
    let latitude = center.latitude * radiansPerDegree
    let height =
      sine(latitude) * cosine(angle) + cosine(latitude) * sine(angle) * cosine(bearing)
    let eastward = arcTangent(
      y: sine(bearing) * sine(angle) * cosine(latitude),
      x: cosine(angle) - sine(latitude) * height)
    let longitude = center.longitude + eastward / radiansPerDegree
    return (
      longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude,
      arcSine(height) / radiansPerDegree
    )
  }

  /// Returns a closed ring around a point with ascending bearings, so that it cannot cross itself.
  mutating func star(
    around center: (longitude: Double, latitude: Double), reach: Double, count: Int
  ) -> [(Double, Double)] {
    let step = 2 * Double.pi / Double(count)
    var ring = (0..<count).map { index in
      let bearing = step * (Double(index) + number(-0.4...0.4))
      return point(from: center, bearing: bearing, angle: reach * number(0.4...1))
    }
    ring.append(ring[0])
    return ring
  }

  /// Returns a region of random kind, size and location.
  mutating func shape() throws -> GeoShape {
    let center = point()
    switch Int.random(in: 0..<5, using: &self) {
    case 0:
      return try circle(
        center,
        Double.random(in: 0...1, using: &self) < 0.5
          ? number(0...3.1) : number(0...0.1))
    case 1:
      let other = point()
      return try box(center, other)
    case 2:
      let near = point(from: center, bearing: number(0...6), angle: number(0...0.2))
      return try box(center, near)
    default:
      let reach = Bool.random(using: &self) ? number(0.001...0.1) : number(0.1...1.5)
      let count = [3, 4, 7, 20, 200].randomElement(using: &self) ?? 3
      let shell = star(around: center, reach: reach, count: count)
      guard count > 7 else { return try polygon(shell) }
      return try polygon(shell, star(around: center, reach: reach * 0.2, count: 9))
    }
  }
}
