/// A place in JSON text, moved over one token at a time.
///
/// The byte at `limit` is 0, and some more behind it may be read.
struct JSONScan {
  let bytes: UnsafePointer<UInt8>
  let limit: Int
  var at: Int
  /// Whether a byte beyond ASCII was seen in a string, or close behind one.
  var sawHighBits = false
  /// Whether an escape was seen in a string.
  var hasEscapes = false

  /// A place in some bytes.
  init(bytes: UnsafePointer<UInt8>, limit: Int, at: Int) {
    self.bytes = bytes
    self.limit = limit
    self.at = at
  }

  /// The byte at the place, 0 at the end.
  @inline(__always)
  var byte: UInt8 { bytes[at] }

  /// Says that something else is expected here; more bytes may bring it if there are none left.
  func unexpected(_ expected: JSONProblem.Expectation) -> JSONTokenizer.Outcome {
    at < limit ? .failed(.unexpected(.byte(byte), expected: expected)) : .needsMore(expected)
  }

  /// Moves to the next byte that is not blank.
  @inline(__always)
  mutating func passBlanks() {
    while bytes[at] <= 0x20, Self.isBlank(bytes[at]) { at &+= 1 }
  }

  /// Whether a byte is one of the four that may stand between tokens.
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  // MARK: - Strings

  /// Moves behind the closing quote of a string, from anywhere inside it.
  ///
  /// - Returns: Nil if that was possible. After `needsMore` the place is one to go on from.
  @inline(__always)
  mutating func passString() -> JSONTokenizer.Outcome? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let start = at
    var seen: UInt64 = 0
    defer { if seen & highs != 0 { sawHighBits = true } }
    while true {
      // Eight bytes at a time: those that are a quote, a backslash or below a space get their
      // high bit set; a false hit can only stand behind a true one.
      // Source: Sean Anderson, "Bit Twiddling Hacks", "Determine if a word has a byte less than n".
      let word = UInt64(
        littleEndian: UnsafeRawPointer(bytes + at).loadUnaligned(as: UInt64.self))
      seen |= word
      let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
      let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
      let hits =
        ((quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
          | (word &- ones &* 0x20) & ~word) & highs
      if hits == 0 {
        at &+= 8
        continue
      }
      at &+= hits.trailingZeroBitCount &>> 3
      if bytes[at] == UInt8(ascii: "\"") {
        at &+= 1
        return nil
      }
      if let stop = passSpecial(since: start) { return stop }
    }
  }

  /// Moves behind an escape, or says why there is none.
  private mutating func passSpecial(since start: Int) -> JSONTokenizer.Outcome? {
    guard byte == UInt8(ascii: "\\") else {
      if at < limit { return .failed(.controlCharacter(byte)) }
      backOffFromPiecesOfCharacters(start)
      return .needsMore(.closingQuote)
    }
    hasEscapes = true
    let letter = bytes[at + 1]
    guard JSONEscapes.meaning(of: letter) == nil else {
      at += 2
      return nil
    }
    guard letter == UInt8(ascii: "u") else {
      if at + 1 >= limit { return .needsMore(.escape) }
      at += 1
      return unexpected(.escape)
    }
    for digit in at + 2..<at + 6 where FieldParsing.hexDigit(bytes[digit]) == nil {
      if digit >= limit { return .needsMore(.hexDigit) }
      at = digit
      return unexpected(.hexDigit)
    }
    at += 6
    return nil
  }

  /// Moves back before the last character if it has several bytes, as some may be missing.
  private mutating func backOffFromPiecesOfCharacters(_ start: Int) {
    var lead = at - 1
    while lead > start, at - lead < 4, bytes[lead] & 0xC0 == 0x80 { lead -= 1 }
    if lead >= start, bytes[lead] >= 0xC0 { at = lead }
  }

  // MARK: - Numbers and words

  /// Moves behind a number; where bytes are missing the place stays.
  @inline(__always)
  mutating func passNumber(
    _ kind: inout JSONNode.Kind, isLast: Bool
  ) -> JSONTokenizer.Outcome? {
    let start = at
    if byte == UInt8(ascii: "-") { at &+= 1 }
    if byte == UInt8(ascii: "0") {
      at &+= 1
      if isDigit { return .failed(.leadingZero) }
    } else if let stop = passDigits(start) {
      return stop
    }
    if byte == UInt8(ascii: ".") {
      kind = .number
      at &+= 1
      if let stop = passDigits(start) { return stop }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      kind = .number
      at &+= 1
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { at &+= 1 }
      if let stop = passDigits(start) { return stop }
    }
    // The next bytes may be digits too.
    if at >= limit, !isLast {
      at = start
      return .needsMore(.digit)
    }
    return nil
  }

  @inline(__always)
  private var isDigit: Bool { byte &- UInt8(ascii: "0") < 10 }

  /// Moves over one digit or more.
  @inline(__always)
  private mutating func passDigits(_ start: Int) -> JSONTokenizer.Outcome? {
    guard isDigit else {
      let stop = unexpected(.digit)
      if case .needsMore = stop { at = start }
      return stop
    }
    repeat { at &+= 1 } while isDigit
    return nil
  }

  /// Moves behind `null`, `true` or `false`; where bytes are missing the place stays.
  mutating func passWord(
    _ kind: inout JSONNode.Kind, _ expected: JSONProblem.Expectation
  ) -> JSONTokenizer.Outcome? {
    let word: StaticString
    switch byte {
    case UInt8(ascii: "n"): (word, kind) = ("null", .null)
    case UInt8(ascii: "t"): (word, kind) = ("true", .true)
    case UInt8(ascii: "f"): (word, kind) = ("false", .false)
    default: return unexpected(expected)
    }
    for offset in 1..<word.utf8CodeUnitCount where bytes[at + offset] != word.utf8Start[offset] {
      if at + offset >= limit { return .needsMore(.word("\(word)")) }
      at += offset
      return unexpected(.word("\(word)"))
    }
    at += word.utf8CodeUnitCount
    return nil
  }
}
