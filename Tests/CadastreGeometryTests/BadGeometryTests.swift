import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreGeometry

/// Geometries that are no geometries, or invalid ones: a typed error, or stored as documented.
@Suite struct BadGeometryTests {
  private enum Outcome {
    /// The text is refused with these words.
    case refused(String)
    /// The geometry is accepted, and this is its fault on the sphere.
    case invalid(String)
    /// The geometry is accepted and valid.
    case valid
  }

  private static func nested(_ depth: Int) -> String {
    String(repeating: "GEOMETRYCOLLECTION (", count: depth) + "POINT (1 2)"
      + String(repeating: ")", count: depth)
  }

  private static let table: [(name: String, wkt: String, outcome: Outcome)] = [
    ("open ring", "POLYGON ((0 0, 1 0, 1 1, 0 1))", .refused("closed")),
    ("short ring", "POLYGON ((0 0, 1 0, 0 0))", .refused("fewer than four positions")),
    ("line of one position", "LINESTRING (1 2)", .refused("at least two points")),
    ("longitude", "POINT (180.1 0)", .refused("180")),
    ("latitude", "LINESTRING (0 0, 5 90.5)", .refused("90")),
    ("nan", "POINT (nan 1)", .refused("a number at byte 7")),
    ("infinity", "POINT (1 inf)", .refused("a number at byte 9")),
    ("one coordinate", "POINT (1)", .refused("a number at byte 8")),
    ("five coordinates", "POINT (1 2 3 4 5)", .refused("')' at byte 15")),
    ("wrong bracket", "POLYGON ((0 0, 1 0, 1 1, 0 0)", .refused("found the end")),
    ("unknown type", "CIRCLE (1 2, 3)", .refused("the type of a geometry")),
    ("rest", "POINT (1 2) POINT (3 4)", .refused("the end at byte 12")),
    ("33 levels", nested(33), .refused("at most 32 levels")),
    ("1,000 levels", nested(1_000), .refused("at most 32 levels")),
    ("100,000 levels", nested(100_000), .refused("at most 32 levels")),
    ("32 levels", nested(31), .valid),
    ("crossing", "POLYGON ((0 0, 2 2, 2 0, 0 2, 0 0))", .invalid("cross")),
    ("spike", "POLYGON ((0 0, 4 0, 4 4, 4 8, 4 4, 0 4, 0 0))", .invalid("occurs twice")),
    ("no area", "POLYGON ((0 0, 4 0, 2 0, 0 0))", .invalid("cross or touch")),
    ("one place", "POLYGON ((1 1, 1 1, 1 1, 1 1))", .invalid("fewer than 3 distinct vertices")),
    (
      "hole outside", "POLYGON ((0 0, 4 0, 4 4, 0 0), (10 10, 11 10, 11 11, 10 10))",
      .invalid("is not inside the exterior ring")
    ),
    (
      "hole across", "POLYGON ((0 0, 4 0, 4 4, 0 4, 0 0), (3 1, 6 1, 6 2, 3 1))",
      .invalid("cross or touch")
    ),
    (
      "holes across",
      "POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 5 1, 5 5, 1 1), (3 1.5, 7 1.5, 7 5, 3 1.5))",
      .invalid("cross or touch")
    ),
    ("antipodes", "LINESTRING (0 10, 180 -10)", .invalid("antipode of that point")),
    ("repeated positions", "POLYGON ((0 0, 0 0, 4 0, 4 4, 4 4, 0 0))", .valid),
    ("line of one place", "LINESTRING (1 2, 1 2)", .valid),
    ("empty", "POLYGON EMPTY", .valid),
    ("empty parts", "GEOMETRYCOLLECTION (POINT EMPTY, MULTIPOLYGON EMPTY, POINT (1 2))", .valid),
    ("pole", "POLYGON ((0 80, 120 80, -120 80, 0 80))", .valid),
    ("±180°", "POLYGON ((179 0, -179 0, -179 2, 179 2, 179 0))", .valid),
  ]

  @Test func `each input has the outcome of the table`() {
    for (name, wkt, outcome) in Self.table {
      do {
        let geometry = try Geometry(wkt: wkt)
        let fault = geometry.invalidityReason().map { "\($0)" }
        switch outcome {
        case .refused: Issue.record("\(name) is accepted")
        case .invalid(let words):
          #expect(fault?.contains(words) == true, "\(name): \(fault ?? "valid")")
        case .valid: #expect(fault == nil, "\(name)")
        }
      } catch {
        guard case .refused(let words) = outcome else {
          Issue.record("\(name): \(error)")
          continue
        }
        #expect("\(error)".contains(words), "\(name): \(error)")
      }
    }
  }

  private static let accepted = table.compactMap { try? Geometry(wkt: $0.wkt) }

  @Test func `what is accepted survives every notation`() throws {
    #expect(Self.accepted.count > 14)
    for geometry in Self.accepted {
      #expect(try Geometry(wkb: geometry.wkb()) == geometry, "\(geometry)")
      #expect(try Geometry(wkt: "\(geometry)") == geometry, "\(geometry)")
      #expect(try Geometry(geoJSON: geometry.geoJSON) == geometry, "\(geometry)")
      let coded = try JSONEncoder().encode(geometry)
      #expect(try JSONDecoder().decode(Geometry.self, from: coded) == geometry, "\(geometry)")
    }
  }

  @Test func `invalid geometries have relations and measures without a crash`() {
    for edges in EdgeModel.allCases {
      let prepared = Self.accepted.map { PreparedGeometry($0, edges: edges) }
      for first in prepared {
        for second in prepared {
          #expect(first.intersects(second) == second.intersects(first))
          _ = first.covers(second)
          _ = first.equals(second)
          #expect(first.distance(to: second) == second.distance(to: first))
        }
      }
    }
    for geometry in Self.accepted {
      #expect(geometry.area >= 0 && geometry.perimeter >= 0 && geometry.length >= 0)
      _ = (geometry.centroid, geometry.boundingBox(), geometry.boundingBox(edges: .planar))
    }
  }

  @Test func `too many positions are an error before they are stored`() throws {
    let position = try #require(GeoPosition(longitude: 1, latitude: 2))
    let positions = [GeoPosition](repeating: position, count: Geometry.maximumPositions + 1)
    #expect(throws: GeometryError.self) { try Geometry(.lineString(positions)) }
    // A count in WKB that the bytes do not have allocates nothing.
    let lying: [UInt8] = [1, 2, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F]
    #expect(throws: (any Error).self) { try Geometry(wkb: lying) }
  }
}
