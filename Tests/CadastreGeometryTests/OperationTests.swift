import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// Repaired geometries, compared with points and with areas of zones.
@Suite struct MakeValidTests {
  /// The area between two meridians and two parallels, whose edges are great circles only about.
  private static func area(_ degrees: Double, _ south: Double, _ north: Double) -> Double {
    let height = sin(north * .pi / 180) - sin(south * .pi / 180)
    return degrees * .pi / 180 * height * Distance.earthRadiusMeters * Distance.earthRadiusMeters
  }

  private static func covers(
    _ geometry: Geometry, _ longitude: Double, _ latitude: Double
  ) -> Bool {
    PreparedGeometry(geometry, edges: .spherical)
      .covers(longitude: longitude, latitude: latitude)
  }

  @Test func `polygons that overlap beside ±180° become their union`() throws {
    let shape = try Geometry(
      wkt: """
        MULTIPOLYGON (((170 0, -175 0, -175 10, 170 10, 170 0)), \
        ((-180 0, -170 0, -170 10, -180 10, -180 0)))
        """)
    #expect(shape.invalidityReason() != nil)
    let repaired = try shape.madeValid()
    #expect(repaired.invalidityReason() == nil)
    #expect(abs(repaired.area / Self.area(20, 0, 10) - 1) < 0.01)
    for longitude in [170.5, 175, 179.9, 180, -180, -179.9, -177, -174, -170.5] {
      #expect(Self.covers(repaired, longitude, 5), "\(longitude)")
    }
    for longitude in [169.5, -169.5, 0, 90, -90] {
      #expect(!Self.covers(repaired, longitude, 5), "\(longitude)")
    }
  }

  @Test func `polygons that overlap keep all points`() throws {
    let shape = try Geometry(
      wkt: """
        MULTIPOLYGON (((0 0, 10 0, 10 10, 0 10, 0 0)), ((5 0, 15 0, 15 10, 5 10, 5 0)))
        """)
    let repaired = try shape.madeValid()
    #expect(abs(repaired.area / Self.area(15, 0, 10) - 1) < 0.01)
    #expect([1, 7, 14].allSatisfy { Self.covers(repaired, $0, 5) })
    #expect(!Self.covers(repaired, 16, 5) && repaired.kind == .polygon)
  }

  @Test func `a bow tie over ±180° keeps both triangles`() throws {
    let shape = try Geometry(wkt: "POLYGON ((170 -5, -170 5, -170 -5, 170 5, 170 -5))")
    #expect(shape.invalidityReason() != nil)
    let repaired = try shape.madeValid()
    #expect(repaired.invalidityReason() == nil && repaired.parts.polygons.count == 2)
    for (longitude, latitude, isInside) in [
      (171.0, 0.0, true), (-171, 0, true), (175, 1, true), (179, 3, false), (-179, -3, false),
      (0, 0, false),
    ] {
      #expect(Self.covers(repaired, longitude, latitude) == isInside, "\(longitude) \(latitude)")
    }
    #expect(abs(repaired.area / (Self.area(20, -5, 5) / 2) - 1) < 0.01)
  }

  @Test func `a polygon with a spike stays a polygon`() throws {
    let shape = try Geometry(
      wkt: "POLYGON ((0 0, 10 0, 10 10, 10 20, 10 10, 0 10, 0 0), (20 5, 21 5, 20 5, 20 5))")
    #expect(shape.invalidityReason() != nil)
    let repaired = try shape.madeValid()
    #expect(repaired.kind == .polygon && repaired.invalidityReason() == nil)
    #expect(!Self.covers(repaired, 10, 15) && Self.covers(repaired, 5, 5))
  }

  @Test func `a polygon that cannot be repaired is an error with the reason`() throws {
    for (wkt, reason) in [
      (
        """
        MULTIPOLYGON (((170 0, -170 0, -170 10, 170 10, 170 0)), \
        ((175 0, -175 0, -175 10, 175 10, 175 0)), ((-10 0, 10 0, 10 10, -10 10, -10 0)))
        """, "crosses 0°"
      ),
      ("POLYGON ((0 0, 10 0, 20 0, 0 0))", "no area"),
    ] {
      let shape = try Geometry(wkt: wkt)
      let error = #expect(throws: GeometryError.self) { try shape.madeValid() }
      #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
  }
}
