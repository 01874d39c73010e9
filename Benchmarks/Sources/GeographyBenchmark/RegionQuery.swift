import CadastreGeometry
import Foundation

/// A query with a region.
struct RegionQuery {
  let name: String
  let shape: GeoShape

  /// Q1 to Q6.
  static let all: [RegionQuery] = [
    RegionQuery("Q1 circle 100 km", circle(kilometers: 100)),
    RegionQuery("Q2 circle 1,000 km", circle(kilometers: 1000)),
    RegionQuery("Q3 box 15 x 15 degrees", box(-10, 35, 5, 50)),
    RegionQuery("Q4 polygon, 12 vertices", polygon(12, radius: 4.5, swing: 0.25, waves: 3)),
    RegionQuery("Q5 polygon, 8,001 vertices", polygon(8000, radius: 7.5, swing: 0.3, waves: 17)),
    RegionQuery("Q6 box 0.5 x 0.5 degrees", box(2.1, 48.6, 2.6, 49.1)),
  ]

  /// The center of Q1 and Q2, and the point of Q15.
  static let paris = point(2.3522, 48.8566)

  private init(_ name: String, _ shape: GeoShape) {
    self.name = name
    self.shape = shape
  }

  private static func point(_ longitude: Double, _ latitude: Double) -> GeoPoint {
    guard let point = GeoPoint(latitude: latitude, longitude: longitude) else {
      preconditionFailure("[\(longitude), \(latitude)] is no valid point")
    }
    return point
  }

  private static func circle(kilometers: Double) -> GeoShape {
    guard let radius = Distance.kilometers(kilometers) else {
      preconditionFailure("the radius is invalid")
    }
    return .circle(GeoCircle(center: paris, radius: radius))
  }

  private static func box(
    _ west: Double, _ south: Double, _ east: Double, _ north: Double
  ) -> GeoShape {
    .box(GeoBox(bottomLeft: point(west, south), topRight: point(east, north)))
  }

  /// Returns a wavy polygon over central Europe.
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
      preconditionFailure("the ring is invalid")
    }
    return .polygon(polygon)
  }
}
