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
        (west...east).contains(x) && (south...north).contains(y) != isDisjoint
          || isDisjoint && !(west...east).contains(x)
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
      let (west, south) = (number(-170...80), number(-80...20))
      return .box(west, south, west + 90, south + 60, isDisjoint: oneIn(2))
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
    "name LIKE 5", "S_INTERSECTS(location, POINT(1 1))", "S_CROSSES(location, BBOX(1,1,2,2))",
    "S_INTERSECTS(level, BBOX(1,1,2,2))", "S_INTERSECTS(location, BBOX(1,1,2))",
    "S_INTERSECTS(location, POLYGON((0 0, 1 1", "level IN ()", "secret.x = 1", "a;b",
    "level = 1e999",
    "seen > TIMESTAMP('yesterday')", "CASEI(name", "level == 1", "-level = 1",
  ])
  func `an invalid filter is an error that says what was expected`(filter: String) async throws {
    let server = try TestServer([Place(id: 1)])
    let reply = await server.reply("collections/Place/items", ["filter": filter])
    if filter.isEmpty { return #expect(reply.status == 200) }
    #expect(reply.status == 400, "\(filter): \(reply.text)")
    #expect(reply.json?["error"] != nil)
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
    let wide = Array(repeating: "level = 1", count: 3000).joined(separator: " OR ")
    #expect(
      (200..<500).contains(await server.reply("collections/Place/items", ["filter": wide]).status))
  }
}
