import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastreServer

/// A condition in CQL2 that the tests evaluate over plain values, in the three-valued logic of SQL.
private indirect enum Condition {
  case compare(String, String, Double)
  case text(String, String)
  case like(String, isNegated: Bool)
  case between(String, Double, Double, isNegated: Bool)
  case list([String], isNegated: Bool)
  case null(String, isNegated: Bool)
  case box(Double, Double, Double, Double, isDisjoint: Bool)
  case flag(Bool)
  case date(String, Int64)
  case literal(Bool)
  case not(Condition)
  case both(Condition, Condition)
  case either(Condition, Condition)

  var cql2: String {
    let no = { (isNegated: Bool) in isNegated ? "NOT " : "" }
    func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "''") + "'" }
    return switch self {
    case .compare(let field, let sign, let number): "\(field) \(sign) \(number)"
    case .text(let sign, let text): "name \(sign) \(quoted(text))"
    case .like(let pattern, let isNegated): "name \(no(isNegated))LIKE \(quoted(pattern))"
    case .between(let field, let low, let high, let isNegated):
      "\(field) \(no(isNegated))BETWEEN \(low) AND \(high)"
    case .list(let texts, let isNegated):
      "name \(no(isNegated))IN (\(texts.map(quoted).joined(separator: ", ")))"
    case .null(let field, let isNegated): "\(field) IS \(no(isNegated))NULL"
    case .box(let west, let south, let east, let north, let isDisjoint):
      "\(isDisjoint ? "S_DISJOINT" : "S_INTERSECTS")(location, BBOX(\(west), \(south), \(east), \(north)))"
    case .flag(let flag): "open = \(flag)"
    case .date(let sign, let seconds): "seen \(sign) TIMESTAMP('\(Timestamp(seconds: seconds))')"
    case .literal(let value): value ? "TRUE" : "FALSE"
    case .not(let inner): "NOT (\(inner.cql2))"
    case .both(let one, let other): "(\(one.cql2) AND \(other.cql2))"
    case .either(let one, let other): "(\(one.cql2) OR \(other.cql2))"
    }
  }

  /// True, false, or nil for unknown.
  func value(_ place: Place) -> Bool? {
    func number(_ field: String) -> Double? {
      field == "level" ? place.level.map(Double.init) : place.score
    }
    func ordered<Item: Comparable>(_ one: Item, _ sign: String, _ other: Item) -> Bool {
      switch sign {
      case "=": one == other
      case "<>": one != other
      case "<": one < other
      case "<=": one <= other
      case ">": one > other
      default: one >= other
      }
    }
    switch self {
    case .compare(let field, let sign, let other):
      return number(field).map { ordered($0, sign, other) }
    case .text(let sign, let other): return place.name.map { ordered($0, sign, other) }
    case .like(let pattern, let isNegated):
      return place.name.map { Self.matches(Array($0), Array(pattern)) != isNegated }
    case .between(let field, let low, let high, let isNegated):
      return number(field).map { (low...high).contains($0) != isNegated }
    case .list(let texts, let isNegated): return place.name.map { texts.contains($0) != isNegated }
    case .null(let field, let isNegated):
      let isNull =
        switch field {
        case "name": place.name == nil
        case "open": place.isOpen == nil
        case "seen": place.seen == nil
        case "location": place.position == nil
        default: number(field) == nil
        }
      return isNull != isNegated
    case .box(let west, let south, let east, let north, let isDisjoint):
      return place.position.map { x, y in
        let isBetween = west <= east ? (west...east).contains(x) : x >= west || x <= east
        return (isBetween && (south...north).contains(y)) != isDisjoint
      }
    case .flag(let flag): return place.isOpen.map { $0 == flag }
    case .date(let sign, let seconds): return place.seen.map { ordered($0.seconds, sign, seconds) }
    case .literal(let value): return value
    case .not(let inner): return inner.value(place).map { !$0 }
    case .both(let one, let other):
      let values = [one.value(place), other.value(place)]
      return values.contains(false) ? false : values.contains(nil) ? nil : true
    case .either(let one, let other):
      let values = [one.value(place), other.value(place)]
      return values.contains(true) ? true : values.contains(nil) ? nil : false
    }
  }

  /// Whether a text matches a pattern of LIKE, where a backslash escapes.
  private static func matches(_ text: [Character], _ pattern: [Character]) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = Array(pattern.dropFirst())
    switch first {
    case "%":
      return matches(text, rest) || !text.isEmpty && matches(Array(text.dropFirst()), pattern)
    case "_": return !text.isEmpty && matches(Array(text.dropFirst()), rest)
    case "\\":
      guard let escaped = rest.first else { return false }
      return text.first == escaped && matches(Array(text.dropFirst()), Array(rest.dropFirst()))
    default: return text.first == first && matches(Array(text.dropFirst()), rest)
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func condition(depth: Int) -> Condition {
    if depth > 0, !oneIn(4) {
      let inner = condition(depth: depth - 1)
      return switch below(3) {
      case 0: .not(inner)
      case 1: .both(inner, condition(depth: depth - 1))
      default: .either(inner, condition(depth: depth - 1))
      }
    }
    let field = pick(["level", "score"])
    let texts = ["Ada", "ada", "Bo", "Café", "x_y", "100%", "a*b", "O'Neil", "Nobody"]
    switch below(10) {
    case 0, 1:
      return .compare(field, pick(["=", "<>", "<", "<=", ">", ">="]), Double(below(9)) / 2)
    case 2: return .text(pick(["=", "<>"]), pick(texts))
    case 3:
      return .like(
        pick(["A%", "%a", "_o", "%\\_%", "100\\%", "%*%", "x_y", "%'%", "%", "Caf_"]),
        isNegated: oneIn(2))
    case 4:
      let low = Double(below(4))
      return .between(field, low, low + Double(below(3)), isNegated: oneIn(2))
    case 5: return .list([pick(texts), pick(texts)], isNegated: oneIn(2))
    case 6:
      return .null(
        pick(["name", "level", "score", "open", "seen", "location"]), isNegated: oneIn(2))
    case 7:
      let (west, south) = (number(-180...180), number(-80...20))
      let east = west + 90 > 180 ? west - 270 : west + 90
      return .box(west, south, east, south + 60, isDisjoint: oneIn(2))
    case 8: return oneIn(3) ? .literal(oneIn(2)) : .flag(oneIn(2))
    default:
      return .date(
        pick(["=", "<>", "<", "<=", ">", ">="]), Int64(1_577_836_800 + below(40) * 86_400))
    }
  }
}

/// Property: a filter in CQL2 selects the places for which the condition is true.
@Suite struct FilterTests {
  @Test(arguments: Seeds.usual(11...14))
  func `random filters agree with their meaning`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let places = Place.random(250, seed: seed)
    let server = try TestServer(places)
    for _ in 0..<100 {
      let condition = random.condition(depth: random.below(4))
      try FilterTree(condition.cql2, "Place").expectReadable("seed \(seed)")
      let expected = places.filter { condition.value($0) == true }.map(\.id)
      #expect(
        try await server.ids(["filter": condition.cql2]) == expected,
        "seed \(seed): \(condition.cql2)")
    }
  }

  @Test(arguments: [
    ("id > 1", [2, 3]), ("NOT (id > 1)", [1]), ("NOT (id BETWEEN 1 AND 2)", [3]),
    ("id IS NULL", []), ("id IS NOT NULL", [1, 2, 3]),
    ("NOT (level = 1)", [2]), ("NOT (NOT (level = 1))", [1]), ("level <> 1", [2]),
    ("NOT (level = 1 AND name = 'x')", [1, 2, 3]), ("NOT (level IS NULL)", [1, 2]),
    ("CASEI(name) = CASEI('ADA')", [1, 2]), ("CASEI(name) LIKE 'AD%'", [1, 2]),
    ("CASEI(name) IN ('ADA', 'x')", [1, 2]), ("\"name\" = 'Ada'", [1]), ("level = -1", []),
    ("detail.floor = 2", [2]), ("NOT S_WITHIN(location, POLYGON((0 0, 2 0, 2 2, 0 2, 0 0)))", [2]),
  ])
  func `a condition on null is neither true nor false`(
    filter: String, expected: [Int]
  ) async throws {
    let server = try TestServer([
      Place(id: 1, name: "Ada", level: 1, position: (1, 1)),
      Place(id: 2, name: "ada", level: 2, position: (9, 9)), Place(id: 3, name: "y"),
    ])
    #expect(try await server.ids(["filter": filter]) == expected)
  }

  @Test(arguments: [
    "", "(", ")", "level", "level =", "level = 'x'", "level = 1 AND", "NOT", "level BETWEEN 1",
    "x'",
    "name LIKE 5", "S_INTERSECTS(location, POINT(1 -91))", "S_INTERSECTS(location, POINT(1 2)",
    "S_INTERSECTS(location, POLYGON((0 0, 2 2, 2 0, 0 2, 0 0)))", "S_INTERSECTS(location, ))",
    "S_INTERSECTS(location, BBOX(1,3,2,2))", "S_INTERSECTS(location, BBOX(1,2,3,4,5))",
    "S_INTERSECTS(location, BBOX(1,2,190,4))", "S_NEAR(location, POINT(1 1))", "level = -'1'",
    "S_INTERSECTS(level, BBOX(1,1,2,2))", "S_INTERSECTS(location, BBOX(1,1,2))",
    "S_INTERSECTS(location, POLYGON((0 0, 1 1", "level IN ()", "secret.x = 1", "a;b",
    "level = 1e999",
    "seen > TIMESTAMP('yesterday')", "CASEI(name", "level == 1", "-level = 1",
    "CASEI(name) < 'x'", "CASEI(name) NOT BETWEEN 'a' AND 'b'", "\"NOT\" level = 1",
  ])
  func `an invalid filter is an error that says what was expected`(filter: String) async throws {
    let server = try TestServer([Place(id: 1)])
    let reply = await server.reply("collections/Place/items", ["filter": filter])
    if filter.isEmpty { return #expect(reply.status == 200) }
    #expect(reply.status == 400, "\(filter): \(reply.text)")
    #expect(reply.json?["error"] != nil)
  }

  @Test(arguments: [
    ("level = 'x'", 8, 3), ("level = 1 AND", 13, 0), ("name LIKE 5", 10, 1), ("a;b", 1, 1),
    ("name = '\u{1F5FA}' OR levl = 1", 15, 4), ("S_WITHIN(level, POINT(1 1))", 9, 5),
    ("S_WITHIN(location, BBOX(1, 2))", 19, 4), ("name = 'x", 7, 1), ("CASEI(name) < 'x'", 12, 1),
    ("level > 1 AND seen = TRUE", 14, 4),
  ])
  func `an error has its location in the filter, in UTF-16 units`(
    filter: String, offset: Int, length: Int
  ) async throws {
    let server = try TestServer([Place(id: 1)])
    let reply = await server.reply("collections/Place/items", ["filter": filter])
    let error = try #require(reply.json?["error"] as? [String: Any], "\(reply.text)")
    #expect(error["offset"] as? Int == offset, "\(filter): \(reply.text)")
    #expect(error["length"] as? Int == length, "\(filter): \(reply.text)")
  }

  @Test func `deep and long filters are errors or results, and never stop the process`()
    async throws
  {
    let server = try TestServer([Place(id: 1, level: 1)])
    let deep =
      String(repeating: "(", count: 5000) + "level = 1" + String(repeating: ")", count: 5000)
    #expect(await server.error("collections/Place/items", ["filter": deep]) == "400 filter")
    let nots = String(repeating: "NOT ", count: 5000) + "level = 1"
    #expect(await server.error("collections/Place/items", ["filter": nots]) == "400 filter")
    // Calls are counted, and their number has no limit of its own.
    func folded(_ text: String) -> String {
      String(repeating: "CASEI(", count: 2800) + text + String(repeating: ")", count: 2800)
    }
    for filter in ["\(folded("name")) = 'a'", "name = \(folded("'a'"))"] {
      #expect(await server.reply("collections/Place/items", ["filter": filter]).status == 200)
    }
    for filter in ["name = \(folded("'a'")))", "CASEI(\(folded("name")) = 'a'"] {
      #expect(await server.error("collections/Place/items", ["filter": filter]) == "400 filter")
    }
    let wide = Array(repeating: "level = 1", count: 3000).joined(separator: " OR ")
    #expect(
      (200..<500).contains(await server.reply("collections/Place/items", ["filter": wide]).status))
  }

  private static let areas = [
    "POINT(-1 -2)",
    "POINT(4 4)",
    "MULTIPOINT((1 1),(9 9))",
    "LINESTRING(-5 -5,5 5)",
    "LINESTRING(0 0,4 0)",
    "LINESTRING(0 0,2 0,4 0)",
    "LINESTRING(6 1,6 3)",
    "MULTILINESTRING((0 5,5 5),(5 5,5 9))",
    "POLYGON((0 0,4 0,4 4,0 4,0 0))",
    "POLYGON((4 4,0 4,0 0,4 0,4 4))",
    "POLYGON((1 1,3 1,3 3,1 3,1 1))",
    "POLYGON((2 2,6 2,6 6,2 6,2 2))",
    "POLYGON((4 0,8 0,8 4,4 4,4 0))",
    "POLYGON((-2 -2,9 -2,9 9,-2 9,-2 -2),(1 1,3 1,3 3,1 3,1 1))",
    "MULTIPOLYGON(((-9 -9,-5 -9,-5 -5,-9 -5,-9 -9)),((5 5,7 5,7 7,5 7,5 5)))",
  ]

  /// The ids of the areas in each relation to a geometry, by shapely 2.2.0 with GEOS 3.14.1, where
  /// S_WITHIN is `covered_by` and S_CONTAINS is `covers`.
  private static let relations: [(geometry: String, ids: [String: [Int]])] = [
    (
      "POLYGON((0 0,4 0,4 4,0 4,0 0))",
      [
        "S_INTERSECTS": [2, 3, 4, 5, 6, 9, 10, 11, 12, 13, 14],
        "S_DISJOINT": [1, 7, 8, 15],
        "S_WITHIN": [2, 5, 6, 9, 10, 11],
        "S_CONTAINS": [9, 10],
        "S_EQUALS": [9, 10],
        "S_TOUCHES": [2, 5, 6, 13],
        "S_CROSSES": [3, 4],
        "S_OVERLAPS": [12, 14],
      ]
    ),
    (
      "POLYGON ((-2 -2, 9 -2, 9 9, -2 9, -2 -2), (1 1, 3 1, 3 3, 1 3, 1 1))",
      [
        "S_INTERSECTS": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        "S_DISJOINT": [],
        "S_WITHIN": [1, 2, 3, 5, 6, 7, 8, 13, 14],
        "S_CONTAINS": [14],
        "S_EQUALS": [14],
        "S_TOUCHES": [1, 3, 11],
        "S_CROSSES": [4],
        "S_OVERLAPS": [9, 10, 12, 15],
      ]
    ),
    (
      "LINESTRING(-5 -5,+5 5e0)",
      [
        "S_INTERSECTS": [2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15],
        "S_DISJOINT": [1, 7],
        "S_WITHIN": [2, 4],
        "S_CONTAINS": [4],
        "S_EQUALS": [4],
        "S_TOUCHES": [5, 6, 8, 13, 15],
        "S_CROSSES": [3, 9, 10, 11, 12, 14],
        "S_OVERLAPS": [],
      ]
    ),
    (
      "LINESTRING(0 -0,4 0)",
      [
        "S_INTERSECTS": [4, 5, 6, 9, 10, 13, 14],
        "S_DISJOINT": [1, 2, 3, 7, 8, 11, 12, 15],
        "S_WITHIN": [5, 6],
        "S_CONTAINS": [5, 6, 9, 10, 14],
        "S_EQUALS": [5, 6],
        "S_TOUCHES": [4, 9, 10, 13],
        "S_CROSSES": [],
        "S_OVERLAPS": [],
      ]
    ),
    (
      "POINT(-1 -2)",
      [
        "S_INTERSECTS": [1, 14],
        "S_DISJOINT": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15],
        "S_WITHIN": [1],
        "S_CONTAINS": [1, 14],
        "S_EQUALS": [1],
        "S_TOUCHES": [14],
        "S_CROSSES": [],
        "S_OVERLAPS": [],
      ]
    ),
    (
      "MULTIPOINT((4 4),(-10e-1 -2))",
      [
        "S_INTERSECTS": [1, 2, 4, 9, 10, 12, 13, 14],
        "S_DISJOINT": [3, 5, 6, 7, 8, 11, 15],
        "S_WITHIN": [1, 2],
        "S_CONTAINS": [14],
        "S_EQUALS": [],
        "S_TOUCHES": [9, 10, 13],
        "S_CROSSES": [4, 12],
        "S_OVERLAPS": [],
      ]
    ),
  ]

  @Test func `relations of points, lines and polygons are those of GEOS`() async throws {
    let server = try TestServer(areas: Self.areas)
    for (geometry, relations) in Self.relations {
      for (relation, expected) in relations {
        let filter = "\(relation)(shape, \(geometry))"
        try FilterTree(filter, "Area").expectReadable()
        try FilterTree("NOT \(relation)(location, \(geometry))", "Place").expectReadable()
        #expect(try await server.ids(["filter": filter], of: "Area") == expected, "\(filter)")
        let others = (1...Self.areas.count).filter { !expected.contains($0) }
        #expect(
          try await server.ids(["filter": "NOT \(filter)"], of: "Area") == others, "NOT \(filter)")
      }
    }
  }

  @Test func `relations of positions are those of their points`() async throws {
    let places = [(-1.0, -2.0), (0, 0), (1, 1), (2, 1), (0, -0.5)].enumerated().map {
      Place(id: $0 + 1, position: $1)
    }
    let server = try TestServer(places + [Place(id: 9)])
    let square = "POLYGON((0 0, 2 0, 2 2, 0 2, 0 0))"
    for (filter, expected) in [
      ("S_EQUALS(location, POINT(-1 -2))", [1]), ("S_INTERSECTS(location, POINT(+0 -5e-1))", [5]),
      ("S_DISJOINT(location, POINT(1 1))", [1, 2, 4, 5]), ("S_CONTAINS(location, POINT(1 1))", [3]),
      ("S_WITHIN(location, LINESTRING(-1 -2, 1 1, 3 1))", [1, 3, 4, 5]),
      ("S_TOUCHES(location, \(square))", [2, 4]), ("S_WITHIN(location, \(square))", [2, 3, 4]),
      ("S_DISJOINT(location, \(square))", [1, 5]), ("S_CROSSES(location, \(square))", []),
      ("S_OVERLAPS(location, MULTIPOINT((1 1), (-1 -2)))", []),
      ("S_INTERSECTS(location, POINT EMPTY)", []),
      ("S_DISJOINT(location, POINT EMPTY)", [1, 2, 3, 4, 5]),
    ] as [(String, [Int])] {
      try FilterTree(filter, "Place").expectReadable()
      #expect(try await server.ids(["filter": filter]) == expected, "\(filter)")
    }
  }

  @Test(arguments: [
    [170, -60, -170, 60], [179, -90, -90, 0], [-170, -60, 170, 60], [-180, -90, 180, 90],
    [180, -90, -180, 90], [180, 0, -170, 20], [0, 0, 0, 0], [-10, 5, 10, 5], [5, -10, 5, 10],
  ])
  func `BBOX has the meaning of the parameter bbox`(sides: [Double]) async throws {
    let seed: UInt64 = 15
    let corners = [(180.0, 10.0), (-180, 10), (5, 5), (0, 0)].enumerated().map {
      Place(id: 1000 + $0, position: $1)
    }
    let server = try TestServer(
      Place.random(250, seed: seed) + corners,
      areas: [
        "LINESTRING(175 0, 180 0)", "POLYGON((-179 -5, -170 -5, -170 5, -179 5, -179 -5))",
        "LINESTRING(-9 5, 9 5)", "POINT(0 0)", "POLYGON((-5 -5, 6 -5, 6 6, -5 6, -5 -5))",
      ])
    let box = sides.map { "\($0)" }.joined(separator: ",")
    for (name, property) in [("Place", "location"), ("Area", "shape")] {
      try FilterTree("S_INTERSECTS(\(property), BBOX(\(box)))", name).expectReadable()
      let expected = try await server.ids(["bbox": box], of: name)
      #expect(
        try await server.ids(["filter": "S_INTERSECTS(\(property), BBOX(\(box)))"], of: name)
          == expected, "\(name), seed \(seed)")
      let heights = [sides[0], sides[1], -9, sides[2], sides[3], 9]
        .map { "\($0)" }.joined(separator: ", ")
      let others = try await server.ids(
        ["filter": "S_DISJOINT(\(property), BBOX(\(heights)))"], of: name)
      let all = try await server.ids(["filter": "\(property) IS NOT NULL"], of: name)
      #expect(others == all.filter { !expected.contains($0) }, "\(name), seed \(seed)")
    }
  }
}
