import CadastreGeometry
import CadastreModel
import CadastrePredicate
import Foundation

/// A parser of CQL2 text that builds a predicate.
///
/// The parser supports comparisons, `LIKE`, `BETWEEN`, `IN`, `IS NULL`, `CASEI`, and the relations of geometries.
/// A condition on null and its negation both match nothing; see
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
  /// The positions of the tokens for messages.
  private var spans: [TextSpan] = []
  private var index = 0

  private enum Token: Equatable {
    /// A keyword, a function or a property.
    case name(String)
    /// A property in double quotation marks, which is no keyword.
    case property(String)
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

  /// Returns the predicate; the locations of its paths refer to the text.
  ///
  /// - Throws: ``RequestError`` 400 with the actual and the expected token, and its location.
  mutating func predicate() throws -> QueryPredicate {
    try readTokens()
    let predicate = try disjunction(level: 0)
    guard index == tokens.count else { throw error("expected AND, OR or the end") }
    return predicate.whenTrue
  }

  private func error(_ expected: String) -> RequestError {
    let found: String
    if index < tokens.count {
      switch tokens[index] {
      case .name(let word), .property(let word), .number(let word), .sign(let word):
        found = "'\(word)'"
      case .text(let word): found = "the text '\(word)'"
      }
    } else {
      found = "the end"
    }
    return RequestError(
      400, "filter", "\(expected), found \(found) in the filter", at: span, in: text)
  }

  /// The location of the current token, or the end of the text.
  private var span: TextSpan {
    index < spans.count ? spans[index] : TextSpan(offset: text.unicodeScalars.count, count: 1)
  }

  /// Returns an error at a token.
  private func error(_ message: String, at span: TextSpan) -> RequestError {
    RequestError(400, "filter", message, at: span, in: text)
  }

  // MARK: Tokens

  private mutating func readTokens() throws {
    var rest = Substring(text)
    var (offset, end) = (0, text.startIndex)
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard let first = rest.first else { return }
      let start = rest.startIndex
      offset += text.unicodeScalars.distance(from: end, to: start)
      let span = TextSpan(offset: offset, count: 1)
      guard tokens.count < Self.mostTokens else {
        throw error("the filter has more than \(Self.mostTokens) words", at: span)
      }
      if first == "'" || first == "\"" {
        var content = ""
        rest = rest.dropFirst()
        while true {
          guard let next = rest.first else {
            throw error("expected a closing \(first), found the end of the filter", at: span)
          }
          rest = rest.dropFirst()
          if next == first {
            guard rest.first == first else { break }
            rest = rest.dropFirst()
          }
          content.append(next)
        }
        tokens.append(first == "'" ? .text(content) : .property(content))
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
          throw error("unexpected '\(first)' in the filter", at: span)
        }
        tokens.append(.sign(sign))
        rest = rest.dropFirst(sign.count)
      }
      end = rest.startIndex
      let count = text.unicodeScalars.distance(from: start, to: end)
      ranges.append(start..<end)
      spans.append(TextSpan(offset: offset, count: count))
      offset += count
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
      throw error("the filter has more than \(Self.mostLevels) levels", at: span)
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
      throw error("the filter has more than \(Self.mostLevels) levels", at: span)
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

  private struct Field {
    let path: PropertyPath
    let property: Property
    let ignoresCase: Bool

    /// Whether the value can be null, also because of a null object on the path.
    var isNullable: Bool { property.isOptional || property.type == .any || path.steps.count > 1 }
  }

  private mutating func field() throws -> Field {
    var calls = 0
    while isWord("CASEI"), index + 1 < tokens.count, tokens[index + 1] == .sign("(") {
      index += 2
      calls += 1
    }
    let name: String
    switch index < tokens.count ? tokens[index] : nil {
    case .name(let word)?, .property(let word)?: name = word
    case .text?, .number?, .sign?, nil: throw error("expected a property")
    }
    let path = PropertyPath(PropertyPath(name).names, span: span)
    guard let property = try? schema.property(at: path, from: root) else {
      throw error("expected a property of '\(root.className)'")
    }
    index += 1
    for _ in 0..<calls { try require(sign: ")") }
    return Field(path: path, property: property, ignoresCase: calls > 0)
  }

  private mutating func comparison() throws -> FilterCondition {
    let field = try field()
    if take(word: "IS") {
      let isNegated = take(word: "NOT")
      guard take(word: "NULL") else { throw error("expected NULL") }
      let condition = FilterCondition(isNull: field.path, isNullable: field.isNullable)
      return isNegated ? condition.negated : condition
    }
    let isNegated = take(word: "NOT")
    let start = span
    let (operation, value) = try comparison(of: field, isNegated: isNegated)
    var options: StringOptions = []
    if field.ignoresCase {
      guard operation.acceptsOptions else {
        throw error(
          "ordered comparisons of strings are always case-sensitive; expected =, <>, LIKE or IN after CASEI",
          at: start)
      }
      options = .caseInsensitive
    }
    let condition = FilterCondition(
      .comparison(Comparison(.property(field.path), operation, value, options: options)),
      on: field.path, isNullable: field.isNullable)
    return isNegated ? condition.negated : condition
  }

  /// Parses the operator and the right side of a comparison.
  private mutating func comparison(
    of field: Field, isNegated: Bool
  ) throws -> (ComparisonOperator, Operand) {
    if take(word: "LIKE") {
      let start = span
      guard case .string(let pattern) = try constant(field) else {
        throw error("expected a text after LIKE", at: start)
      }
      let (operation, text) = FilterPattern(pattern).comparison
      return (operation, .value(.string(text)))
    }
    if take(word: "BETWEEN") {
      let low = try constant(field)
      guard take(word: "AND") else { throw error("expected AND") }
      return (.between, .list([low, try constant(field)]))
    }
    if take(word: "IN") {
      try require(sign: "(")
      var values = [try constant(field)]
      while take(sign: ",") { values.append(try constant(field)) }
      try require(sign: ")")
      return (.isIn, .list(values))
    }
    guard !isNegated else { throw error("expected LIKE, BETWEEN or IN") }
    guard index < tokens.count, case .sign(let sign) = tokens[index],
      let operation = Self.operators[sign]
    else { throw error("expected an operator") }
    index += 1
    return (operation, .value(try constant(field)))
  }

  private static let operators: [String: ComparisonOperator] = [
    "=": .equal, "<>": .notEqual, "<": .less, "<=": .lessOrEqual, ">": .greater,
    ">=": .greaterOrEqual,
  ]

  private mutating func constant(_ field: Field) throws -> Value {
    var calls = 0
    while take(word: "CASEI") {
      try require(sign: "(")
      calls += 1
    }
    let value = try literal(field)
    for _ in 0..<calls { try require(sign: ")") }
    return value
  }

  private mutating func literal(_ field: Field) throws -> Value {
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
      guard let value = ExplorerService.value(text, field.property) else {
        throw error("expected a value of type '\(field.property.type)'")
      }
      index += 1
      return value
    default: throw error("expected a value")
    }
  }

  // MARK: Geometries

  private static let relations: [String: GeometryRelation.Kind] = [
    "S_INTERSECTS": .intersects, "S_WITHIN": .within, "S_CONTAINS": .contains,
    "S_TOUCHES": .touches, "S_CROSSES": .crosses, "S_OVERLAPS": .overlaps,
    "S_DISJOINT": .disjoint, "S_EQUALS": .equals,
  ]

  private mutating func spatialRelation() throws -> FilterCondition? {
    guard index + 1 < tokens.count, case .name(let name) = tokens[index],
      let relation = Self.relations[name.uppercased()], tokens[index + 1] == .sign("(")
    else { return nil }
    index += 2
    let fieldSpan = span
    let field = try field()
    try require(sign: ",")
    let start = span
    let geometry = try geometry()
    try require(sign: ")")
    let isPoint = schema.isPoint(field.property)
    guard isPoint || field.property.type == .geometry else {
      throw error("'\(field.path)' is no geometry", at: fieldSpan)
    }
    if let reason = geometry.invalidityReason(edges: .planar) {
      throw error("the geometry is invalid: \(reason)", at: start)
    }
    func condition(
      _ relation: GeometryRelation.Kind, _ side: GeometryRelation.Side
    ) -> FilterCondition {
      FilterCondition(
        .regular(GeometryRelation(.path(field.path), relation, side, edges: .planar)),
        on: field.path, isNullable: field.isNullable)
    }
    if isPoint, let region = geometry.region {
      switch relation {
      case .intersects, .within: return condition(.within, .region(region))
      case .disjoint: return condition(.within, .region(region)).negated
      default: break
      }
    }
    return condition(relation, .geometry(geometry))
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
      throw self.error("the geometry: \(error)", at: spans[start])
    }
  }

  /// Parses `BBOX` with four numbers, or with six numbers whose heights are ignored.
  ///
  /// As in the parameter `bbox`, edges are planar, and a box whose west is greater than its east crosses ±180°.
  private mutating func box() throws -> Geometry {
    let start = span
    index += 1
    try require(sign: "(")
    var numbers: [Double] = []
    repeat { numbers.append(try number()) } while take(sign: ",")
    try require(sign: ")")
    let sides = numbers.count == 6 ? [0, 1, 3, 4].map { numbers[$0] } : numbers
    guard sides.count == 4, sides[1] <= sides[3],
      let box = try Self.box(west: sides[0], sides[1], east: sides[2], sides[3])
    else { throw error("BBOX: expected west, south, east and north in degrees", at: start) }
    return box
  }

  /// Returns a box as a polygon, or as two if it crosses ±180°; nil for degrees out of range.
  private static func box(
    west: Double, _ south: Double, east: Double, _ north: Double
  ) throws -> Geometry? {
    guard west > east else { return try part(west: west, south, east: east, north) }
    guard let first = try part(west: west, south, east: 180, north),
      let second = try part(west: -180, south, east: east, north)
    else { return nil }
    if case (.polygon(let first), .polygon(let second)) = (first.shape, second.shape) {
      return try Geometry(.multiPolygon([first, second]))
    }
    return try Geometry(.collection([first, second]))
  }

  /// Returns a box as a polygon, or as a line or point if sides coincide; nil for degrees out of range.
  private static func part(
    west: Double, _ south: Double, east: Double, _ north: Double
  ) throws -> Geometry? {
    let corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
      .compactMap { GeoPosition(longitude: $0.0, latitude: $0.1) }
    guard corners.count == 5 else { return nil }
    switch (west == east, south == north) {
    case (false, false): return try Geometry(.polygon([corners]))
    case (true, true): return try Geometry(.point(corners[0]))
    default: return try Geometry(.lineString([corners[0], corners[2]]))
    }
  }

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
