import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreTestSupport

/// A generated query.
struct Case {
  let text: String
  var order: [SortKey] = []
  var offset = 0
  var limit: Int?
  /// The name of the column that the query yields, `count`, or nil for keys.
  var output: String?

  /// The query as text.
  var description: String {
    var text = text
    if !order.isEmpty { text += " ORDER " + order.map(Self.text).joined(separator: ", ") }
    if let limit { text += " LIMIT \(limit)" }
    if offset > 0 { text += " OFFSET \(offset)" }
    return text + (output.map { " YIELD \($0)" } ?? "")
  }

  private static func text(_ key: SortKey) -> String {
    if case .distance = key.criterion { return "distance of \(key.path)" }
    return "\(key.path)\(key.isAscending ? "" : " descending")"
  }

  /// The query, bound to the schema.
  func bound() throws -> BoundQuery {
    var query = try ObjectQuery(
      Items.className, where: QueryPredicate(parsing: text), order: order, offset: offset,
      limit: limit
    ).boundWithAnyOrder(to: Items.schema)
    switch output {
    case nil: break
    case "count": query.output = .count
    case let name?:
      guard let root = Items.schema[Items.className] else { break }
      query.output = .columns([try Items.schema.resolve(PropertyPath([name]), from: root)])
    }
    return query
  }
}

/// A generator of queries for the objects of ``Items``.
struct CaseGenerator {
  private var random: SeededGenerator
  /// The number of objects.
  private let count: Int

  init(seed: UInt64, count: Int) {
    random = SeededGenerator(seed: seed)
    self.count = count
  }

  /// Returns a number of queries, as many of each kind.
  mutating func cases(_ number: Int) -> [Case] { (0..<number).map { one($0) } }

  private mutating func one(_ number: Int) -> Case {
    switch number % 12 {
    case 0: yielding(equality())
    case 1, 2: yielding(range())
    case 3: yielding(list())
    case 4: yielding(strings())
    case 5: yielding(region())
    case 6: yielding("\(range()) AND \(range())")
    case 7: yielding("\(condition()) AND \(open())")
    case 8: yielding("\(condition()) OR \(condition())")
    case 9: page()
    case 10: random.oneIn(2) ? sorted() : nearest()
    default: yielding(compound())
    }
  }

  private mutating func yielding(_ text: String) -> Case {
    Case(
      text: text, limit: random.oneIn(6) ? random.pick([1, 10, 100]) : nil,
      output: random.pick([nil, nil, "count", "id", "number", "weight", "note"]))
  }

  // MARK: Conditions

  private mutating func condition() -> String {
    switch random.below(6) {
    case 0: equality()
    case 1: list()
    case 2: strings()
    case 3: region()
    default: range()
    }
  }

  private mutating func equality() -> String {
    switch random.below(6) {
    case 0: "id == \(random.below(count))"
    case 1: "number == \(random.below(count))"
    case 2: "level == \(random.below(12))"
    case 3: "name == '\(Items.name(random.below(count / 4)))'"
    case 4: "country == '\(Items.country(random.below(50)))'"
    default: open()
    }
  }

  /// A condition that no index serves.
  private mutating func open() -> String {
    switch random.below(4) {
    case 0: between("plain", span(of: count, share()))
    case 1: "code == 'code \(random.below(100))'"
    case 2: "note CONTAINS '\(random.below(100))'"
    default: "rank < \(Int(share() * 10_000))"
    }
  }

  private mutating func range() -> String {
    let share = share()
    switch random.below(5) {
    case 0: return between("number", span(of: count, share))
    case 1: return "number >= \(count - Int(share * Double(count)))"
    case 2:
      let start = random.number(0...1000 * (1 - share))
      return "weight >= \(start) AND weight <= \(start + 1000 * share)"
    case 3:
      let span = span(of: count, share)
      return "at >= T\(span.lowerBound * 60):0 AND at <= T\(span.upperBound * 60):0"
    default: return between("id", span(of: count, share))
    }
  }

  private mutating func list() -> String {
    let length = random.pick([2, 5, 20, 100, 400, 2000])
    let numbers = (0..<length).map { _ in random.below(count) }
    switch random.below(4) {
    case 0: return "id IN {\(numbers.map(String.init).joined(separator: ", "))}"
    case 1:
      let names = numbers.map { "'\(Items.name($0 / 4))'" }
      return "name IN {\(names.joined(separator: ", "))}"
    case 2:
      let levels = Set(numbers.map { $0 % 12 }).sorted().prefix(4)
      return "level IN {\(levels.map(String.init).joined(separator: ", "))}"
    default: return "number IN {\(numbers.map(String.init).joined(separator: ", "))}"
    }
  }

  private mutating func strings() -> String {
    let name = Items.name(random.below(count / 4))
    return switch random.below(5) {
    case 0: "name CONTAINS '\(name.prefix(random.pick([2, 3])))'"
    case 1: "name >= '\(name.prefix(2))'"
    default: "name BEGINSWITH '\(name.prefix(random.pick([1, 2, 3, 4])))'"
    }
  }

  private mutating func region() -> String {
    let share = share().squareRoot()
    let (width, height) = (360 * share, 170 * share)
    let west = random.number(-180...180 - width)
    let south = random.number(-85...85 - height)
    let edges = random.oneIn(2) ? "[planar]" : ""
    let test = "place GEOWITHIN\(edges)"
    switch random.below(5) {
    case 0, 1:
      return "\(test) geoBox([\(west), \(south)], [\(west + width), \(south + height)])"
    case 2:
      return "NOT (\(test) geoBox([\(west), \(south)], [\(west + width), \(south + height)]))"
    default:
      return
        "place GEOWITHIN geoCircle([\(west), \(south)], \(max(1, share * 10_000))km)"
    }
  }

  private mutating func compound() -> String {
    let country = "country == '\(Items.country(random.below(50)))'"
    let span = span(of: 10_000, share())
    return switch random.below(4) {
    case 0: country
    case 1: "\(country) AND \(between("rank", span)) AND \(range())"
    case 2:
      "country IN {'\(Items.country(random.below(50)))', '\(Items.country(random.below(50)))'} "
        + "AND \(between("rank", span))"
    default: "\(country) AND \(between("rank", span))"
    }
  }

  // MARK: Orders

  private mutating func page() -> Case {
    let names = ["number", "weight", "at", "name", "id", "plain", "rank"]
    var order = [SortKey(PropertyPath([random.pick(names)]), isAscending: !random.oneIn(3))]
    var text = random.pick(["TRUEPREDICATE", range(), condition(), open()])
    if random.oneIn(4) {
      text = "country == '\(Items.country(random.below(50)))'"
      order = [SortKey(PropertyPath(["rank"]), isAscending: !random.oneIn(3))]
    }
    return Case(
      text: text, order: order, offset: random.oneIn(4) ? 100 : 0,
      limit: random.pick([1, 20, 100, 1000, 5000]), output: random.pick([nil, "id", "note"]))
  }

  private mutating func sorted() -> Case {
    let names = ["number", "weight", "name", "plain", "rank"]
    return Case(
      text: condition(), order: [SortKey(PropertyPath([random.pick(names)]))],
      output: random.pick([nil, "id", "note"]))
  }

  private mutating func nearest() -> Case {
    let origin = GeoPoint(
      latitude: random.number(-60...60), longitude: random.number(-170...170))
    guard let origin else { preconditionFailure("the coordinates are invalid") }
    return Case(
      text: random.pick(["TRUEPREDICATE", range(), open()]),
      order: [SortKey(PropertyPath(["place"]), by: .distance(from: origin))],
      limit: random.pick([1, 20, 100, 1000]))
  }

  // MARK: Constants

  /// A selectivity, from 0.001 % to 100 %.
  private mutating func share() -> Double {
    random.pick([0.00001, 0.0001, 0.001, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1])
  }

  /// A range with a share of some numbers; at least one.
  private mutating func span(of count: Int, _ share: Double) -> ClosedRange<Int> {
    let length = max(1, Int(share * Double(count)))
    let start = random.below(count - length + 1)
    return start...start + length - 1
  }

  private func between(_ name: String, _ range: ClosedRange<Int>) -> String {
    "\(name) BETWEEN {\(range.lowerBound), \(range.upperBound)}"
  }
}
