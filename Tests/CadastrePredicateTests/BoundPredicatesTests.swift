import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastrePredicate

/// Predicates that are bound once, and take other arguments.
@Suite struct BoundPredicatesTests {
  private static let texts = [
    "crew > %@", "crew > $0 AND crew < $1", "crew > $1 OR NOT name == $0", "name IN %@",
    "ANY marks == $0", "crew BETWEEN $0", "crew + $0 > 3", "$0 < crew",
    "name == 'a' AND crew == $0",
    "place GEOWITHIN $0", "place IN $0", "place GEOINTERSECTS $0",
    "NOT place GEOCONTAINS[planar] $0 AND crew == $1", "GEODISTANCE(place, $0) < $1",
    "crew > $2 OR GEODISTANCE(ANY places, $0) >=[planar] $1 km", "GEODISTANCE(place, $0) <= draft",
    "place GEOWITHIN[planar] $1 OR place GEODISJOINT $0", "GEODISTANCE(place, $0) < 5km",
    "SUBQUERY(trips, $t, $t.miles > $0).@count > $1",
    "TRUEPREDICATE AND (crew == $0 OR (name == $1 AND NOT crew == $0))", "extra[$0] == $1",
    "crew IN {1, $0}", "(crew) > $0", "crew > ($0)", "ANY $0 == marks", "name ==[c] $0",
    "name MATCHES $0", "e\u{301} == $0", "\u{e9} == $0", "name == 'e\u{301}' AND crew == $0",
    "name == '\u{e9}' AND crew == $0", "berth == $0", "crew > $2", "crew > %@ %@",
  ]

  private static let boundTexts = [
    "draft > $0", "length < $0 AND crew >= $1", "fee == $0", "built > $0", "active == $0",
    "rented == $0 AND crew == 3", "berth.name == $0", "name BEGINSWITH $0", "seats == $0",
    "extra == $0", "log TEXT $0", "berth.site GEOWITHIN $0 AND crew > $1", "NONE marks == $0",
    "trips.@count == $0", "crew == $0 AND TRUEPREDICATE", "uid == $0",
    "berth.site == $0 AND crew == $1", "berth.site GEOINTERSECTS $0 AND crew == $1",
    "GEODISTANCE(berth.site, $0) < crew", "GEODISTANCE(berth.site, $0) < $1",
    "crew > $2 AND GEODISTANCE(berth.site, $0) >=[planar] $1 km",
    "GEODISTANCE(berth.site, $0) < GEODISTANCE(berth.site, $1)",
    "GEODISTANCE(berth.site, $0) < SUBQUERY(trips, $t, $t.miles > 1).@count",
    "crew == $0 AND crew == $0", "name.@type == $0", "(crew == $0 AND seats > $1) AND draft < $0",
  ]

  private static let arguments: [PredicateArgument] = {
    var arguments: [PredicateArgument] = [
      .value(.int(3)), .value(.int(7)), .value(.null), .value(.double(.nan)), .value(.string("a")),
      .value(.double(2.5)),
      .value(.string("geoCircle([1, 2], 0.5)")), .list([]), .list([.int(1), .int(2)]),
      .list([.string("a")]), .object(ObjectReference(className: "Harbor", identity: .unmanaged)),
      .objects([]), .objects([ObjectReference(className: "Harbor", identity: .unmanaged)]),
      .members([EmbeddedMember("type", .value(.string("Point")))]),
    ]
    for text in ["POINT (1 2)", "POLYGON ((0 0, 1 0, 1 1, 0 0))"] {
      if let geometry = try? Geometry(wkt: text) { arguments.append(.value(.geometry(geometry))) }
    }
    if let center = GeoPoint(latitude: 1, longitude: 2), let radius = Distance.kilometers(5) {
      arguments.append(.shape(.circle(GeoCircle(center: center, radius: radius))))
    }
    return arguments
  }()

  @Test(arguments: Seeds.usual(93...94))
  func `a text with other arguments is bound like a new text`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let schema = Fleet.schema
    let root = try schema.queriedClass("Boat")
    // The predicates that were bound once, to which the others are compared.
    var reused = 0
    var compared = 0
    for number in 0..<20_000 {
      let text = random.pick(Self.texts + Self.boundTexts)
      let arguments = (0..<random.below(4)).map { _ in random.pick(Self.arguments) }
      let expected = Result { () throws(QueryPredicateError) -> BoundPredicate in
        try QueryPredicate(parsing: text, arguments: arguments).bound(to: schema, root: root)
      }
      var isBound = false
      let found = Result { () throws(QueryPredicateError) -> BoundPredicate in
        try schema.boundPredicates.bound(parsing: text, arguments: arguments, to: "Boat") {
          (predicate) throws(QueryPredicateError) in
          isBound = true
          return try predicate.bound(to: schema, root: root)
        }
      }
      if case .success = expected { compared += 1 }
      if case .success = found, !isBound { reused += 1 }
      guard "\(found)" != "\(expected)" else { continue }
      Issue.record("seed \(seed), text \(number): \(text), \(arguments)\n\(found)\n\(expected)")
      return
    }
    #expect(compared > 500 && reused > 60, "\(compared) bound, \(reused) of them without binding")
  }

  @Test func `a text is bound to the class of the query`() throws {
    let schema = Fleet.schema
    func bound(_ className: String, _ name: String, _ schema: Schema) throws -> String {
      let root = try schema.queriedClass(className)
      let bound = try schema.boundPredicates.bound(
        parsing: "name == %@", arguments: [.value(.string(name))], to: className
      ) { (predicate) throws(QueryPredicateError) in
        try predicate.bound(to: schema, root: root)
      }
      guard case .comparison(let comparison) = bound, case .property(let path) = comparison.left
      else { return "\(bound)" }
      return "\(path.root.className): \(bound)"
    }
    for name in ["a", "b", "c"] {
      #expect(try bound("Boat", name, schema).hasPrefix("Boat: "))
      #expect(try bound("Harbor", name, schema).hasPrefix("Harbor: "))
      #expect(try bound("Boat", name, schema).contains("'\(name)'"))
    }
  }

  @Test func `a prepared predicate is the text with its arguments`() throws {
    let schema = Fleet.schema
    let root = try schema.queriedClass("Boat")
    var compared = 0
    for text in Self.texts + Self.boundTexts {
      guard let prepared = try? PreparedPredicate(parsing: text) else { continue }
      for first in Self.arguments {
        for second in Self.arguments {
          let arguments = Array([first, second, first].prefix(prepared.parameterCount))
          guard arguments.count == prepared.parameterCount else { continue }
          let found = Result { () throws(QueryPredicateError) -> BoundPredicate in
            try prepared.bound(arguments, to: "Boat", in: schema.boundPredicates) {
              (predicate) throws(QueryPredicateError) in
              try predicate.bound(to: schema, root: root)
            }
          }
          let expected = Result { () throws(QueryPredicateError) -> BoundPredicate in
            try QueryPredicate(parsing: text, arguments: arguments).bound(to: schema, root: root)
          }
          switch (found, expected) {
          case (.success(let found), .success(let expected)):
            #expect("\(found)" == "\(expected)", "\(text)")
            compared += 1
          case (.failure(let found), .failure(let expected)):
            #expect(found.message == expected.message, "\(text), \(arguments)")
          default: Issue.record("\(text), \(arguments): \(found), expected \(expected)")
          }
        }
      }
    }
    #expect(compared > 500)
  }

  @Test(arguments: Seeds.usual(95...96))
  func `a tree with other constants is bound like a new tree`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let schema = Fleet.schema
    let root = try schema.queriedClass("Boat")
    var reused = 0
    for number in 0..<20_000 {
      let text = random.pick(Self.texts + Self.boundTexts)
      let arguments = (0..<3).map { _ in random.pick(Self.arguments) }
      guard let predicate = try? QueryPredicate(parsing: text, arguments: arguments) else {
        continue
      }
      let expected = Result { () throws(QueryPredicateError) -> BoundPredicate in
        try predicate.bound(to: schema, root: root)
      }
      var isBound = false
      let found = Result { () throws(QueryPredicateError) -> BoundPredicate in
        try schema.boundPredicates.bound(predicate, to: "Boat") {
          (predicate) throws(QueryPredicateError) in
          isBound = true
          return try predicate.bound(to: schema, root: root)
        }
      }
      if case .success = found, !isBound { reused += 1 }
      guard "\(found)" != "\(expected)" else { continue }
      Issue.record("seed \(seed), tree \(number): \(predicate)\n\(found)\n\(expected)")
      return
    }
    #expect(reused > 60, "\(reused) without binding")
  }

  @Test func `a region of a relation is an argument`() throws {
    let schema = Fleet.schema
    let root = try schema.queriedClass("Boat")
    for text in ["berth.site GEOINTERSECTS $0 AND crew > 1", "NOT berth.site GEODISJOINT $0"] {
      for kilometers in 1..<4 {
        let center = try #require(GeoPoint(latitude: 1, longitude: 2))
        let radius = try #require(Distance.kilometers(Double(kilometers)))
        let arguments = [
          PredicateArgument.shape(.circle(GeoCircle(center: center, radius: radius)))
        ]
        let found = try schema.boundPredicates.bound(
          parsing: text, arguments: arguments, to: "Boat"
        ) { (predicate) throws(QueryPredicateError) in
          try predicate.bound(to: schema, root: root)
        }
        let expected = try QueryPredicate(parsing: text, arguments: arguments)
          .bound(to: schema, root: root)
        #expect("\(found)" == "\(expected)")
      }
    }
  }

  @Test func `a parameter stands where its type is known`() throws {
    for text in [
      "GEODISTANCE(place, $0) < $1 km", "GEODISTANCE(place, $1) > $0",
      "place GEOCONTAINS $0 AND crew > $1",
      "GEODISTANCE(place, $0) < SUBQUERY(trips, $t, $t.miles > 1).@count AND crew > $1",
    ] {
      #expect(try PreparedPredicate(parsing: text).parameterCount == 2, "\(text)")
    }
    for text in [
      "crew + $0 > 3", "SUBQUERY(trips, $t, $t.miles > $0).@count > 1", "extra[$0] == 1", "%K == 3",
      "crew IN {1, $0}", "ANY $0 == marks", "$0 < crew", "crew > ($0)", "$0 GEOINTERSECTS place",
      "GEODISTANCE($0, place) < 5km", "crew > GEODISTANCE(place, $0)",
      "GEODISTANCE(place, $0) / 2 < crew", "1 + GEODISTANCE(place, $0) < crew",
      "GEODISTANCE(place, $0) < $1 + crew",
      "SUBQUERY(trips, $t, GEODISTANCE($t.to.site, $0) < 5km).@count > 1",
    ] {
      let error = #expect(throws: QueryPredicateError.self, "\(text)") {
        try PreparedPredicate(parsing: text)
      }
      #expect(error?.text == text && error?.span != nil, "\(text)")
    }
  }

  @Test func `predicates that differ in class, operator or options do not replace each other`()
    throws
  {
    let (schema, predicates) = (Fleet.schema, BoundPredicates())
    let box = "geoBox([1.0, 2.0], [3.0, 4.0])"
    let trees = [
      ("Boat", "name == 'a'"), ("Harbor", "name == 'a'"), ("Boat", "name != 'a'"),
      ("Boat", "name ==[c] 'a'"), ("Boat", "name IN {'a', 'b'}"), ("Boat", "crew < 3"),
      ("Boat", "crew >= 3"), ("Boat", "berth.site GEOWITHIN \(box)"),
      ("Boat", "berth.site GEOWITHIN[planar] \(box)"),
    ]
    for round in 0..<3 {
      var bound = 0
      for (className, text) in trees {
        let root = try schema.queriedClass(className)
        _ = try predicates.bound(QueryPredicate(parsing: text), to: className) {
          (predicate) throws(QueryPredicateError) in
          bound += 1
          return try predicate.bound(to: schema, root: root)
        }
      }
      for className in ["Boat", "Harbor"] {
        let root = try schema.queriedClass(className)
        _ = try predicates.bound(
          parsing: "name == %@", arguments: [.value(.string("a"))], to: className
        ) { (predicate) throws(QueryPredicateError) in
          bound += 1
          return try predicate.bound(to: schema, root: root)
        }
      }
      #expect(bound == (round == 0 ? trees.count + 2 : 0), "round \(round)")
    }
  }

  @Test func `the size of a predicate includes the contents of its constants`() throws {
    let long = String(repeating: "x", count: 10_000)
    let ring = (0...100).map { number in
      let angle = Double(number % 100) / 50 * .pi
      return (10 + cos(angle), 20 + sin(angle))
    }
    let polygon = "geoPolygon({\(ring.map { "[\($0.0), \($0.1)]" }.joined(separator: ", "))})"
    let geometry =
      "geometry('POLYGON ((\(ring.map { "\($0.0) \($0.1)" }.joined(separator: ", "))))')"
    let harbors = (1...100).map {
      ObjectReference(className: "Harbor", identity: .key(ObjectKey(Int64($0))))
    }
    let large: [(String, [PredicateArgument])] = [
      ("name == $0", [.value(.string(long))]), ("name IN $0", [.list([.string(long)])]),
      ("blob == $0", [.value(.data(Data(repeating: 1, count: 10_000)))]),
      ("extra == $0", [.value(.list([.list([.string(long)])]))]),
      ("extra == $0", [.value(.map(ValueMap([("a", .string(long))])))]),
      ("berth IN $0", [.objects(harbors)]),
      (
        "berth == $0",
        [
          .object(
            ObjectReference(
              className: "Harbor", identity: .primaryKey(.string(long))))
        ]
      ),
      ("berth.site == $0", [.members([EmbeddedMember("type", .value(.string(long)))])]),
      ("berth.site GEOWITHIN \(polygon)", []), ("berth.site GEOINTERSECTS \(polygon)", []),
      ("berth.site GEOINTERSECTS \(geometry)", []),
      ("berth.site GEOWITHIN ANY Harbor.buoys WHERE (name == '\(long)')", []),
      ("SUBQUERY(trips, $t, $t.to.name == '\(long)').@count > 1", []),
      ("crew == 1 AND NOT (seats == 1 OR name == '\(long)')", []),
    ]
    for (text, arguments) in large {
      let predicate = try QueryPredicate(parsing: text, arguments: arguments)
      #expect(predicate.parameterizedByteCount >= 10_000, "\(text.prefix(80))")
    }
    #expect(try QueryPredicate(parsing: "name == 'a' AND crew > 3").parameterizedByteCount < 2000)
  }
}
