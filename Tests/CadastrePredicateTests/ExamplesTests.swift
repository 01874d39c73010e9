import CadastreGeometry
import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// The worked examples of the predicate language.
@Suite struct ExamplesTests {
  enum Outcome {
    case keys([Int64])
    case failure(QueryPredicateError.Kind)
  }

  @Test func `boats are found as the language says`() {
    for (text, outcome) in Self.boats { check(text, outcome, "Boat") }
  }

  @Test func `harbors are found as the language says`() {
    for (text, outcome) in Self.harbors { check(text, outcome, "Harbor") }
  }

  private func check(
    _ text: String, _ outcome: Outcome, _ className: String, _ arguments: [PredicateArgument] = []
  ) {
    do {
      let found = try matching(text, arguments, className)
      guard case .keys(let expected) = outcome, found == expected else {
        Issue.record("\(text) found \(found), expected \(outcome)")
        return
      }
    } catch let error as QueryPredicateError {
      guard case .failure(let kind) = outcome, error.kind == kind else {
        Issue.record("\(text): \(error), expected \(outcome)")
        return
      }
      #expect(error.text == text)
    } catch {
      Issue.record("\(text): \(error)")
    }
  }

  private static let boats: [(String, Outcome)] = [
    (#"crew == 3"#, .keys([1, 4])),
    (#"3 == crew"#, .keys([1, 4])),
    (#"crew == 0x3"#, .keys([1, 4])),
    (#"crew = 0X03"#, .keys([1, 4])),
    (#"crew == 3.0"#, .keys([1, 4])),
    (#"crew == 3.5"#, .keys([])),
    (#"crew > 2.5"#, .keys([1, 3, 4, 5])),
    (#"2.5 < crew"#, .keys([1, 3, 4, 5])),
    (#"crew == '3'"#, .failure(.invalidQuery)),
    (#"crew == 'abc'"#, .failure(.invalidQuery)),
    (#"crew == true"#, .failure(.invalidQuery)),
    (#"crew <> 3"#, .keys([2, 3, 5])),
    (#"crew >= 7 AND crew =< 12"#, .keys([3, 5])),
    (#"crew => 7 AND crew <= 12"#, .keys([3, 5])),
    (#"crew < 3 || crew > 7"#, .keys([2, 3])),
    (#"not crew == 3"#, .keys([2, 3, 5])),
    (#"!crew == 3 && active == true"#, .keys([3, 5])),
    (#"!(crew == 3 && active == true)"#, .keys([2, 3, 4, 5])),
    (#"crew == 3 OR crew == 7 AND active == false"#, .keys([1, 4])),
    (#"(id == 1 OR id == 2) AND crew == 3"#, .keys([1])),
    (#"NOT NOT crew == 3"#, .keys([1, 4])),
    (#"! ! ! crew == 3"#, .keys([2, 3, 5])),
    (#"TRUEPREDICATE"#, .keys([1, 2, 3, 4, 5])),
    (#"falsepredicate"#, .keys([])),
    (#"active"#, .failure(.syntax)),
    (#"active == 1"#, .keys([1, 3, 5])),
    (#"active == 2"#, .failure(.invalidQuery)),
    (#"active == YES"#, .keys([1, 3, 5])),
    (#"active > false"#, .keys([1, 3, 5])),
    (#"rented != true"#, .keys([2, 3, 5])),
    (#"rented == false"#, .keys([3])),
    (#"rented == NO"#, .keys([3])),
    (#"rented == null"#, .keys([2, 5])),
    (#"seats == null"#, .keys([2, 5])),
    (#"seats == NIL"#, .keys([2, 5])),
    (#"seats != 4"#, .keys([2, 3, 4, 5])),
    (#"seats < 5"#, .keys([1, 4])),
    (#"NOT seats < 5"#, .keys([2, 3, 5])),
    (#"seats > null"#, .keys([])),
    (#"seats >= null"#, .keys([2, 5])),
    (#"crew == null"#, .failure(.invalidQuery)),
    (#"name > null"#, .keys([1, 2, 3, 4])),
    (#"name >= null"#, .keys([1, 2, 3, 4, 5])),
    (#"name < 'a'"#, .keys([1, 3, 5])),
    (#"name >= 'alma'"#, .keys([2, 4])),
    (#"name ==[c] 'ALMA'"#, .keys([1, 2])),
    (#"name ==[c] 'ærø'"#, .keys([4])),
    (#"name !=[c] 'alma'"#, .keys([3, 4, 5])),
    (#"name BEGINSWITH 'A'"#, .keys([1])),
    (#"name beginswith[c] "A""#, .keys([1, 2])),
    (#"name ENDSWITH 'ma'"#, .keys([1, 2])),
    (#"name CONTAINS 'lm'"#, .keys([1, 2])),
    (#"name CONTAINS ''"#, .keys([])),
    (#"name BEGINSWITH ''"#, .keys([])),
    (#"name ENDSWITH ''"#, .keys([])),
    (#"name CONTAINS null"#, .keys([])),
    (#"NOT name CONTAINS 'lm'"#, .keys([3, 4, 5])),
    (#"name LIKE 'Bo*t'"#, .keys([3])),
    (#"name LIKE '?l*'"#, .keys([1, 2])),
    (#"name LIKE[c] 'a*'"#, .keys([1, 2])),
    (#"name LIKE '?r?'"#, .keys([4])),
    (#"name LIKE null"#, .keys([5])),
    (#"name LIKE ''"#, .keys([])),
    (#"'Almanac' CONTAINS name"#, .keys([1])),
    (#"name ==[d] 'Alma'"#, .keys([1])),
    (#"name ==[cd] 'ALMA'"#, .keys([1, 2])),
    (#"name ==[cd] 'aero'"#, .keys([])),
    (#"name ==[dc] 'alma'"#, .keys([1, 2])),
    (#"name == 'Al\u006da'"#, .keys([1])),
    (#"name == "Al\x""#, .failure(.syntax)),
    (#"name IN[c] {'ALMA'}"#, .keys([1, 2])),
    (#"name BETWEEN {'A', 'b'}"#, .keys([1, 2, 3])),
    (#"crew CONTAINS 3"#, .failure(.invalidQuery)),
    (#"blob == bin('knot')"#, .keys([1])),
    (#"blob == binary("knot")"#, .keys([1])),
    (#"blob == bin(B64"a25vdA==")"#, .keys([1])),
    (#"blob == 'knot'"#, .failure(.invalidQuery)),
    (#"blob BEGINSWITH[c] bin('K')"#, .keys([1, 4])),
    (#"blob > null"#, .keys([])),
    (#"blob > bin('K')"#, .keys([1, 4])),
    (#"name == B64"QWxtYQ==""#, .keys([1])),
    (#"built == T988675200:0"#, .keys([1])),
    (#"built == 2001-05-01T00:00:00:1"#, .keys([4])),
    (#"built == 2001-05-01@00:00:00:1"#, .keys([4])),
    (#"built == 2001-5-1@0:0:0"#, .keys([1])),
    (#"built > T0:0"#, .keys([1, 4])),
    (#"built == T-1:-500000000"#, .keys([3])),
    (#"built == T-1:500000000"#, .failure(.syntax)),
    (#"built == 2001-05-01"#, .failure(.syntax)),
    (#"built BETWEEN {T0:0, T988675200:0}"#, .keys([1, 5])),
    (#"key == oid(000000000000000000000001)"#, .keys([1])),
    (#"key > oid(5f0000000000000000000000)"#, .keys([3, 4, 5])),
    (#"key == '000000000000000000000001'"#, .failure(.invalidQuery)),
    (#"uid == uuid(3B241101-E2BB-4255-8CAF-4136C566A961)"#, .keys([3])),
    (#"uid == '3b241101-e2bb-4255-8caf-4136c566a961'"#, .keys([3])),
    (#"uid == '3b24'"#, .failure(.invalidQuery)),
    (#"fee == 10.50"#, .keys([1, 4])),
    (#"fee < 11"#, .keys([1, 4, 5])),
    (#"fee > -infinity"#, .keys([1, 4, 5])),
    (#"draft == NaN"#, .keys([])),
    (#"draft == draft"#, .keys([1, 2, 3, 4, 5])),
    (#"draft != NaN"#, .keys([1, 2, 3, 4, 5])),
    (#"draft < infinity"#, .keys([1, 2, 3])),
    (#"draft < 0"#, .keys([])),
    (#"draft == INF"#, .keys([5])),
    (#"draft > -inf"#, .keys([1, 2, 3, 5])),
    (#"crew == infinity"#, .failure(.invalidQuery)),
    (#"crew == nan"#, .failure(.invalidQuery)),
    (#"crew BETWEEN {3, 7}"#, .keys([1, 4, 5])),
    (#"crew BETWEEN {7, 3}"#, .keys([])),
    (#"crew BETWEEN {3}"#, .failure(.invalidQuery)),
    (#"crew BETWEEN {3, 7, 9}"#, .failure(.invalidQuery)),
    (#"crew BETWEEN 3"#, .failure(.invalidQuery)),
    (#"crew BETWEEN {2.5, 7.5}"#, .keys([1, 4, 5])),
    (#"crew IN {3, 7}"#, .keys([1, 4, 5])),
    (#"crew in {}"#, .keys([])),
    (#"NOT crew IN {3, 7}"#, .keys([2, 3])),
    (#"crew IN 3"#, .failure(.invalidQuery)),
    (#"crew == {3, 7}"#, .keys([1, 4, 5])),
    (#"seats IN {null, 4}"#, .keys([1, 2, 5])),
    (#"crew IN {null}"#, .failure(.invalidQuery)),
    (#"crew == seats"#, .keys([3])),
    (#"crew != seats"#, .keys([1, 2, 4, 5])),
    (#"crew == length"#, .keys([])),
    (#"crew < length"#, .keys([1, 3, 4])),
    (#"crew == name"#, .failure(.invalidQuery)),
    (#"3 == 3"#, .failure(.invalidQuery)),
    (#"berth == null"#, .keys([3])),
    (#"berth != nil"#, .keys([1, 2, 4, 5])),
    (#"berth.name == 'Bergen'"#, .keys([2])),
    (#"berth.name != 'Bergen'"#, .keys([1, 3, 4, 5])),
    (#"berth.name == null"#, .keys([3])),
    (#"berth.depth > 9"#, .keys([1, 2, 4])),
    (#"escort.escort == null"#, .keys([1, 2, 4])),
    (#"escort.seats < 5"#, .keys([2])),
    (#"NOT escort.seats < 5"#, .keys([1, 3, 4, 5])),
    (#"berth == obj('Harbor', 'AAR')"#, .keys([1, 4])),
    (#"berth != obj('Harbor', 'AAR')"#, .keys([2, 3, 5])),
    (#"berth == obj('Harbor','ZZZ')"#, .keys([])),
    (#"berth != obj('Harbor','ZZZ')"#, .keys([1, 2, 3, 4, 5])),
    (#"berth == obj('Boat', 1)"#, .failure(.invalidQuery)),
    (#"berth == obj('Harbor', B64'')"#, .failure(.syntax)),
    (#"NONE specs.truee == {'': 'int'}"#, .failure(.invalidQuery)),
    (#"place == {'type': 'Point', '': 1}"#, .failure(.invalidQuery)),
    (#"berth == obj('Harbor', B64'AQ==')"#, .failure(.syntax)),
    (#"berth == obj('Harbor', 2.0)"#, .failure(.syntax)),
    (#"crew IN {1, 3} + 27"#, .failure(.syntax)),
    (#"crew IN crew + 1 + 2"#, .failure(.syntax)),
    (#"berth == 3"#, .failure(.invalidQuery)),
    (#"berth > obj('Harbor', 'AAR')"#, .failure(.invalidQuery)),
    (#"berth IN obj('Harbor', 'AAR')"#, .failure(.invalidQuery)),
    (#"escort == obj('Boat', 5)"#, .keys([5])),
    (#"berth.nope == 1"#, .failure(.invalidQuery)),
    (#"crew.x == 1"#, .failure(.invalidQuery)),
    (#"engine == null"#, .keys([2, 4, 5])),
    (#"engine.maker == 'Volvo'"#, .keys([1])),
    (#"engine.maker == ''"#, .keys([3])),
    (#"engine.power == null"#, .keys([2, 3, 4, 5])),
    (#"engine.power > 50"#, .keys([1])),
    (#"engine.torque != 1"#, .keys([2, 3, 4, 5])),
    (#"engine.builtAt.type == 'Point'"#, .keys([1])),
    (#"place.coordinates == {10.2, 56.15}"#, .keys([1, 4])),
    (#"place.coordinates != {10.2, 56.15}"#, .keys([2, 3, 5])),
    (#"place.coordinates == {}"#, .keys([5])),
    (#"place.type ==[c] 'POLYGON'"#, .keys([4])),
    (#"place == null"#, .keys([5])),
    (#"place GEOWITHIN geoCircle([10.2, 56.15], 0)"#, .keys([1])),
    (#"place GEOWITHIN geoCircle([0, 0], 4)"#, .keys([1, 2])),
    (#"place GEOWITHIN[planar] geoBox([0, 50], [15, 60])"#, .keys([1])),
    (#"place IN geoBox([0, 50], [15, 60])"#, .keys([1])),
    (#"berth.site GEOWITHIN geoCircle([10.2, 56.15], 0.01)"#, .keys([1, 4])),
    (#"#name == 'Alma'"#, .keys([1])),
  ]

  private static let harbors: [(String, Outcome)] = [
    (#"site geowithin geoBox([0.0, 50.0], [15.0, 60.0])"#, .keys([1])),
    (#"site GEOWITHIN geoBox([0.0, 50.0], [15.0, 60.25])"#, .keys([1, 2])),
    (#"site GEOWITHIN geoBox([15.0, 61.0], [0.0, 50.0])"#, .keys([1, 2])),
    (#"site GEOWITHIN geoCircle([10.2, 56.15], 0)"#, .keys([1])),
    (#"site GEOWITHIN geoCircle([10.2, 56.15], 7)"#, .keys([1, 2])),
    (#"NOT site GEOWITHIN geoCircle([10.2, 56.15], 0.001)"#, .keys([2, 3])),
    (
      #"site GEOWITHIN geoPolygon({[0,50],[15,50],[15,62],[0,62],[0,50]}, {[9,55],[11,55],[11,57],[9,57],[9,55]})"#,
      .keys([2])
    ),
    (#"site GEOWITHIN geoCircle([-170, -5], 0.1)"#, .keys([])),
    (#"site GEOWITHIN geoCircle([200.0, 0.0], 0.1)"#, .failure(.invalidArgument)),
    (
      #"site GEOWITHIN geoPolygon({[0,0],[10,10],[10,0],[0,10],[0,0]})"#, .failure(.invalidArgument)
    ),
    (#"name GEOWITHIN geoCircle([10.2, 56.15], 0.001)"#, .failure(.invalidQuery)),
    (#"site GEOWITHIN null"#, .failure(.invalidArgument)),
    (#"site GEOWITHIN 3"#, .failure(.invalidArgument)),
    (#"site GEOWITHIN name"#, .failure(.invalidArgument)),
  ]

  @Test func `arguments are values, lists, paths, objects and regions`() throws {
    let circle = try #require(QueryPredicate.circle("geoCircle([10.2, 56.15], 0.5)"))
    let table: [(String, [PredicateArgument], [Int64], String)] = [
      ("crew == $0 OR crew == $1", [.int(3), .int(12)], [1, 3, 4], "Boat"),
      ("crew == %@ OR crew == %d", [.int(3), .int(12)], [1, 3, 4], "Boat"),
      ("crew == $0 AND id > $0 AND crew == $0", [.int(3), .int(99)], [4], "Boat"),
      ("seats == $0", [.value(.null)], [2, 5], "Boat"),
      ("active == $0", [.int(1)], [1, 3, 5], "Boat"),
      ("$K0 == 'AAR'", [.string("berth.code")], [1, 4], "Boat"),
      ("%K == %@", [.string("berth.code"), .string("AAR")], [1, 4], "Boat"),
      ("berth.%K == 'AAR'", [.string("code")], [1, 4], "Boat"),
      ("crew BETWEEN {$0, $1}", [.int(3), .int(7)], [1, 4, 5], "Boat"),
      ("crew BETWEEN %@", [.list([.int(3), .int(7)])], [1, 4, 5], "Boat"),
      ("crew IN %@", [.list([.int(3), .int(7)])], [1, 4, 5], "Boat"),
      ("name == '%@'", [.string("Alma")], [], "Boat"),
      ("site IN %@", [.shape(circle)], [1, 2], "Harbor"),
      ("site GEOWITHIN $0", [.shape(circle)], [1, 2], "Harbor"),
      ("site GEOWITHIN $0", [.string("geoCircle([10.2, 56.15], 0.5)")], [1, 2], "Harbor"),
      (
        "site GEOWITHIN geoCircle([$0, $1], $2)",
        [.value(.double(5.32)), .value(.float(60.39)), .value(.double(0.01))], [2], "Harbor"
      ),
      (
        "berth == %@",
        [.object(ObjectReference(className: "Harbor", identity: .key(ObjectKey(1))))], [1, 4],
        "Boat"
      ),
      (
        "berth == %@", [.object(ObjectReference(className: "Harbor", identity: .unmanaged))], [],
        "Boat"
      ),
      (
        "berth != %@", [.object(ObjectReference(className: "Harbor", identity: .unmanaged))],
        [1, 2, 3, 4, 5], "Boat"
      ),
    ]
    for (text, arguments, keys, className) in table {
      check(text, .keys(keys), className, arguments)
    }
    let wrong: [(String, [PredicateArgument], QueryPredicateError.Kind)] = [
      ("crew == $1", [.int(3)], .invalidArgument), ("crew == $0", [], .invalidArgument),
      ("crew == %@ OR crew == %@", [.int(3)], .invalidArgument),
      ("crew == $0", [.string("3")], .invalidQuery), ("$K0 == 3", [.int(1)], .invalidArgument),
      ("%K == 3", [], .invalidArgument), ("crew == %@", [.shape(circle)], .invalidArgument),
      ("crew == %@", [.members([])], .invalidQuery),
      ("crew == $99999999999999999999", [.int(1)], .syntax),
    ]
    for (text, arguments, kind) in wrong { check(text, .failure(kind), "Boat", arguments) }
  }

  @Test func `embedded objects are equal to themselves only`() throws {
    for (text, keys) in [
      ("place == objKey('Spot', 1, 'Boat', 1, 'place')", [1]),
      ("place != objKey('Spot', 1, 'Boat', 1, 'place')", [2, 3, 4, 5]),
      ("place IN {objKey('Spot', 1, 'Boat', 1, 'place'), objKey('Spot', null)}", [1]),
      ("engine.builtAt == objKey('Spot', 1, 'Boat', 1, 'engine', 'builtAt')", [1]),
      ("berth.site == objKey('Spot', 1, 'Harbor', 1, 'site')", [1, 4]),
      ("escort.place == objKey('Spot', 1, 'Boat', 1, 'place')", [2]),
      // Another number, property or owner, or null.
      ("place == objKey('Spot', 2, 'Boat', 1, 'place')", []),
      ("place == objKey('Spot', 1, 'Boat', 1, 'engine', 'builtAt')", []),
      ("place == objKey('Spot', 1, 'Boat', 5, 'place')", []),
      ("place == objKey('Spot', 1)", []), ("place == objKey('Spot', null)", []),
      ("place != objKey('Spot', null)", [1, 2, 3, 4, 5]),
    ] as [(String, [Int64])] {
      check(text, .keys(keys), "Boat")
      let predicate = try bound(text)
      #expect(try bound("\(predicate)") == predicate)
    }
    for (text, kind) in [
      ("place == objKey('Spot', 1, 'Boat')", .syntax), ("place == objKey('Spot', 1,)", .syntax),
      ("place == objKey('Spot', 1, 'Boat', 1)", .syntax),
      ("place == objKey('Spot', 1, 'Boat', 'x', 'place')", .syntax),
      ("engine == objKey('Spot', 1, 'Boat', 1, 'place')", .invalidQuery),
      ("place < objKey('Spot', 1, 'Boat', 1, 'place')", .invalidQuery),
    ] as [(String, QueryPredicateError.Kind)] {
      check(text, .failure(kind), "Boat")
    }
    check("site.@links.@count == 0", .failure(.invalidQuery), "Harbor")
  }

  @Test func `embedded objects compare member by member`() throws {
    let volvo: [EmbeddedMember] = [
      EmbeddedMember("maker", .string("Volvo")), EmbeddedMember("power", .int(90)),
    ]
    let place = EmbeddedMember(
      "builtAt",
      .members([
        EmbeddedMember("type", .string("Point")),
        EmbeddedMember("coordinates", .list([.double(11.97), .double(57.71)])),
      ]))
    #expect(try matching("engine == %@", [.members(volvo)]) == [1])
    #expect(try matching("%@ == engine", [.members(volvo + [place])]) == [1])
    #expect(try matching("engine != %@", [.members(volvo)]) == [2, 3, 4, 5])
    #expect(try matching("NOT engine == %@", [.members(volvo)]) == [2, 3, 4, 5])
    // Where there is no engine, none of its members is null.
    let none = [EmbeddedMember("power", .value(.null))]
    #expect(try matching("engine == %@", [.members(none)]) == [3])
    #expect(try matching("engine == %@ AND crew > 3", [.members(none)]) == [3])
    #expect(throws: QueryPredicateError.self) { try matching("engine < %@", [.members(volvo)]) }
    #expect(throws: QueryPredicateError.self) {
      try matching("engine == %@", [.members([EmbeddedMember("nope", .int(1))])])
    }
  }
}

extension QueryPredicate {
  /// The region that a text denotes.
  static func circle(_ text: String) -> GeoShape? {
    guard case .geoWithin(let within)? = try? QueryPredicate(parsing: "x GEOWITHIN \(text)") else {
      return nil
    }
    return within.shape
  }
}
