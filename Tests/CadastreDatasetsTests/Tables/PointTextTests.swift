import CadastreGeometry
import Testing

@testable import CadastreDatasets

@Suite struct PointTextTests {
  @Test(arguments: [
    ("48.85, 2.35", 48.85, 2.35), ("(48.85;2.35)", 48.85, 2.35), ("POINT(2.35 48.85)", 48.85, 2.35),
    ("48°51′N 2°21′E", 48.85, 2.35), ("48° 51′ N, 2° 21′ E", 48.85, 2.35),
    ("2°21′E 48°51′N", 48.85, 2.35), ("E 2.35, N 48.85", 48.85, 2.35),
    ("N48.85 W2.35", 48.85, -2.35),
    ("33.5S 70.6W", -33.5, -70.6), ("33°30'00\"S  70°36'00\"W", -33.5, -70.6),
    ("+4851+00221", 48.85, 2.35),
  ])
  func `a point is read in several forms`(text: String, latitude: Double, longitude: Double) throws
  {
    let point = try PointText.point(text)
    #expect(abs(point.latitude - latitude) < 1e-12 && abs(point.longitude - longitude) < 1e-12)
  }

  @Test(arguments: [
    "", "48.85", "48.85 2.35", "91, 2", "48N 2N", "2E 3E", "48°61′N 2°21′E", "1,2,3", "N E",
    "48N, ",
  ])
  func `other text is an error`(text: String) {
    #expect(throws: GeometryTextError.self) { try PointText.point(text) }
  }

  @Test func `an option names one column of points or two of degrees`() throws {
    let header = ["id", "Pos", "lat", "lon"]
    #expect(try LocationColumns.named("pos", in: header) == .wkt(1))
    #expect(
      try LocationColumns.named("lon, lat", in: header) == .degrees(longitude: 3, latitude: 2))
    for text in ["", ",", "lat,lat", "a,b,c", "none"] {
      #expect(throws: LocationColumnsError.self) { try LocationColumns.named(text, in: header) }
    }
  }
}
