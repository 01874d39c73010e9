import CadastreModel
import Foundation

/// Cuts a predicate's text into tokens, one at a time.
///
/// Both established dialects at once: `%@`, `%K` and `YES` beside `$0`, `T0:0` and `oid(…)`.
struct Lexer {
  let scalars: [Unicode.Scalar]
  var position = 0
  /// Whether a sign is an operator wherever an operand precedes it: `a-1` is a difference, not a name.
  let isCalculation: Bool
  /// Whether an operand of a calculation can end with the last token.
  private var endsOperand = false

  init(_ text: String, isCalculation: Bool = false) {
    scalars = Array(text.unicodeScalars)
    self.isCalculation = isCalculation
  }

  /// The next token; at the end of the text, for ever, the end.
  mutating func next() throws(QueryPredicateError) -> Token {
    while let scalar = peek(), Self.isBlank(scalar) { position += 1 }
    let start = position
    guard let scalar = peek() else {
      return Token(kind: .end, span: TextSpan(offset: start, count: 1))
    }
    let kind = try kind(startingWith: scalar)
    if isCalculation { endsOperand = kind.endsOperand }
    return Token(kind: kind, span: TextSpan(offset: start, count: position - start))
  }

  private mutating func kind(
    startingWith scalar: Unicode.Scalar
  ) throws(QueryPredicateError) -> Token.Kind {
    switch scalar {
    case "'", "\"": return .constant(.string(try quotedString()))
    case "(", ")", "{", "}", "[", "]", ",", ":", "*", "/":
      position += 1
      return .mark(Mark(unicodeScalarLiteral: scalar))
    case "=", "!", "<", ">", "&", "|": return try symbol()
    case "%": return try placeholder()
    case "$": return try argumentOrVariable()
    case "#":
      position += 1
      return .name(try name(), isForced: true)
    case "+", "-":
      guard endsOperand else { return try signedNumber() }
      position += 1
      return .mark(Mark(unicodeScalarLiteral: scalar))
    case "@":
      position += 1
      return .attribute(try name())
    case "0"..."9": return .constant(try number())
    case ".":
      if peek(1).map(Self.isDigit) == true { return .constant(try number()) }
      position += 1
      return .mark(".")
    default: return try word()
    }
  }

  // MARK: Words

  private mutating func word() throws(QueryPredicateError) -> Token.Kind {
    let start = position
    if peek() == "T", let timestamp = try epochTimestamp() { return .constant(.date(timestamp)) }
    let text = try name()
    let isEscaped = text.unicodeScalars.count != position - start
    if peek() == "'" || peek() == "\"", text == "B64" { return .constant(.data(try base64())) }
    if !isEscaped, let keyword = Keyword(text) {
      return keyword.constant.map(Token.Kind.constant) ?? .keyword(keyword)
    }
    return .name(text, isForced: isEscaped)
  }

  private mutating func name() throws(QueryPredicateError) -> String {
    var name = plainName()
    while let scalar = peek() {
      if scalar == "\\", let escaped = peek(1) {
        name.unicodeScalars.append(escaped)
        position += 2
      } else if isNamePart(scalar), !name.isEmpty || Self.isNameStart(scalar) {
        name.unicodeScalars.append(scalar)
        position += 1
      } else {
        break
      }
    }
    guard !name.isEmpty else { throw unexpected() }
    return name
  }

  /// As much of a name as is written in ASCII without an escape, which is all of it nearly always.
  private mutating func plainName() -> String {
    guard let first = peek(), first.isASCII, Self.isNameStart(first) else { return "" }
    let rest = scalars[position...].prefix { $0.isASCII && isNamePart($0) }
    position = rest.endIndex
    return String(unsafeUninitializedCapacity: rest.count) { bytes in
      for (place, scalar) in rest.enumerated() {
        bytes.initializeElement(at: place, to: UInt8(truncatingIfNeeded: scalar.value))
      }
      return rest.count
    }
  }

  /// Whether a name of this text may hold the character without an escape.
  func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    Self.isNameScalar(scalar) && !(isCalculation && scalar == "-")
  }

  /// Whether a name may hold the character without an escape.
  static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    isNameStart(scalar) || isDigit(scalar) || scalar == "-"
  }

  /// Whether a name may begin with the character.
  static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_": true
    default: scalar.value >= 0x80 && !scalar.properties.isWhitespace
    }
  }

  /// White space, as Unicode has it.
  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.isASCII else { return scalar.properties.isWhitespace }
    return scalar == " " || 9...13 ~= scalar.value
  }

  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  // MARK: Symbols and arguments

  private mutating func symbol() throws(QueryPredicateError) -> Token.Kind {
    let (kind, length): (Token.Kind, Int) =
      switch (peek(), peek(1)) {
      case ("=", "="): (.comparison(.equal), 2)
      case ("=", "<"), ("<", "="): (.comparison(.lessOrEqual), 2)
      case ("=", ">"), (">", "="): (.comparison(.greaterOrEqual), 2)
      case ("=", _): (.comparison(.equal), 1)
      case ("!", "="), ("<", ">"): (.comparison(.notEqual), 2)
      case ("<", _): (.comparison(.less), 1)
      case (">", _): (.comparison(.greater), 1)
      case ("&", "&"): (.keyword(.and), 2)
      case ("|", "|"): (.keyword(.or), 2)
      case ("!", _): (.keyword(.not), 1)
      default: throw unexpected()
      }
    position += length
    return kind
  }

  /// `%@`, `%K`, or a format of C, which also refers to the next argument.
  private mutating func placeholder() throws(QueryPredicateError) -> Token.Kind {
    let formats = ["%@", "%lld", "%llu", "%ld", "%lu", "%lf", "%d", "%i", "%u", "%f", "%s"]
    if scalars[position...].starts(with: "%K".unicodeScalars) {
      position += 2
      return .nextPathArgument
    }
    for format in formats where scalars[position...].starts(with: format.unicodeScalars) {
      position += format.unicodeScalars.count
      return .nextArgument
    }
    throw unexpected("'%@' or '%K'")
  }

  /// `$3`, `$K3`, or the variable of a subquery.
  private mutating func argumentOrVariable() throws(QueryPredicateError) -> Token.Kind {
    let isPath = peek(1) == "K" && peek(2).map(Self.isDigit) == true
    let start = position
    position += isPath ? 2 : 1
    if !isPath, peek().map(Self.isNameStart) == true { return .variable(try name()) }
    guard let index = Int(digitRun()) else {
      position = start
      throw unexpected("an argument such as $0 or $K0")
    }
    return isPath ? .pathArgument(index) : .argument(index)
  }

  // MARK: Looking

  /// Whether a round bracket opens next.
  var nextIsBracket: Bool {
    scalars[position...].first { !Self.isBlank($0) } == "("
  }

  /// The ends of the texts that begin with the last token and can name a column, the longest first: a
  /// call such as `avg(elevation)`, or names joined by full stops.
  var columnEnds: [Int] {
    if nextIsBracket { return endOfCall.map { [$0] } ?? [] }
    var ends = [position]
    while let end = ends.last, end < scalars.count, scalars[end] == "." {
      let name = scalars[(end + 1)...].prefix(while: isNamePart)
      if name.isEmpty { break }
      ends.append(name.endIndex)
    }
    return ends.reversed()
  }

  /// Whether a stretch is a word.
  func isWord(_ span: TextSpan) -> Bool {
    Self.isNameStart(scalars[span.offset])
      && scalars[span.offset..<span.offset + span.count].allSatisfy(isNamePart)
  }

  /// The end of the brackets that open next; nil where they do not close.
  private var endOfCall: Int? {
    var depth = 0
    for index in position..<scalars.count {
      switch scalars[index] {
      case "(": depth += 1
      case ")":
        depth -= 1
        if depth == 0 { return index + 1 }
      default: break
      }
    }
    return nil
  }

  /// The text of a stretch.
  func text(_ span: TextSpan) -> String {
    let end = min(scalars.count, span.offset + span.count)
    return String(String.UnicodeScalarView(scalars[min(span.offset, end)..<end]))
  }

  /// The text from an offset up to the next closing bracket, where reading continues.
  mutating func takeRaw(from start: Int) -> String {
    let raw = scalars[start...].prefix { $0 != ")" }
    position = raw.endIndex
    return String(String.UnicodeScalarView(raw)).trimmingCharacters(in: .whitespaces)
  }

  func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    position + ahead < scalars.count ? scalars[position + ahead] : nil
  }

  func unexpected(_ expected: String? = nil) -> QueryPredicateError {
    let found = peek().map { "'\($0)'" } ?? "the end of the text"
    let message = expected.map { "expected \($0), found \(found)" } ?? "unexpected \(found)"
    return QueryPredicateError(.syntax, message, span: TextSpan(offset: position, count: 1))
  }

  func syntaxError(_ message: String, from start: Int) -> QueryPredicateError {
    QueryPredicateError(
      .syntax, message, span: TextSpan(offset: start, count: max(1, position - start)))
  }
}
