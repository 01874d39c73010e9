import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// The regions that a predicate tests.
@Suite struct RegionPartsTests {
  private let circle = "geoCircle([1.0, 2.0], 0.1)"

  @Test func `edges are changed everywhere, and nothing else is`() throws {
    // ALL was dropped, and regions in subqueries and in conditions of relations did not follow the edge model.
    let texts = [
      "ALL trips.to.site GEOWITHIN@ \(circle)",
      "NOT (site GEOWITHIN@ \(circle) AND NONE trips.to.site GEOWITHIN@ \(circle))",
      "SUBQUERY(trips, $a, $a.to.site GEOWITHIN@ \(circle)).@count > 1 OR crew == 2",
      "site GEOINTERSECTS@ ANY Harbor.site WHERE (NOT site GEOWITHIN@ \(circle))",
    ]
    for text in texts {
      let planar = try QueryPredicate(parsing: text.replacing("@ ", with: "[planar] "))
      let spherical = try QueryPredicate(parsing: text.replacing("@ ", with: " "))
      #expect(spherical.withEdges(.planar) == planar, "\(text)")
      #expect(planar.withEdges(.spherical) == spherical, "\(text)")
      #expect(planar.regions.allSatisfy { $0.edges == .planar } && !planar.regions.isEmpty)
    }
  }

  @Test func `predicates on one point are distinguished from others`() throws {
    let table: [(String, path: String?, matchesMissingPoint: Bool)] = [
      ("site GEOWITHIN @", "site", false), ("NOT site GEOWITHIN @", "site", true),
      ("site GEOWITHIN @ AND NOT site GEOWITHIN @", "site", false),
      ("site GEOWITHIN @ OR NOT site GEOWITHIN @", "site", true),
      ("NOT (site GEOWITHIN @ OR NOT site GEOWITHIN @)", "site", false),
      ("escort.berth.site GEOWITHIN @ OR berth.site GEOWITHIN @", nil, false),
      ("berth.site GEOWITHIN @ OR crew == 1", nil, false),
      ("ALL trips.to.site GEOWITHIN @", nil, false),
      ("TRUEPREDICATE", nil, true),
    ]
    for (text, path, matchesMissingPoint) in table {
      let root = try #require(
        Fleet.schema[
          text.contains("crew") || text.contains("berth") || text.contains("trips")
            ? "Boat" : "Harbor"])
      let predicate = try QueryPredicate(parsing: text.replacing("@", with: circle))
        .bound(to: Fleet.schema, root: root)
      #expect(predicate.pointPath?.description == path, "\(text)")
      #expect(predicate.matchesMissingPoint == matchesMissingPoint, "\(text)")
      let position = PositionPredicate(predicate)
      #expect((position == nil) == (text.contains("crew") || text == "TRUEPREDICATE"), "\(text)")
    }
  }

  @Test func `a text for people shortens long regions only`() throws {
    let ring = (0..<40).map { "[\($0).0, 1.0]" } + ["[3.0, 9.0]", "[0.0, 1.0]"]
    let polygon = "geoPolygon({\(ring.joined(separator: ", "))})"
    let predicate = try QueryPredicate(parsing: "crew == 1 AND site GEOWITHIN \(polygon)")
    #expect(
      predicate.summary
        == "crew == 1 AND site GEOWITHIN geoPolygon({[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [3.0, 1.0], "
        + "… 42 points in all})")
    #expect(try QueryPredicate(parsing: predicate.description) == predicate)
    let short = try QueryPredicate(parsing: "site GEOWITHIN \(circle)")
    #expect(short.summary == short.description)
  }
}
