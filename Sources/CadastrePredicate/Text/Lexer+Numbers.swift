import CadastreGeometry
import CadastreModel

/// Reads numbers.
extension Lexer {
  /// A number, or `+` or `-` where none follows at once.
  mutating func signedNumber() throws(QueryPredicateError) -> Token.Kind {
    let next = peek(1)
    if next.map(Self.isDigit) == true || next == "." { return .constant(try number()) }
    let isNegative = peek() == "-"
    position += 1
    let word = String(
      String.UnicodeScalarView(scalars[position...].prefix { isNamePart($0) }))
    let isSingle = word.hasSuffix("f") && Keyword(word) == nil
    let keyword = Keyword(isSingle ? String(word.dropLast()) : word)
    guard let keyword, case .double(let magnitude)? = keyword.constant else {
      return .mark(isNegative ? "-" : "+")
    }
    position += word.unicodeScalars.count
    // There is one NaN in the language, and it has no sign.
    let value = isNegative && !magnitude.isNaN ? -magnitude : magnitude
    return .constant(isSingle ? .float(Float(value)) : .double(value))
  }

  mutating func number() throws(QueryPredicateError) -> Value {
    let start = position
    let afterDigits = scalars[start...].first { !Self.isDigit($0) }
    if afterDigits == "-", !isCalculation, let calendar = try calendarTimestamp() {
      return .date(calendar)
    }
    let sign = peek() == "+" || peek() == "-" ? 1 : 0
    position += sign
    if peek() == "0", peek(1) == "x" || peek(1) == "X" { return try hexadecimalNumber(from: start) }
    var isFraction = false
    skipDigits()
    if peek() == "." {
      isFraction = true
      position += 1
      skipDigits()
    }
    isFraction = skipExponent() || isFraction
    if !isFraction, peek().map(isNamePart) != true, let value = shortInteger(from: start) {
      return .int(value)
    }
    let text = String(String.UnicodeScalarView(scalars[start..<position]))
    let isSingle = peek() == "f" && peek(1).map(isNamePart) != true
    if isSingle { position += 1 }
    if peek().map(isNamePart) == true, !isUnit {
      throw unexpected("an operator or a blank after \(text)")
    }
    if isSingle, let value = Float(Self.completed(text)) { return .float(value) }
    if isFraction, let value = Double(Self.completed(text)) { return .double(value) }
    if !isFraction, let value = Int64(text) { return .int(value) }
    throw syntaxError("expected a number within 64 bits, found \(text)", from: start)
  }

  /// Whether the rest of the word is a unit of distances, which is a token of its own.
  private var isUnit: Bool {
    let word = scalars[position...].prefix(while: isNamePart)
    return DistanceUnit(symbol: String(String.UnicodeScalarView(word))) != nil
  }

  /// The integer of up to eighteen digits that ends at the position; nil for a longer one.
  private func shortInteger(from start: Int) -> Int64? {
    var digits = scalars[start..<position]
    let isNegative = digits.first == "-"
    if isNegative || digits.first == "+" { digits.removeFirst() }
    guard !digits.isEmpty, digits.count <= 18 else { return nil }
    let magnitude = digits.reduce(into: Int64(0)) { $0 = $0 * 10 + Int64($1.value) - 48 }
    return isNegative ? -magnitude : magnitude
  }

  private mutating func hexadecimalNumber(from start: Int) throws(QueryPredicateError) -> Value {
    let isNegative = scalars[start] == "-"
    position += 2
    let digits = String(
      String.UnicodeScalarView(scalars[position...].prefix { isNamePart($0) }))
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
    skipDigits()
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

  mutating func digitRun() -> String {
    let start = position
    skipDigits()
    return String(String.UnicodeScalarView(scalars[start..<position]))
  }

  private mutating func skipDigits() {
    while let scalar = peek(), Self.isDigit(scalar) { position += 1 }
  }
}
