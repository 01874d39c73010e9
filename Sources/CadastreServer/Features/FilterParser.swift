import CadastreGeometry
import CadastreModel
import CadastrePredicate
import Foundation

/// A translator of CQL2 text to the predicate language.
///
/// The parser supports comparisons, `LIKE`, `BETWEEN`, `IN`, `IS NULL`, `CASEI`, and the relations of geometries.
/// Constants become arguments of the predicate. A condition on null and its negation both match nothing; see
/// ``FilterCondition``.
///
/// Source: OGC 21-065r2, "Common Query Language (CQL2)".
struct FilterParser {
  private let text: String
  private let root: ObjectSchema
  private let schema: Schema
  private var tokens: [Token] = []
  /// The positions of the tokens in the text.
  private var ranges: [Range<String.Index>] = []
  private var index = 0
  private var arguments: [PredicateArgument] = []

  private enum Token: Equatable {
    case name(String)
    case text(String)
    case number(String)
    case sign(String)
  }

  /// The maximum depth of parentheses and NOT.
  private static let mostLevels = 100
  /// The maximum number of tokens.
  private static let mostTokens = 20_000

  init(_ text: String, _ root: ObjectSchema, _ schema: Schema) {
    (self.text, self.root, self.schema) = (text, root, schema)
  }

  /// Returns the predicate and its arguments.
  ///
  /// - Throws: ``RequestError`` 400 with the actual and the expected token.
  mutating func predicate() throws -> (String?, [PredicateArgument]) {
    try readTokens()
    let predicate = try disjunction(level: 0)
    guard index == tokens.count else { throw error("expected AND, OR or the end") }
    return (predicate.whenTrue, arguments)
  }

  private func error(_ expected: String) -> RequestError {
    let found: String
    if index < tokens.count {
      switch tokens[index] {
      case .name(let word), .number(let word), .sign(let word): found = "'\(word)'"
      case .text(let word): found = "the text '\(word)'"
      }
    } else {
      found = "the end"
    }
    return RequestError(400, "filter", "\(expected), found \(found) in the filter")
  }

  // MARK: Tokens

  private mutating func readTokens() throws {
    var rest = Substring(text)
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard let first = rest.first else { return }
      guard tokens.count < Self.mostTokens else {
        throw RequestError(400, "filter", "the filter has more than \(Self.mostTokens) words")
      }
      let start = rest.startIndex
      if first == "'" || first == "\"" {
        var content = ""
        rest = rest.dropFirst()
        while true {
          guard let next = rest.first else {
            throw RequestError(400, "filter", "expected a closing \(first) in the filter")
          }
          rest = rest.dropFirst()
          if next == first {
            guard rest.first == first else { break }
            rest = rest.dropFirst()
          }
          content.append(next)
        }
        tokens.append(first == "'" ? .text(content) : .name(content))
      } else if first.isLetter || first == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || "_.:".contains($0) }
        tokens.append(.name(String(word)))
        rest = rest[word.endIndex...]
      } else if first.isASCII, first.isNumber || first == "." {
        let word =
          rest.prefixMatch(of: /[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?/)?.output ?? rest.prefix(1)
        tokens.append(.number(String(word)))
        rest = rest.dropFirst(max(1, word.count))
      } else {
        let sign = ["<=", ">=", "<>"].first { rest.hasPrefix($0) } ?? String(first)
        guard "()=<>,+-".contains(first) else {
          throw RequestError(400, "filter", "unexpected '\(first)' in the filter")
        }
        tokens.append(.sign(sign))
        rest = rest.dropFirst(sign.count)
      }
      ranges.append(start..<rest.startIndex)
    }
  }

  private func isWord(_ word: String, at offset: Int = 0) -> Bool {
    guard index + offset < tokens.count, case .name(let name) = tokens[index + offset] else {
      return false
    }
    return name.uppercased() == word
  }

  private mutating func take(word: String) -> Bool {
    guard isWord(word) else { return false }
    index += 1
    return true
  }

  private mutating func take(sign: String) -> Bool {
    guard index < tokens.count, tokens[index] == .sign(sign) else { return false }
    index += 1
    return true
  }

  private mutating func require(sign: String) throws {
    guard take(sign: sign) else { throw error("expected '\(sign)'") }
  }

  // MARK: Logic

  private mutating func disjunction(level: Int) throws -> FilterCondition {
    guard level < Self.mostLevels else {
      throw RequestError(400, "filter", "the filter has more than \(Self.mostLevels) levels")
    }
    var parts = [try conjunction(level: level)]
    while take(word: "OR") { parts.append(try conjunction(level: level)) }
    return .any(parts)
  }

  private mutating func conjunction(level: Int) throws -> FilterCondition {
    var parts = [try factor(level: level)]
    while take(word: "AND") { parts.append(try factor(level: level)) }
    return .all(parts)
  }

  private mutating func factor(level: Int) throws -> FilterCondition {
    guard level < Self.mostLevels else {
      throw RequestError(400, "filter", "the filter has more than \(Self.mostLevels) levels")
    }
    if take(word: "NOT") { return try factor(level: level + 1).negated }
    if take(sign: "(") {
      let inner = try disjunction(level: level + 1)
      try require(sign: ")")
      return inner
    }
    if take(word: "TRUE") { return .always }
    if take(word: "FALSE") { return FilterCondition.always.negated }
    if let relation = try spatialRelation() { return relation }
    return try comparison()
  }

  // MARK: Comparisons

  private struct Operand {
    let path: String
    let property: Property
    let ignoresCase: Bool

    /// Whether the value can be null, also because of a null object on the path.
    var isNullable: Bool { property.isOptional || property.type == .any || path.contains(".") }
  }

  private mutating func operand() throws -> Operand {
    if isWord("CASEI"), index + 1 < tokens.count, tokens[index + 1] == .sign("(") {
      index += 2
      let inner = try operand()
      try require(sign: ")")
      return Operand(path: inner.path, property: inner.property, ignoresCase: true)
    }
    guard index < tokens.count, case .name(let name) = tokens[index] else {
      throw error("expected a property")
    }
    let path = PropertyPath(name)
    guard
      name.split(separator: ".").allSatisfy({ $0.wholeMatch(of: /[\p{L}_][\p{L}\p{N}_]*/) != nil }),
      let property = try? schema.property(at: path, from: root)
    else { throw error("expected a property of '\(root.className)'") }
    index += 1
    return Operand(path: name, property: property, ignoresCase: false)
  }

  private mutating func comparison() throws -> FilterCondition {
    let operand = try operand()
    let option = operand.ignoresCase ? "[c]" : ""
    if take(word: "IS") {
      let isNegated = take(word: "NOT")
      guard take(word: "NULL") else { throw error("expected NULL") }
      let condition = FilterCondition(isNull: operand.path, isNullable: operand.isNullable)
      return isNegated ? condition.negated : condition
    }
    let isNegated = take(word: "NOT")
    func result(_ text: String) -> FilterCondition {
      let condition = FilterCondition(
        text, on: operand.path, isNullable: operand.isNullable)
      return isNegated ? condition.negated : condition
    }
    if take(word: "LIKE") {
      guard case .string(let pattern) = try constant(operand) else {
        throw error("expected a text after LIKE")
      }
      let (word, text) = FilterPattern(pattern).predicate
      return result("\(operand.path) \(word)\(option) \(argument(.value(.string(text))))")
    }
    if take(word: "BETWEEN") {
      let low = try constant(operand)
      guard take(word: "AND") else { throw error("expected AND") }
      let high = try constant(operand)
      return result("\(operand.path) BETWEEN \(argument(.list([low, high])))")
    }
    if take(word: "IN") {
      try require(sign: "(")
      var values = [try constant(operand)]
      while take(sign: ",") { values.append(try constant(operand)) }
      try require(sign: ")")
      return result("\(operand.path) IN\(option) \(argument(.list(values)))")
    }
    guard !isNegated else { throw error("expected LIKE, BETWEEN or IN") }
    let signs = ["=": "==", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="]
    guard index < tokens.count, case .sign(let sign) = tokens[index], let operation = signs[sign]
    else {
      throw error("expected an operator")
    }
    index += 1
    let value = argument(.value(try constant(operand)))
    return result("\(operand.path) \(operation)\(option) \(value)")
  }

  private mutating func argument(_ argument: PredicateArgument) -> String {
    arguments.append(argument)
    return "$\(arguments.count - 1)"
  }

  private mutating func constant(_ operand: Operand) throws -> Value {
    if take(word: "CASEI") {
      try require(sign: "(")
      let value = try constant(operand)
      try require(sign: ")")
      return value
    }
    if isWord("TIMESTAMP") || isWord("DATE") {
      index += 1
      try require(sign: "(")
      guard index < tokens.count, case .text(let text) = tokens[index],
        let date = DateText.timestamp(text)
      else { throw error("expected a date in quotation marks") }
      index += 1
      try require(sign: ")")
      return .date(date)
    }
    if take(word: "TRUE") { return .bool(true) }
    if take(word: "FALSE") { return .bool(false) }
    let sign = takeSign()
    guard index < tokens.count else { throw error("expected a value") }
    switch tokens[index] {
    case .number(let text):
      index += 1
      let signed = sign + text
      if let number = Int64(signed) { return .int(number) }
      guard let number = Double(signed), number.isFinite else { throw error("expected a number") }
      return .double(number)
    case .text(let text) where sign.isEmpty:
      guard let value = ExplorerService.value(text, operand.property) else {
        throw error("expected a value of type '\(operand.property.type)'")
      }
      index += 1
      return value
    default: throw error("expected a value")
    }
  }

  // MARK: Geometries

  /// The relations of the predicate language by their names in CQL2.
  private static let relations = [
    "S_INTERSECTS": "GEOINTERSECTS", "S_WITHIN": "GEOWITHIN", "S_CONTAINS": "GEOCONTAINS",
    "S_TOUCHES": "GEOTOUCHES", "S_CROSSES": "GEOCROSSES", "S_OVERLAPS": "GEOOVERLAPS",
    "S_DISJOINT": "GEODISJOINT", "S_EQUALS": "GEOEQUALS",
  ]

  private mutating func spatialRelation() throws -> FilterCondition? {
    guard index + 1 < tokens.count, case .name(let name) = tokens[index],
      let relation = Self.relations[name.uppercased()], tokens[index + 1] == .sign("(")
    else { return nil }
    index += 2
    let operand = try operand()
    try require(sign: ",")
    let geometry = try geometry()
    try require(sign: ")")
    let isPoint = schema.isPoint(operand.property)
    guard isPoint || operand.property.type == .geometry else {
      throw RequestError(400, "filter", "'\(operand.path)' is no geometry")
    }
    if let reason = geometry.invalidityReason(edges: .planar) {
      throw RequestError(400, "filter", "the geometry is invalid: \(reason)")
    }
    func condition(_ relation: String, _ argument: PredicateArgument) -> FilterCondition {
      FilterCondition(
        "\(operand.path) \(relation)[planar] \(self.argument(argument))", on: operand.path,
        isNullable: operand.isNullable)
    }
    if isPoint, let region = geometry.region {
      switch relation {
      case "GEOINTERSECTS", "GEOWITHIN": return condition("GEOWITHIN", .shape(region))
      case "GEODISJOINT": return condition("GEOWITHIN", .shape(region)).negated
      default: break
      }
    }
    return condition(relation, .value(.geometry(geometry)))
  }

  /// Parses a geometry in WKT, or `BBOX(west, south, east, north)`.
  private mutating func geometry() throws -> Geometry {
    guard index < tokens.count, case .name(let word) = tokens[index] else {
      throw error("expected a geometry")
    }
    if word.uppercased() == "BBOX" { return try box() }
    let start = index
    var depth = 0
    repeat {
      guard index < tokens.count else { throw error("expected ')'") }
      switch tokens[index] {
      case .sign("("): depth += 1
      case .sign(")"): depth -= 1
      case .text: throw error("expected WKT")
      default: break
      }
      index += 1
      if depth == 0, tokens[index - 1] == .sign(")") || isWord("EMPTY", at: -1) { break }
    } while depth >= 0
    do {
      let range = ranges[start].lowerBound..<ranges[index - 1].upperBound
      return try Geometry(wkt: String(text[range]))
    } catch {
      throw RequestError(400, "filter", "the geometry: \(error)")
    }
  }

  /// Parses `BBOX` with four numbers, or with six numbers whose heights are ignored.
  ///
  /// As in the parameter `bbox`, edges are planar, and a box whose west is greater than its east crosses ±180°.
  private mutating func box() throws -> Geometry {
    index += 1
    try require(sign: "(")
    var numbers: [Double] = []
    repeat { numbers.append(try number()) } while take(sign: ",")
    try require(sign: ")")
    let sides = numbers.count == 6 ? [0, 1, 3, 4].map { numbers[$0] } : numbers
    guard sides.count == 4, sides[1] <= sides[3] else { throw Self.invalidBox }
    let (west, south, east, north) = (sides[0], sides[1], sides[2], sides[3])
    let first = try Self.box(west: west, south, east: west <= east ? east : 180, north)
    if west <= east { return first }
    let second = try Self.box(west: -180, south, east: east, north)
    if case (.polygon(let first), .polygon(let second)) = (first.shape, second.shape) {
      return try Geometry(.multiPolygon([first, second]))
    }
    return try Geometry(.collection([first, second]))
  }

  /// Returns a box as a polygon, or as a line or point if sides coincide.
  private static func box(
    west: Double, _ south: Double, east: Double, _ north: Double
  ) throws -> Geometry {
    let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
      .compactMap { GeoPosition(longitude: $0.0, latitude: $0.1) }
    guard corners.count == 5 else { throw invalidBox }
    switch (west == east, south == north) {
    case (false, false): return try Geometry(.polygon([corners]))
    case (true, true): return try Geometry(.point(corners[0]))
    default: return try Geometry(.lineString([corners[0], corners[2]]))
    }
  }

  private static let invalidBox = RequestError(
    400, "filter", "BBOX: expected west, south, east and north in degrees")

  private mutating func number() throws -> Double {
    let sign = takeSign()
    guard index < tokens.count, case .number(let text) = tokens[index],
      let number = Double(sign + text)
    else { throw error("expected a number") }
    index += 1
    return number
  }

  /// Takes the sign of a number; an empty text for none.
  private mutating func takeSign() -> String {
    take(sign: "-") ? "-" : take(sign: "+") ? "+" : ""
  }
}
