import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing

/// Distances that are compared with numbers of the object, as text.
@Suite struct DistanceTextTests {
  private static let texts = [
    "GEODISTANCE(site, geometry('POINT (10.2 56.15)')) <= depth",
    "GEODISTANCE(geometry('POINT (10.2 56.15)'), site) < depth * 1000.0",
    "GEODISTANCE(site, geoCircle([1.0, 2.0], 0.1)) >[planar] depth",
    "GEODISTANCE(ANY buoys, geometry('POINT (10.2 56.15)')) >= depth",
    "GEODISTANCE(NONE buoys, site) < 3 * (depth + 1)",
    "depth >= GEODISTANCE(site, geometry('POINT (10.2 56.15)'))",
    "GEODISTANCE(site, geometry('POINT (10.2 56.15)')) / 1000 < depth",
    "GEODISTANCE(site, geometry('POINT (1 2)')) < GEODISTANCE(site, geometry('POINT (3 4)'))",
    "GEODISTANCE(site, geometry('POINT (1 2)')) < boats.@max.crew",
    "SUBQUERY(boats, $x, GEODISTANCE($x.berth.site, geometry('POINT (1 2)')) < $x.crew).@count > 0",
  ]

  @Test(arguments: texts) func `a distance is printed as text that reads back`(text: String) throws
  {
    let root = try #require(Fleet.schema["Harbor"])
    let named = try QueryPredicate(parsing: text)
    #expect(try QueryPredicate(parsing: "\(named)") == named, "\(named)")
    let bound = try named.bound(to: Fleet.schema, root: root)
    #expect(try bound.named.bound(to: Fleet.schema, root: root) == bound, "\(bound)")
    #expect(try QueryPredicate(parsing: "\(bound)") == bound.named, "\(bound)")
  }

  @Test func `a distance moves to the left, and its property before its constant`() throws {
    let root = try #require(Fleet.schema["Harbor"])
    let bound = try QueryPredicate(
      parsing: "depth >= GEODISTANCE(geometry('POINT (1.0 2.0)'), site)"
    ).bound(to: Fleet.schema, root: root)
    #expect("\(bound)" == "GEODISTANCE(site, geometry('POINT (1.0 2.0)')) <= depth")
    #expect(bound.paths.map(\.description) == ["site", "depth"])
  }

  @Test func `a constant length stays a relation`() throws {
    for text in ["5km", "0.1", "$0", "%@ km", "-0"] {
      let predicate = try QueryPredicate(
        parsing: "GEODISTANCE(site, geometry('POINT (1 2)')) < \(text)",
        arguments: [.value(.int(1))])
      guard case .relation(let relation) = predicate, case .distance = relation.kind else {
        Issue.record("\(predicate)")
        continue
      }
    }
  }

  @Test(arguments: [
    ("GEODISTANCE(site, name) < depth", "a relation needs a geometry"),
    ("GEODISTANCE(site, site) == depth", "a distance compares by <, <=, > or >="),
    ("depth != GEODISTANCE(site, site)", "a distance compares by <, <=, > or >=, found '!='"),
    ("5 > GEODISTANCE(site, site)", "with a length on its right such as"),
    ("GEODISTANCE(site, site) < 2 * 3", "expected a length such as 5km, or a number of the object"),
    ("GEODISTANCE(site, site) < name", "Property type mismatch"),
    ("GEODISTANCE(site, site) < 5km + depth", "expected AND, OR or the end of the text, found '+'"),
    ("GEODISTANCE(site, site) < -5", "a distance is 0 or more, found -5"),
    ("GEODISTANCE(ALL buoys, site) < depth", "ALL is not supported for a distance"),
    ("GEODISTANCE(NONE site, site) < depth", "can only be used on key paths that include"),
    ("GEODISTANCE(site, ANY Harbor.site) < depth", "is compared with a length such as 5km only"),
    (
      "GEODISTANCE(geometry('POINT (1 2)'), geometry('POINT (1 2)')) < depth",
      "needs a property of the object on one of its sides"
    ),
    ("GEODISTANCE(site, buoys) < depth", "leads to several geometries"),
  ])
  func `a mistake is named`(text: String, message: String) throws {
    let root = try #require(Fleet.schema["Harbor"])
    let error = #expect(throws: QueryPredicateError.self, "\(text)") {
      _ = try QueryPredicate(parsing: text).bound(to: Fleet.schema, root: root)
    }
    #expect(error?.message.contains(message) == true, "\(text): \(error?.message ?? "")")
  }
}
