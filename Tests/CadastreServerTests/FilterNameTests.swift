import CadastreDatasets
import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreServer

/// A property with a name that means something in CQL2, in predicates or in texts, and its values.
private struct OddField {
  /// A value in the store, in CQL2 and in a parameter; equal values have the same number.
  struct Item {
    let value: Value
    let literal: String
    let parameter: String
    let number: Int
  }

  let name: String
  let type: PropertyType
  var items: [Item] = []

  init(_ name: String, _ type: PropertyType) {
    (self.name, self.type) = (name, type)
  }

  init(_ name: String, texts: [String]) {
    self.init(name, .string)
    for text in texts { add(.string(text), text) }
  }

  init(_ name: String, integers: [Int64]) {
    self.init(name, .int)
    for number in integers { add(.int(number), "\(number)", literal: "\(number)") }
  }

  init(_ name: String, doubles: [Double]) {
    self.init(name, .double)
    for number in doubles {
      let equal = items.first { $0.value.doubleValue == number }
      add(.double(number), "\(number)", literal: "\(number)", equalTo: equal?.number)
    }
  }

  init(_ name: String, dates: [Int64]) {
    self.init(name, .date)
    for seconds in dates {
      let date = Timestamp(seconds: seconds)
      add(.date(date), "\(date)", literal: "TIMESTAMP('\(date)')")
    }
  }

  init(_ name: String, isOptional _: Bool) {
    self.init(name, .bool)
    for value in [true, false] {
      add(.bool(value), "\(value)", literal: "\(value)".uppercased())
    }
  }

  mutating func add(
    _ value: Value, _ parameter: String, literal: String? = nil, equalTo number: Int? = nil
  ) {
    items.append(
      Item(
        value: value, literal: literal ?? "'" + parameter.replacing("'", with: "''") + "'",
        parameter: parameter, number: number ?? items.count))
  }

  /// The name in CQL2.
  var quoted: String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

  static let all: [OddField] = {
    let texts = [
      "O'Neil", "\"q\"", "\u{10FFFF}", "a\nb\t\0", "\\", "100%", "", "x OR 1 == 1", "$0",
    ]
    var fields = [
      OddField("any", texts: texts), OddField("IN", integers: [.min, -3, 0, 7, .max]),
      OddField("null", doubles: [-0.0, 0, 1e308, .leastNonzeroMagnitude, -1.5, 0.1]),
      OddField("größe", texts: texts), OddField("a b", integers: [1, 2]),
      OddField("it's", doubles: [2.5, 1e-7]),
      OddField("\u{10FFFF}", dates: [-1, 0, 1_577_836_800]),
      OddField("T1", isOptional: true), OddField("not", texts: texts),
      OddField("avg(x)", integers: [5, 6]), OddField("CASEI", texts: ["A", "a"]),
      OddField("a\"b\\", integers: [3, 4]), OddField("S_WITHIN", dates: [5]),
      OddField("$0", integers: [8, 9]), OddField("1", integers: [1]),
      OddField("e\u{301}", texts: texts),
    ]
    var identifiers = OddField("TRUEPREDICATE", .UUID)
    for text in ["E1E2E3E4-0000-0000-0000-00000000000F", "00000000-0000-0000-0000-000000000000"] {
      if let id = UUID(uuidString: text) { identifiers.add(.uuid(id), text) }
    }
    var numbers = OddField("decimal", .decimal128)
    for text in ["1.5", "-3", "1E+300"] {
      if let number = Decimal128(parsing: text) { numbers.add(.decimal(number), text) }
    }
    fields += [identifiers, numbers]
    return fields
  }()

  static let schema = Schema([
    ObjectSchema(
      className: "Odd",
      properties: [Property(name: "id", type: .int, isPrimaryKey: true)]
        + all.map { Property(name: $0.name, type: $0.type, isOptional: true) })
  ])
}

/// A condition on odd fields, which the tests evaluate in the three-valued logic of SQL.
private indirect enum OddCondition {
  case equal(OddField, OddField.Item, isNegated: Bool)
  case among(OddField, [OddField.Item], isNegated: Bool)
  case null(OddField, isNegated: Bool)
  case not(OddCondition)
  case both(OddCondition, OddCondition)
  case either(OddCondition, OddCondition)

  var cql2: String {
    switch self {
    case .equal(let field, let item, let isNegated):
      "\(field.quoted) \(isNegated ? "<>" : "=") \(item.literal)"
    case .among(let field, let items, let isNegated):
      "\(field.quoted) \(isNegated ? "NOT " : "")IN (\(items.map(\.literal).joined(separator: ", ")))"
    case .null(let field, let isNegated): "\(field.quoted) IS \(isNegated ? "NOT " : "")NULL"
    case .not(let inner): "NOT (\(inner.cql2))"
    case .both(let one, let other): "(\(one.cql2) AND \(other.cql2))"
    case .either(let one, let other): "(\(one.cql2) OR \(other.cql2))"
    }
  }

  /// True, false, or nil for unknown, for the numbers of the values of an object.
  func value(_ object: [String: Int]) -> Bool? {
    switch self {
    case .equal(let field, let item, let isNegated):
      return object[field.name].map { ($0 == item.number) != isNegated }
    case .among(let field, let items, let isNegated):
      return object[field.name].map { number in
        items.contains { $0.number == number } != isNegated
      }
    case .null(let field, let isNegated): return (object[field.name] == nil) != isNegated
    case .not(let inner): return inner.value(object).map { !$0 }
    case .both(let one, let other):
      let values = [one.value(object), other.value(object)]
      return values.contains(false) ? false : values.contains(nil) ? nil : true
    case .either(let one, let other):
      let values = [one.value(object), other.value(object)]
      return values.contains(true) ? true : values.contains(nil) ? nil : false
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func oddCondition(depth: Int) -> OddCondition {
    if depth > 0, !oneIn(4) {
      let inner = oddCondition(depth: depth - 1)
      return switch below(3) {
      case 0: .not(inner)
      case 1: .both(inner, oddCondition(depth: depth - 1))
      default: .either(inner, oddCondition(depth: depth - 1))
      }
    }
    let field = pick(OddField.all)
    return switch below(3) {
    case 0: .equal(field, pick(field.items), isNegated: oneIn(2))
    case 1: .among(field, [pick(field.items), pick(field.items)], isNegated: oneIn(2))
    default: .null(field, isNegated: oneIn(2))
    }
  }
}

/// Property: filters and parameters work for every name and value, their trees print as text that parses back, and
/// select what the reference evaluator selects.
@Suite struct FilterNameTests {
  /// Objects, and the numbers of their values by name.
  private struct Odds {
    var objects = PlainObjects(schema: OddField.schema)
    var numbers: [[String: Int]] = []

    init(_ count: Int, _ random: inout SeededGenerator) {
      for id in 1...count {
        var object: PlainObject = ["id": .value(.int(Int64(id)))]
        var chosen: [String: Int] = [:]
        for field in OddField.all where !random.oneIn(4) {
          let item = random.pick(field.items)
          object[field.name] = .value(item.value)
          chosen[field.name] = item.number
        }
        objects.insert("Odd", object)
        numbers.append(chosen)
      }
    }

    func server() throws -> TestServer {
      try TestServer(OddField.schema) { transaction in
        for key in objects.keys("Odd") {
          try transaction.insert("Odd", object: objects.object("Odd", key) ?? [:])
        }
      }
    }

    /// The ids of the objects for which a condition holds.
    func ids(_ condition: ([String: Int]) -> Bool) -> [Int] {
      numbers.indices.filter { condition(numbers[$0]) }.map { $0 + 1 }
    }

    /// Expects a tree to print as text that parses back, and to select some objects.
    func expect(_ predicate: QueryPredicate, _ ids: [Int], _ context: String) throws {
      let root = try #require(OddField.schema["Odd"])
      let parsed = try QueryPredicate(parsing: "\(predicate)")
      #expect(parsed == predicate, "\(context): \(predicate)")
      let bound = try parsed.bound(to: OddField.schema, root: root).named
      #expect(
        try ScanOracle(objects).matching("Odd", bound) == ids.map(Int64.init),
        "\(context): \(predicate)")
      #expect(try QueryPredicate(parsing: "\(bound)") == bound, "\(context): \(bound)")
    }
  }

  @Test(arguments: Seeds.usual(31...33))
  func `filters on every name`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let odds = Odds(40, &random)
    let server = try odds.server()
    for _ in 0..<80 {
      let condition = random.oddCondition(depth: random.below(4))
      let expected = odds.ids { condition.value($0) == true }
      let context = "seed \(seed): \(condition.cql2)"
      #expect(try await server.ids(["filter": condition.cql2], of: "Odd") == expected, "\(context)")
      let tree = try FilterTree(condition.cql2, "Odd", in: OddField.schema)
      try odds.expect(tree.predicate, expected, context)
    }
  }

  @Test(arguments: Seeds.usual(41...42))
  func `parameters of every name`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let odds = Odds(40, &random)
    let server = try odds.server()
    let root = try #require(OddField.schema["Odd"])
    for field in OddField.all {
      for item in field.items where !item.parameter.isEmpty {
        let other = random.pick(OddField.all)
        let also = random.pick(other.items)
        var values = [field.name: item.parameter]
        // A second condition, unless it is on the same field or has no text.
        let isPair = other.name != field.name && !also.parameter.isEmpty
        if isPair { values[other.name] = also.parameter }
        let expected = odds.ids {
          $0[field.name] == item.number && (!isPair || $0[other.name] == also.number)
        }
        let context = "seed \(seed): \(values)"
        #expect(try await server.ids(values, of: "Odd") == expected, "\(context)")
        let request = ServerRequest(
          method: "GET", path: [], parameters: values.map { (name: $0.key, value: $0.value) })
        let selection = try server.service.selection(
          root, Parameters(request, allowing: Array(values.keys)), OddField.schema)
        #expect(selection.conditions.count == values.count)
        try odds.expect(.all(selection.conditions), expected, context)
      }
    }
  }

  @Test func `a parameter that is not a number equals no number`() async throws {
    var random = SeededGenerator(seed: 7)
    let odds = Odds(10, &random)
    let server = try odds.server()
    for text in ["nan", "-nan", "nan(0x5)"] {
      #expect(try await server.ids(["null": text], of: "Odd").isEmpty, "\(text)")
    }
  }

  @Test(arguments: ["-10,-20,30,40", "170,-60,-170,60", "-180,-90,180,90", "0,0,0,0"])
  func `a box and a date print as text that parses back`(box: String) throws {
    let server = try TestServer([Place(id: 1, position: (1, 1))], areas: ["POINT(1 1)"])
    let values = ["bbox": box, "datetime": "2020-01-01/..", "filter": "id > 0"]
    for className in ["Place", "Area"] {
      let request = ServerRequest(
        method: "GET", path: [], parameters: values.map { (name: $0.key, value: $0.value) })
      let view = try server.service.view(request)
      let selection = try server.service.selection(
        view.queriedClass(className), Parameters(request, allowing: Array(values.keys)),
        view.schema)
      let bound = try view.query(selection).bound.predicate.named
      #expect(try QueryPredicate(parsing: "\(bound)") == bound, "\(bound)")
    }
  }
}
