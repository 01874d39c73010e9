import Foundation
import Testing

@testable import CadastreGeometry

/// Measures compared with integrals of 60 digits, see `Tests/RelationRun/measures.py`.
@Suite struct MeasureTests {
  private struct Expected {
    let geometry: Geometry
    let area: Double
    let perimeter: Double
    let length: Double
    let centroid: GeoPoint
    let line: Int
  }

  private static func expected() throws -> [Expected] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Oracle/measures.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
      .enumerated().map { index, line in
        let words = line.split(separator: "\t")
        let numbers = words.dropFirst().compactMap { Double($0) }
        try #require(numbers.count == 5)
        return Expected(
          geometry: try Geometry(wkt: String(words[0])), area: numbers[0], perimeter: numbers[1],
          length: numbers[2],
          centroid: try #require(GeoPoint(latitude: numbers[4], longitude: numbers[3])),
          line: index + 2)
      }
  }

  private let radius = Distance.earthRadiusMeters

  private func expect(_ actual: Double, _ expected: Double, _ error: Double, _ line: Int) {
    #expect(abs(actual - expected) <= error * expected, "line \(line)")
  }

  @Test func `areas and lengths are exact`() throws {
    let all = try Self.expected()
    #expect(all.count == 197)
    for one in all {
      expect(one.geometry.perimeter, one.perimeter * radius, 1e-9, one.line)
      expect(one.geometry.length, one.length * radius, 1e-9, one.line)
      // The vertices are known to 4e-16 radians, which is more of a sliver.
      let slenderness = one.area > 0 ? one.perimeter / one.area : 0
      expect(one.geometry.area, one.area * radius * radius, 1e-11 + 4e-16 * slenderness, one.line)
    }
  }

  @Test func `centroids are exact to a tenth of a millimetre`() throws {
    for one in try Self.expected() {
      let centroid = try #require(one.geometry.centroid)
      let slenderness = one.area > 0 ? one.perimeter * one.perimeter / one.area : 1
      let distance = centroid.distance(to: one.centroid).radians * radius
      #expect(distance < 1e-4 * max(1, slenderness / 100), "line \(one.line): \(distance) m")
    }
  }

  @Test func `polygons of a centimetre have a centroid, and degenerate ones have none`() throws {
    let small = try Geometry(
      wkt: "POLYGON ((5 50, 5.0000001 50, 5.0000001 50.0000001, 5 50.0000001, 5 50))")
    let centroid = try #require(small.centroid)
    #expect(abs(centroid.longitude - 5.00000005) < 1e-13)
    #expect(abs(centroid.latitude - 50.00000005) < 1e-13)
    #expect(try Geometry(wkt: "POLYGON ((5 50, 6 50, 5 50, 5 50))").centroid == nil)
    #expect(try Geometry(wkt: "MULTIPOINT ((5 50), (-175 -50))").centroid == nil)
    #expect(try Geometry(wkt: "LINESTRING (5 50, 5 50)").centroid == nil)
  }

  @Test func `rings in either direction and moved copies have the same measures`() throws {
    for one in try Self.expected() {
      guard case .polygon(let rings) = one.geometry.shape else { continue }
      let turned = try Geometry(.polygon(rings.map { Array($0.reversed()) }))
      expect(turned.area, one.geometry.area, 1e-9, one.line)
    }
  }
}
