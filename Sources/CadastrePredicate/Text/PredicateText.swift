import CadastreGeometry
import CadastreModel
import Foundation

extension PredicateTree: CustomStringConvertible {
  /// Text that parses back to the same tree; of a bound predicate, that binds to an equal one.
  public var description: String {
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    get { PredicateText().text(self) }
  }

  /// The text with long regions shortened, for people to read.
  package var summary: String {
    @_specialize(where Phase == NamedPhase)
    @_specialize(where Phase == Resolved)
    get { PredicateText(abbreviates: true).text(self) }
  }
}

extension PredicateTree.Comparison: CustomStringConvertible {
  /// Text that parses back to the same comparison.
  public var description: String { PredicateText().text(self) }
}

extension PredicateTree.GeoWithin: CustomStringConvertible {
  /// Text that parses back to an equal condition.
  public var description: String { PredicateText().text(self) }
}

extension PredicateTree.Operand: CustomStringConvertible {
  /// Text that parses back to the same operand.
  public var description: String { PredicateText().text(self) }
}

extension ObjectReference: CustomStringConvertible {
  /// Text that parses back to the same reference.
  public var description: String {
    let name = PredicateText.quoted(className)
    return switch identity {
    case .primaryKey(let value): "obj(\(name), \(PredicateText.literal(value)))"
    case .key(let key): "objKey(\(name), \(key))"
    case .embedded(let owner, let path, let number):
      (["objKey(\(name), \(number), \(PredicateText.quoted(owner.className)), \(owner.key)"]
        + path.names.map(PredicateText.quoted)).joined(separator: ", ") + ")"
    case .unmanaged: "objKey(\(name), null)"
    }
  }
}

extension PropertyPath {
  /// The path as predicate text, escapes included.
  package var predicateText: String { PredicateText.path(self) }
}

/// How predicates, names and constants are written, inside some subqueries.
struct PredicateText {
  /// The number of enclosing subqueries.
  private var level = 0
  /// Whether long regions are shortened.
  private let abbreviates: Bool

  init(abbreviates: Bool = false) { self.abbreviates = abbreviates }

  // MARK: Trees

  /// A part that is not yet written.
  private enum Piece<Phase: PredicatePhase> {
    case text(String)
    case predicate(PredicateTree<Phase>)
    /// A part of another predicate, in brackets if it has parts of its own.
    case part(PredicateTree<Phase>)
  }

  /// The text of a predicate of any depth; parts wait on a stack of their own.
  func text<Phase>(_ predicate: PredicateTree<Phase>) -> String {
    var text = ""
    var waiting = [Piece<Phase>.predicate(predicate)]
    while let piece = waiting.popLast() {
      switch piece {
      case .text(let written): text += written
      case .part(let part):
        switch part {
        case .and, .or: waiting += [.text(")"), .predicate(part), .text("(")]
        case .constant, .not, .comparison, .geoWithin, .relation: waiting.append(.predicate(part))
        }
      case .predicate(.constant(let value)): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
      case .predicate(.not(let inner)): waiting += [.part(inner), .text("NOT ")]
      case .predicate(.and(let parts)): waiting += Self.joined(parts, "AND", "TRUEPREDICATE")
      case .predicate(.or(let parts)): waiting += Self.joined(parts, "OR", "FALSEPREDICATE")
      case .predicate(.comparison(let comparison)): text += self.text(comparison)
      case .predicate(.geoWithin(let within)): text += self.text(within)
      case .predicate(.relation(let relation)): text += self.text(relation)
      }
    }
    return text
  }

  /// The parts and the words between them, the last first.
  private static func joined<Phase>(
    _ parts: [PredicateTree<Phase>], _ word: String, _ empty: String
  ) -> [Piece<Phase>] {
    if parts.isEmpty { return [.text(empty)] }
    return parts.reversed().enumerated().flatMap { place, part in
      place == 0 ? [.part(part)] : [.text(" \(word) "), .part(part)]
    }
  }

  func text<Phase>(_ comparison: PredicateTree<Phase>.Comparison) -> String {
    var operation = "\(comparison.operation.rawValue)\(comparison.options.suffix)"
    if case .distance(let distance) = comparison.left { operation += option(distance.edges) }
    return "\(text(comparison.left)) \(operation) \(text(comparison.right))"
  }

  func text<Phase>(_ within: PredicateTree<Phase>.GeoWithin) -> String {
    let shape = Phase.written(within.shape)
    let region = abbreviates ? shape.summary : shape.description
    return "\(prefix(within.quantifier))\(path(Phase.written(within.path))) "
      + "GEOWITHIN\(option(within.edges)) \(region)"
  }

  func text<Phase>(_ relation: PredicateTree<Phase>.GeometryRelation) -> String {
    let edges = option(relation.edges)
    if case .distance(let operation, let limit) = relation.kind {
      let distance = PredicateTree<Phase>.MeasuredDistance(
        relation.left, relation.right, quantifier: relation.quantifier)
      return "\(text(distance)) \(operation.rawValue)\(edges) \(limit.radians)"
    }
    return "\(prefix(relation.quantifier))\(text(Phase.side(relation.left))) "
      + "\(relation.kind.word?.rawValue ?? "")\(edges) \(text(relation.right))"
  }

  private func text<Phase>(_ distance: PredicateTree<Phase>.MeasuredDistance) -> String {
    "GEODISTANCE(\(prefix(distance.quantifier))\(text(Phase.side(distance.left))), "
      + "\(text(distance.right)))"
  }

  /// The edge model after an operator.
  private func option(_ edges: EdgeModel) -> String { edges == .planar ? "[planar]" : "" }

  /// The quantifier before the left side of a relation.
  private func prefix(_ quantifier: Quantifier) -> String {
    quantifier == .any ? "" : "\(quantifier.rawValue) "
  }

  private func text<Phase>(_ side: PredicateTree<Phase>.GeometryRelation.Side) -> String {
    switch side {
    case .path(let path): self.path(Phase.written(path))
    case .region(let region):
      abbreviates ? Phase.written(region).summary : Phase.written(region).description
    case .geometry(let geometry):
      Self.literal(.geometry(Phase.written(geometry)), abbreviates: abbreviates)
    case .objects(let objects): text(objects)
    }
  }

  private func text<Phase>(_ objects: PredicateTree<Phase>.ObjectGeometries) -> String {
    let steps = Phase.written(objects.path).steps
    let path = PropertyPath(steps: [.property(objects.className)] + steps)
    let geometries = "ANY \(Self.path(path))"
    if objects.predicate.isConstant(true) { return geometries }
    let condition =
      abbreviates ? objects.predicate.summary : objects.predicate.description
    return "\(geometries) WHERE (\(condition))"
  }

  func text<Phase>(_ operand: PredicateTree<Phase>.Operand) -> String {
    switch operand {
    case .property(let path): self.path(Phase.written(path))
    case .value(let value): Self.literal(value)
    case .list(let values): Self.list(values)
    case .object(let reference): reference.description
    case .objects(let objects): "{\(Self.joined(objects, \.description))}"
    case .content(let content): Self.text(Phase.written(content))
    case .pattern(let pattern): Self.quoted(Phase.written(pattern))
    case .elements(.any, let path) where !Phase.isQuantified(path): self.path(Phase.written(path))
    case .elements(let quantifier, let path):
      "\(quantifier.rawValue) \(self.path(Phase.written(path)))"
    case .constants(let quantifier, let values): "\(quantifier.rawValue) \(Self.list(values))"
    case .aggregate(let aggregate): text(aggregate)
    case .subquery(let subquery): text(subquery)
    case .outer(let outer): text(outer)
    case .arithmetic(let arithmetic):
      "\(factor(arithmetic.left)) \(arithmetic.operation.rawValue) \(factor(arithmetic.right))"
    case .distance(let distance): text(distance)
    case .now: "now()"
    }
  }

  private func factor<Phase>(_ operand: PredicateTree<Phase>.Operand) -> String {
    if case .arithmetic = operand { "(\(text(operand)))" } else { text(operand) }
  }

  private func text<Phase>(_ aggregate: PredicateTree<Phase>.Aggregate) -> String {
    let member = aggregate.member.map { "." + Self.path(Phase.written($0)) } ?? ""
    return "\(path(Phase.written(aggregate.collection))).\(aggregate.operation.rawValue)\(member)"
  }

  private func text<Phase>(_ subquery: PredicateTree<Phase>.Subquery) -> String {
    var inner = self
    inner.level += 1
    let predicate = inner.text(subquery.predicate)
    let collection = path(Phase.written(subquery.collection))
    return "SUBQUERY(\(collection), \(inner.variable), \(predicate)).@count"
  }

  private func text<Phase>(_ outer: PredicateTree<Phase>.Outer) -> String {
    var around = self
    around.level = level - min(level, max(0, outer.level))
    return around.text(outer.operand)
  }

  /// A constant of any kind.
  private static func text(_ argument: PredicateArgument) -> String {
    switch argument {
    case .value(let value): return literal(value)
    case .list(let values): return list(values)
    case .shape(let shape): return "\(shape)"
    case .object(let object): return "\(object)"
    case .objects(let objects): return "{\(joined(objects, \.description))}"
    case .members(let members): return members.isEmpty ? "{:}" : "{\(named(members))}"
    case .entries(let entries): return "map(\(named(entries)))"
    case .elements(let elements):
      let texts = joined(elements, text)
      // Without `list`, a list of values only or of objects only would be read as a list of alternatives.
      return PredicateArgument(elements: elements) == argument ? "{\(texts)}" : "list(\(texts))"
    }
  }

  private static func named(_ members: [EmbeddedMember]) -> String {
    joined(members) { "\(quoted($0.name)): \(text($0.content))" }
  }

  private static func joined<Part>(_ parts: [Part], _ text: (Part) -> String) -> String {
    parts.map(text).joined(separator: ", ")
  }

  private static func list(_ values: [Value]) -> String {
    "{\(joined(values, literal))}"
  }

  /// The variable of the innermost subquery.
  private var variable: String { level == 1 ? "$x" : "$x\(level)" }

  // MARK: Names

  private func path(_ path: PropertyPath) -> String {
    Self.path(path, of: level == 0 ? "" : "\(variable).")
  }

  /// The steps of a path; characters and words that would be read otherwise are escaped.
  static func path(_ path: PropertyPath, of object: String = "") -> String {
    if case .part(let part)? = path.steps.last, path.steps.count > 1 {
      return "\(part)(\(Self.path(PropertyPath(steps: Array(path.steps.dropLast())), of: object)))"
    }
    let steps = path.steps.enumerated().map { index, step in
      let dot = index == 0 ? "" : "."
      return switch step {
      case .property(let name), .part(let name): dot + self.name(name)
      case .index(let index): "[\(index)]"
      case .first: "[FIRST]"
      case .last: "[LAST]"
      case .every: "[*]"
      case .key(let key): "[\(quoted(key))]"
      case .keys: "\(dot)@keys"
      case .values: "\(dot)@values"
      case .links(let className, let property):
        "\(dot)@links.\(self.name(className)).\(self.name(property))"
      case .allLinks: "\(dot)@links"
      case .count: "\(dot)@count"
      case .length: "\(dot)@length"
      case .type: "\(dot)@type"
      }
    }
    return object + steps.joined()
  }

  private static func name(_ name: String) -> String {
    var text = Keyword(name) == nil ? "" : "#"
    for (index, scalar) in name.unicodeScalars.enumerated() {
      let isPlain = Lexer.isNameScalar(scalar) && (index > 0 || Lexer.isNameStart(scalar))
      if isPlain { text.unicodeScalars.append(scalar) } else { text += "\\\(scalar)" }
    }
    return text
  }

  // MARK: Constants

  /// A constant; a long geometry is shortened if `abbreviates` is true.
  private static func literal(_ value: Value, abbreviates: Bool) -> String {
    let text = literal(value)
    guard abbreviates, text.utf8.count > 200 else { return text }
    return text.prefix(100) + " … " + text.suffix(40)
  }

  /// A constant.
  static func literal(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .float(let value): number(value, suffix: "f")
    case .double(let value): number(value, suffix: "")
    case .string(let value): quoted(value)
    case .data(let value): "bin(B64'\(value.base64EncodedString())')"
    case .date(let value): timestamp(value)
    case .objectId(let value): "oid(\(value))"
    case .uuid(let value): "uuid(\(value))"
    case .decimal(let value): "decimal(\(value.exactText))"
    case .geometry(let value): "geometry(\(quoted(value.wkt)))"
    case .link(let key): "objKey('', \(key))"
    case .object(let address): "objKey(\(quoted(address.className)), \(address.key))"
    case .list(let values): "list(\(joined(values, literal)))"
    case .map(let map):
      "map(\(joined(map.entries) { "\(quoted($0.key)): \(literal($0.value))" }))"
    }
  }

  /// A string in single quotes, with escapes.
  static func quoted(_ text: String) -> String {
    var quoted = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": quoted += "\\'"
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\0": quoted += "\\0"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "'"
  }

  private static func number(
    _ value: some BinaryFloatingPoint & LosslessStringConvertible, suffix: String
  ) -> String {
    // Without a sign `nanf` would be a name.
    let sign = suffix.isEmpty ? "" : "+"
    if value.isNaN { return sign + "nan" + suffix }
    if value.isInfinite { return (value < 0 ? "-" : sign) + "infinity" + suffix }
    return String(value) + suffix
  }

  /// Seconds since 1970 and nanoseconds of the same sign.
  private static func timestamp(_ value: Timestamp) -> String {
    guard value.seconds < 0, value.nanoseconds > 0 else {
      return "T\(value.seconds):\(value.nanoseconds)"
    }
    let nanoseconds = Int64(value.nanoseconds) - Timestamp.nanosecondsPerSecond
    return "T\(value.seconds + 1):\(nanoseconds)"
  }
}
