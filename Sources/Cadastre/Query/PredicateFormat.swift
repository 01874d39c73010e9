import CadastreModel
import CadastrePredicate
import Foundation

/// A predicate as a format with placeholders and arguments.
///
///     (elevation > %@) && (ANY dogs.name == %@)
struct PredicateFormat {
  private(set) var arguments: [Any] = []
  /// The number of printed subqueries, each with its own variable.
  private var subqueries = 0
  /// The variables of the subqueries round the printed part, the innermost last.
  private var variables: [String] = []

  /// Prints a predicate as a format, and returns the format and its arguments.
  static func make(_ predicate: QueryPredicate) -> (String, [Any]) {
    var format = PredicateFormat()
    let text = format.text(predicate)
    return (text, format.arguments)
  }

  // MARK: Logic

  private mutating func text(_ predicate: QueryPredicate) -> String {
    switch predicate {
    case .constant(let value): return value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .not(let inner): return "NOT \(text(inner))"
    case .and(let parts): return joined(parts, " && ", none: "TRUEPREDICATE")
    case .or(let parts): return joined(parts, " || ", none: "FALSEPREDICATE")
    case .comparison(let comparison): return text(comparison)
    case .geoWithin(let within): return text(within)
    case .relation(let relation): return "(\(QueryPredicate.relation(relation)))"
    }
  }

  private mutating func joined(
    _ parts: [QueryPredicate], _ word: String, none: String
  ) -> String {
    var texts: [String] = []
    for part in parts { texts.append(text(part)) }
    return texts.isEmpty ? none : "(\(texts.joined(separator: word)))"
  }

  private mutating func text(_ comparison: Comparison) -> String {
    let left = text(comparison.left)
    var operation = comparison.operation.rawValue + comparison.options.suffix
    if case .distance(let distance) = comparison.left, distance.edges == .planar {
      operation += "[planar]"
    }
    if comparison.operation == .between, case .list(let bounds) = comparison.right {
      let places = bounds.map { place($0.argument) }.joined(separator: ", ")
      return "(\(left) \(operation) {\(places)})"
    }
    return "(\(left) \(operation) \(text(comparison.right)))"
  }

  private mutating func text(_ within: GeoWithin) -> String {
    let quantifier = within.quantifier == .any ? "" : "\(within.quantifier.rawValue) "
    let edges = within.edges == .planar ? "[planar]" : ""
    return "(\(quantifier)\(path(within.path)) GEOWITHIN\(edges) "
      + "\(place(PredicateArgument.shape(within.shape))))"
  }

  // MARK: Operands

  private mutating func text(_ operand: Operand) -> String {
    switch operand {
    case .property(let path): return self.path(path)
    case .elements(.any, let path) where path.needsNoQuantifier: return self.path(path)
    case .elements(let quantifier, let path): return "\(quantifier.rawValue) \(self.path(path))"
    case .value(let value): return place(value.argument)
    case .list(let values): return place(values.map(\.argument))
    case .constants(let quantifier, let values):
      return "\(quantifier.rawValue) \(place(values.map(\.argument)))"
    case .object(let object): return place(PredicateArgument.object(object))
    case .objects(let objects): return place(PredicateArgument.objects(objects))
    case .content(let content): return place(content)
    case .aggregate(let aggregate):
      let member = aggregate.member.map { "." + $0.predicateText } ?? ""
      return "\(path(aggregate.collection)).\(aggregate.operation.rawValue)\(member)"
    case .subquery(let subquery): return text(subquery)
    case .outer(let outer):
      let all = variables
      variables.removeLast(min(outer.level, variables.count))
      defer { variables = all }
      return text(outer.operand)
    case .arithmetic(let arithmetic):
      let left = text(arithmetic.left)
      return "(\(left) \(arithmetic.operation.rawValue) \(text(arithmetic.right)))"
    case .distance, .now: return "\(operand)"
    }
  }

  private mutating func text(_ subquery: Subquery) -> String {
    let collection = path(subquery.collection)
    subqueries += 1
    let inner = "$col\(subqueries)"
    variables.append(inner)
    let predicate = text(subquery.predicate)
    variables.removeLast()
    return "SUBQUERY(\(collection), \(inner), \(predicate)).@count"
  }

  /// Appends an argument, and returns its placeholder.
  private mutating func place(_ argument: Any) -> String {
    arguments.append(argument)
    return "%@"
  }

  /// Prints a path, with placeholders for keys and indexes.
  private mutating func path(_ path: PropertyPath) -> String {
    var text = variables.last ?? ""
    for step in path.steps {
      let dot = text.isEmpty ? "" : "."
      switch step {
      case .property(let name): text += dot + PropertyPath([name]).predicateText
      case .key(let key): text += "[\(place(key))]"
      case .index(let index): text += "[\(place(index))]"
      case .every:
        arguments.append("#any")
        text += "[%K]"
      case .keys: text += "\(dot)@allKeys"
      case .values: text += "\(dot)@allValues"
      case .part(let name): text = "\(name)(\(text))"
      case .first, .last, .links, .allLinks, .count, .length, .type:
        let written = PropertyPath(steps: [step]).predicateText
        text += written.hasPrefix("[") ? written : dot + written
      }
    }
    return text
  }
}

extension PropertyPath {
  /// Whether the path ends in a subscript or a count, which have no quantifier.
  fileprivate var needsNoQuantifier: Bool {
    switch steps.last {
    case .key, .index, .first, .last, .every, .count: true
    default: false
    }
  }
}

extension Value {
  /// The constant as an argument of a format; `NSNull` for null.
  fileprivate var argument: Any {
    switch self {
    case .int(let number): Int(number)
    case .list, .map: PredicateArgument.value(self)
    default: dynamicValue ?? NSNull()
    }
  }
}

/// Access to the predicate of a condition, for tests.
extension Query {
  /// Returns the argument of a condition's closure.
  public static func _constructForTesting() -> Query { Query() }

  /// Returns the condition as a text with `%@` for each constant, and the constants.
  ///
  /// ``RealmCollection/filter(_:_:)`` accepts the text and the arguments. `%K` with the argument
  /// `#any` means any element of a value of any type.
  public func _constructPredicate() -> (String, [Any]) {
    guard let query = self as? Query<Bool> else {
      ProgrammingError.stop(
        "Only a whole condition is a predicate: compare the property with something.")
    }
    return PredicateFormat.make(query.predicate)
  }
}
