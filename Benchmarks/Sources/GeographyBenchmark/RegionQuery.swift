import CadastreGeometry
import Foundation

/// One of the questions of PERFORMANCE.md about places.
struct Question {
  let name: String
  let shape: GeoShape

  /// Q1 to Q6.
  static let all: [Question] = [
    Question("Q1 circle 100 km", circle(kilometers: 100)),
    Question("Q2 circle 1,000 km", circle(kilometers: 1000)),
    Question("Q3 box 15 x 15 degrees", box(-10, 35, 5, 50)),
    Question("Q4 polygon, 12 vertices", polygon(12, radius: 4.5, swing: 0.25, waves: 3)),
    Question("Q5 polygon, 8,001 vertices", polygon(8000, radius: 7.5, swing: 0.3, waves: 17)),
    Question("Q6 box 0.5 x 0.5 degrees", box(2.1, 48.6, 2.6, 49.1)),
  ]

  /// Where Q1 and Q2 have their middle, and what Q15 is near to.
  static let paris = point(2.3522, 48.8566)

  private init(_ name: String, _ shape: GeoShape) {
    self.name = name
    self.shape = shape
  }

  private static func point(_ longitude: Double, _ latitude: Double) -> GeoPoint {
    guard let point = GeoPoint(latitude: latitude, longitude: longitude) else {
      preconditionFailure("[\(longitude), \(latitude)] is a place")
    }
    return point
  }

  private static func circle(kilometers: Double) -> GeoShape {
    guard let radius = Distance.kilometers(kilometers) else { preconditionFailure("a length") }
    return .circle(GeoCircle(center: paris, radius: radius))
  }

  private static func box(
    _ west: Double, _ south: Double, _ east: Double, _ north: Double
  ) -> GeoShape {
    .box(GeoBox(bottomLeft: point(west, south), topRight: point(east, north)))
  }

  /// A wavy polygon over central Europe.
  private static func polygon(
    _ vertices: Int, radius: Double, swing: Double, waves: Double
  ) -> GeoShape {
    var ring = (0..<vertices).map { number in
      let angle = 2 * Double.pi * Double(number) / Double(vertices)
      let radius = radius * (1 + swing * sin(waves * angle))
      return point(12 + radius * 1.4 * cos(angle), 49 + radius * sin(angle))
    }
    ring.append(ring[0])
    guard let polygon = GeoPolygon(outerRing: ring, holes: nil) else {
      preconditionFailure("a ring")
    }
    return .polygon(polygon)
  }
}
