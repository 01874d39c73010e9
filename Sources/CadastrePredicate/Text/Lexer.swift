import CadastreModel
import Foundation

/// Cuts a predicate's text into tokens, one at a time.
///
/// Both established dialects at once: `%@`, `%K` and `YES` beside `$0`, `T0:0` and `oid(…)`.
struct Lexer {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  /// The next token; at the end of the text, for ever, the end.
  mutating func next() throws(QueryPredicateError) -> Token {
    while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
    let start = position
    guard let scalar = peek() else {
      return Token(kind: .end, span: TextSpan(offset: start, count: 1))
    }
    let kind = try kind(startingWith: scalar)
    return Token(kind: kind, span: TextSpan(offset: start, count: position - start))
  }

  private mutating func kind(
    startingWith scalar: Unicode.Scalar
  ) throws(QueryPredicateError) -> Token.Kind {
    switch scalar {
    case "'", "\"": return .constant(.string(try quotedString()))
    case "(", ")", "{", "}", "[", "]", ",":
      position += 1
      return .mark(Character(scalar))
    case "=", "!", "<", ">", "&", "|": return try symbol()
    case "%": return try placeholder()
    case "$": return try argumentOrName()
    case "#":
      position += 1
      return .name(try name(), isForced: true)
    case "+", "-": return try signedNumber()
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
    let isEscaped = scalars[start..<position].contains("\\")
    if text == "B64", peek() == "'" || peek() == "\"" { return .constant(.data(try base64())) }
    if !isEscaped, let keyword = Keyword(text) {
      return keyword.constant.map(Token.Kind.constant) ?? .keyword(keyword)
    }
    return .name(text, isForced: isEscaped)
  }

  private mutating func name() throws(QueryPredicateError) -> String {
    var name = ""
    while let scalar = peek() {
      if scalar == "\\", let escaped = peek(1) {
        name.unicodeScalars.append(escaped)
        position += 2
      } else if Self.isNameScalar(scalar), !name.isEmpty || Self.isNameStart(scalar) {
        name.unicodeScalars.append(scalar)
        position += 1
      } else {
        break
      }
    }
    guard !name.isEmpty else { throw unexpected() }
    return name
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

  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  // MARK: Symbols and arguments

  private static let symbols: [(String, Token.Kind)] = [
    ("==", .comparison(.equal)), ("=<", .comparison(.lessOrEqual)),
    ("=>", .comparison(.greaterOrEqual)), ("=", .comparison(.equal)),
    ("!=", .comparison(.notEqual)), ("<>", .comparison(.notEqual)),
    ("<=", .comparison(.lessOrEqual)), (">=", .comparison(.greaterOrEqual)),
    ("<", .comparison(.less)), (">", .comparison(.greater)),
    ("&&", .keyword(.and)), ("||", .keyword(.or)), ("!", .keyword(.not)),
  ]

  private mutating func symbol() throws(QueryPredicateError) -> Token.Kind {
    for (text, kind) in Self.symbols where scalars[position...].starts(with: text.unicodeScalars) {
      position += text.unicodeScalars.count
      return kind
    }
    throw unexpected()
  }

  /// `%@`, `%K`, or one of C's formats, which stand for the next argument too.
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

  private mutating func argumentOrName() throws(QueryPredicateError) -> Token.Kind {
    let isPath = peek(1) == "K"
    let start = position
    position += isPath ? 2 : 1
    let digits = digitRun()
    guard let index = Int(digits) else {
      position = start
      throw unexpected("an argument such as $0 or $K0")
    }
    return isPath ? .pathArgument(index) : .argument(index)
  }

  // MARK: Strings

  /// The bytes written in base64; whether they are meant as text is the parser's business.
  private mutating func base64() throws(QueryPredicateError) -> Data {
    let start = position
    guard let data = Data(base64Encoded: try quotedString()) else {
      throw syntaxError("expected base64", from: start)
    }
    return data
  }

  private mutating func quotedString() throws(QueryPredicateError) -> String {
    let start = position
    let quote = scalars[position]
    position += 1
    var text = ""
    while let scalar = peek() {
      position += 1
      if scalar == quote { return text }
      text.unicodeScalars.append(scalar == "\\" ? try escapedScalar() : scalar)
    }
    position = start + 1
    throw syntaxError("expected a closing \(quote), found the end of the text", from: start)
  }

  private mutating func escapedScalar() throws(QueryPredicateError) -> Unicode.Scalar {
    let start = position - 1
    guard let scalar = peek() else { throw syntaxError("unfinished escape", from: start) }
    position += 1
    switch scalar {
    case "\"", "'", "/", "\\": return scalar
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "0": return "\0"
    case "u": return try unicodeEscape(from: start)
    default:
      throw syntaxError(
        "expected one of \\\" \\' \\\\ \\/ \\b \\f \\n \\r \\t \\0 \\u", from: start)
    }
  }

  /// Four hexadecimal digits, or two such escapes that make a surrogate pair.
  private mutating func unicodeEscape(from start: Int) throws(QueryPredicateError) -> Unicode.Scalar
  {
    guard let unit = hexadecimalUnit() else {
      throw syntaxError("expected four hexadecimal digits after \\u", from: start)
    }
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if peek() == "\\", peek(1) == "u" {
      position += 2
      if let low = hexadecimalUnit(),
        let pair = String(validating: [UInt16(unit), UInt16(low)], as: UTF16.self),
        let scalar = pair.unicodeScalars.first
      {
        return scalar
      }
    }
    throw syntaxError("expected a pair of surrogates after \\u", from: start)
  }

  private mutating func hexadecimalUnit() -> UInt32? {
    guard position + 4 <= scalars.count else { return nil }
    let digits = String(String.UnicodeScalarView(scalars[position..<position + 4]))
    guard let bytes = Hexadecimal.bytes(digits) else { return nil }
    position += 4
    return UInt32(bytes[0]) << 8 | UInt32(bytes[1])
  }

  // MARK: Numbers and moments

  private mutating func signedNumber() throws(QueryPredicateError) -> Token.Kind {
    let next = peek(1)
    if next.map(Self.isDigit) == true || next == "." { return .constant(try number()) }
    let isNegative = peek() == "-"
    let start = position
    position += 1
    let word = String(
      String.UnicodeScalarView(scalars[position...].prefix { Self.isNameScalar($0) }))
    let isSingle = word.hasSuffix("f") && Keyword(word) == nil
    let keyword = Keyword(isSingle ? String(word.dropLast()) : word)
    guard let keyword, case .double(let magnitude)? = keyword.constant else {
      position = start
      throw unexpected("a number")
    }
    position += word.unicodeScalars.count
    let value = isNegative ? -magnitude : magnitude
    return .constant(isSingle ? .float(Float(value)) : .double(value))
  }

  private mutating func number() throws(QueryPredicateError) -> Value {
    let start = position
    if let calendar = try calendarTimestamp() { return .date(calendar) }
    let sign = peek() == "+" || peek() == "-" ? 1 : 0
    position += sign
    if peek() == "0", peek(1) == "x" || peek(1) == "X" { return try hexadecimalNumber(from: start) }
    var isFraction = false
    _ = digitRun()
    if peek() == "." {
      isFraction = true
      position += 1
      _ = digitRun()
    }
    isFraction = skipExponent() || isFraction
    let text = String(String.UnicodeScalarView(scalars[start..<position]))
    let isSingle = peek() == "f" && peek(1).map(Self.isNameScalar) != true
    if isSingle { position += 1 }
    if peek().map(Self.isNameScalar) == true {
      throw unexpected("an operator or a blank after \(text)")
    }
    if isSingle, let value = Float(Self.completed(text)) { return .float(value) }
    if isFraction, let value = Double(Self.completed(text)) { return .double(value) }
    if !isFraction, let value = Int64(text) { return .int(value) }
    throw syntaxError("expected a number within 64 bits, found \(text)", from: start)
  }

  private mutating func hexadecimalNumber(from start: Int) throws(QueryPredicateError) -> Value {
    let isNegative = scalars[start] == "-"
    position += 2
    let digits = String(
      String.UnicodeScalarView(scalars[position...].prefix { Self.isNameScalar($0) }))
    position += digits.unicodeScalars.count
    guard let value = Int64((isNegative ? "-" : "") + digits, radix: 16) else {
      throw syntaxError("expected hexadecimal digits within 64 bits", from: start)
    }
    return .int(value)
  }

  private mutating func skipExponent() -> Bool {
    guard peek() == "e" || peek() == "E" else { return false }
    let signed = peek(1) == "+" || peek(1) == "-" ? 1 : 0
    guard peek(1 + signed).map(Self.isDigit) == true else { return false }
    position += 1 + signed
    _ = digitRun()
    return true
  }

  /// `10.` and `.5` as Swift writes them.
  private static func completed(_ text: String) -> String {
    var text = text
    if text.hasSuffix(".") { text += "0" }
    for sign in ["", "+", "-"] where text.hasPrefix(sign + ".") {
      text = sign + "0" + text.dropFirst(sign.count)
    }
    return text.replacing(".e", with: ".0e").replacing(".E", with: ".0E")
  }

  private mutating func digitRun() -> String {
    let digits = scalars[position...].prefix(while: Self.isDigit)
    position += digits.count
    return String(String.UnicodeScalarView(digits))
  }

  /// `T<seconds>:<nanoseconds>`, both signed alike; nil if the text is something else.
  private mutating func epochTimestamp() throws(QueryPredicateError) -> Timestamp? {
    let start = position
    position += 1
    let sign = peek() == "-" ? "-" : ""
    position += sign.count
    let seconds = digitRun()
    guard !seconds.isEmpty, peek() == ":" else {
      position = start
      return nil
    }
    position += 1
    let nanosecondSign = peek() == "-" ? "-" : ""
    position += nanosecondSign.count
    let nanoseconds = digitRun()
    guard let whole = Int64(sign + seconds), let fraction = Int64(nanosecondSign + nanoseconds),
      abs(fraction) < Timestamp.nanosecondsPerSecond,
      fraction == 0 || whole == 0 || (whole < 0) == (fraction < 0)
    else {
      throw syntaxError(
        "expected T<seconds>:<nanoseconds> with one sign and less than 1e9 nanoseconds",
        from: start)
    }
    return Timestamp(seconds: whole, nanoseconds: fraction)
  }

  /// `2001-05-01@12:00:00` or with `T`, nanoseconds after a fourth colon, always UTC; nil if the
  /// text is something else.
  private mutating func calendarTimestamp() throws(QueryPredicateError) -> Timestamp? {
    let start = position
    var fields: [Int] = []
    for separators: [Unicode.Scalar] in [["-"], ["-"], ["@", "T"], [":"], [":"]] {
      guard let field = Int(digitRun()), let mark = peek(), separators.contains(mark) else {
        if fields.count < 2 {
          position = start
          return nil
        }
        throw syntaxError("expected a moment such as 2001-05-01@12:00:00", from: start)
      }
      fields.append(field)
      position += 1
    }
    let second = Int(digitRun())
    var nanoseconds: Int? = 0
    if peek() == ":" {
      position += 1
      nanoseconds = Int(digitRun())
    } else if peek() == "Z" {
      position += 1
    }
    guard let second, let nanoseconds, nanoseconds < Timestamp.nanosecondsPerSecond,
      let moment = Timestamp(
        year: fields[0], month: fields[1], day: fields[2], hour: fields[3], minute: fields[4],
        second: second, nanoseconds: nanoseconds)
    else { throw syntaxError("expected a moment that exists", from: start) }
    return moment
  }

  // MARK: Looking

  /// Whether a round bracket opens next.
  var nextIsBracket: Bool {
    scalars[position...].first { !$0.properties.isWhitespace } == "("
  }

  /// The text of a stretch.
  func text(_ span: TextSpan) -> String {
    let end = min(scalars.count, span.offset + span.count)
    return String(String.UnicodeScalarView(scalars[min(span.offset, end)..<end]))
  }

  /// The text from a place up to the next closing bracket, before which reading goes on.
  mutating func takeRaw(from start: Int) -> String {
    let raw = scalars[start...].prefix { $0 != ")" }
    position = raw.endIndex
    return String(String.UnicodeScalarView(raw)).trimmingCharacters(in: .whitespaces)
  }

  private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    position + ahead < scalars.count ? scalars[position + ahead] : nil
  }

  private func unexpected(_ expected: String? = nil) -> QueryPredicateError {
    let found = peek().map { "'\($0)'" } ?? "the end of the text"
    let message = expected.map { "expected \($0), found \(found)" } ?? "unexpected \(found)"
    return QueryPredicateError(.syntax, message, span: TextSpan(offset: position, count: 1))
  }

  private func syntaxError(_ message: String, from start: Int) -> QueryPredicateError {
    QueryPredicateError(
      .syntax, message, span: TextSpan(offset: start, count: max(1, position - start)))
  }
}
