import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing

@testable import CadastreDatasets

/// A condition on the columns of a group, and what it means.
private indirect enum GroupText {
  case compare(GroupField, String, Int)
  case null(GroupField, isNegated: Bool)
  case not(GroupText)
  case both(GroupText, GroupText)
  case either(GroupText, GroupText)

  /// The text, in one of the spellings of each column.
  func text(_ random: inout SeededGenerator) -> String {
    switch self {
    case .compare(let field, let sign, let index):
      "\(random.pick(field.spellings)) \(sign) \(field.literals[index])"
    case .null(let field, let isNegated):
      "\(random.pick(field.spellings)) \(isNegated ? "!=" : "==") null"
    case .not(let inner): "NOT (\(inner.text(&random)))"
    case .both(let one, let other): "(\(one.text(&random)) AND \(other.text(&random)))"
    case .either(let one, let other): "(\(one.text(&random)) OR \(other.text(&random)))"
    }
  }

  /// Whether a group matches, for the indexes of its values; nil is null.
  func holds(_ group: [String: Int?]) -> Bool {
    switch self {
    case .compare(let field, let sign, let index):
      // Null has no order, except among strings, where it sorts first.
      guard let found = group[field.name] ?? nil else {
        return sign == "!=" || sign == "<" && field.type == .string
      }
      return switch sign {
      case "==": found == index
      case "!=": found != index
      case "<": found < index
      default: found >= index
      }
    case .null(let field, let isNegated): return ((group[field.name] ?? nil) == nil) != isNegated
    case .not(let inner): return !inner.holds(group)
    case .both(let one, let other): return one.holds(group) && other.holds(group)
    case .either(let one, let other): return one.holds(group) || other.holds(group)
    }
  }
}

/// A column of groups, with ascending values.
private struct GroupField {
  let name: String
  let type: PropertyType
  /// Texts by which users name the column.
  let spellings: [String]
  let values: [Value]
  let literals: [String]

  init(_ name: String, _ type: PropertyType, _ spellings: [String]) {
    self.name = name
    self.type = type
    self.spellings = spellings
    switch type {
    case .int:
      let numbers: [Int64] = [.min, -1, 0, 3, .max]
      (values, literals) = (numbers.map(Value.int), numbers.map { "\($0)" })
    case .double:
      let numbers = [-1e308, -0.5, 0, 0.1, 1e308]
      (values, literals) = (numbers.map(Value.double), numbers.map { "\($0)" })
    default:
      let texts = ["", "A", "avg(x) == 1", "it's", "\u{10FFFF}"]
      values = texts.map(Value.string)
      literals = texts.map { "'" + $0.replacing("'", with: "\\'") + "'" }
    }
  }

  static let all = [
    GroupField("any", .string, ["any", "#any"]), GroupField("IN", .int, ["IN", "#IN"]),
    GroupField("no", .int, ["no", "#no"]), GroupField("inf", .double, ["inf", "#inf"]),
    GroupField("harbor.name", .string, ["harbor.name"]),
    GroupField("day(seen)", .string, ["day(seen)", "DAY( seen )"]),
    GroupField("tile(spot, 6)", .string, ["tile(spot, 6)", "tile(spot,6)"]),
    GroupField("count", .int, ["count", "\\count"]),
    GroupField("avg(x - 1)", .double, ["avg(x - 1)", "AVG ( x  - 1 )"]),
    GroupField("max((a+b)*2)", .double, ["max((a+b)*2)", "max( (a+b)*2)"]),
    GroupField("count(distinct a b)", .int, ["count(distinct a b)", "COUNT( DISTINCT a b )"]),
    GroupField("sum(größe)", .double, ["sum(größe)", "sum\\(größe\\)"]),
  ]

  static let columns = all.map { OutputColumn($0.name, type: $0.type) }
}

extension SeededGenerator {
  fileprivate mutating func groupText(depth: Int) -> GroupText {
    if depth > 0, !oneIn(4) {
      let inner = groupText(depth: depth - 1)
      return switch below(3) {
      case 0: .not(inner)
      case 1: .both(inner, groupText(depth: depth - 1))
      default: .either(inner, groupText(depth: depth - 1))
      }
    }
    let field = pick(GroupField.all)
    if oneIn(4) { return .null(field, isNegated: oneIn(2)) }
    return .compare(field, pick(["==", "!=", "<", ">="]), below(field.values.count))
  }
}

/// Property: conditions on groups work for every name, and print as text that parses back.
@Suite struct GroupConditionTests {
  @Test(arguments: Seeds.usual(61...63))
  func `random conditions agree with their meaning`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let groups = (0..<30).map { _ in
      Dictionary(
        uniqueKeysWithValues: GroupField.all.map { field -> (String, Int?) in
          (field.name, random.oneIn(4) ? nil : random.below(field.values.count))
        })
    }
    for _ in 0..<100 {
      let condition = random.groupText(depth: random.below(4))
      let text = condition.text(&random)
      let parsed = try GroupCondition(text, GroupField.columns)
      #expect(
        try QueryPredicate(parsing: "\(parsed.predicate)") == parsed.predicate,
        "seed \(seed): \(parsed.predicate)")
      for group in groups {
        let row = GroupField.all.map { field in
          (group[field.name] ?? nil).map { field.values[$0] } ?? .null
        }
        #expect(
          try parsed.matches(row) == condition.holds(group), "seed \(seed): \(text), \(row)")
      }
    }
  }

  @Test(arguments: [
    ("count > 1 AND sum(y) > 1", 14, 6, "'sum(y)' is not computed; expected one of"),
    ("coun > 1", 0, 4, "did you mean 'count'?"), ("count > 'x'", 0, 5, "--having"),
    ("count >", 7, 1, "expected a property or a value"), ("any == 'x", 7, 1, "closing"),
    ("week(seen) == ''", 0, 4, "unknown function 'week'"),
  ])
  func `an error has its location in the text`(
    text: String, offset: Int, count: Int, message: String
  ) throws {
    let error = #expect(throws: QueryPredicateError.self) {
      try GroupCondition(text, GroupField.columns)
    }
    #expect(error?.message.hasPrefix("--having: ") == true)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    #expect(error?.span == TextSpan(offset: offset, count: count), "\(text)")
    #expect(error?.text == text)
  }
}
