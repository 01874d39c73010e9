/// A position in a JSON text that is moved token by token.
///
/// The byte at `limit` is 0, and the following `FileWindow.padding` bytes are readable.
struct JSONScan {
  let bytes: UnsafePointer<UInt8>
  let limit: Int
  var at: Int
  /// Whether a non-ASCII byte was seen in a string or in the seven bytes after it.
  var sawHighBits = false
  /// Whether an escape was seen in a string.
  var hasEscapes = false

  /// Creates a position.
  init(bytes: UnsafePointer<UInt8>, limit: Int, at: Int) {
    self.bytes = bytes
    self.limit = limit
    self.at = at
  }

  /// The byte at the position; 0 at the end.
  @inline(__always)
  var byte: UInt8 { bytes[at] }

  /// Returns the outcome for an unexpected byte; at the end, more bytes are needed.
  func unexpected(_ expected: JSONProblem.Expectation) -> JSONTokenizer.Outcome {
    at < limit ? .failed(.unexpected(.byte(byte), expected: expected)) : .needsMore(expected)
  }

  /// Moves to the next byte that is not blank.
  @inline(__always)
  mutating func skipBlanks() {
    while bytes[at] <= 0x20, Self.isBlank(bytes[at]) { at &+= 1 }
  }

  /// Returns whether a byte is one of the four white space characters of JSON.
  @inline(__always)
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  // MARK: - Strings

  /// Moves after the closing quote of a string, from any position inside it.
  ///
  /// - Returns: Nil after success. After `needsMore` the scan can continue at the position.
  @inline(__always)
  mutating func skipString() -> JSONTokenizer.Outcome? {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let start = at
    var seen: UInt64 = 0
    defer { if seen & highs != 0 { sawHighBits = true } }
    while true {
      // Eight bytes at a time: in `hits` the high bit is set for quotes, backslashes and control
      // characters; a false positive occurs only after a true one.
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
      if let stop = skipSpecial(since: start) { return stop }
    }
  }

  /// Moves after an escape; returns the reason if that is not possible.
  private mutating func skipSpecial(since start: Int) -> JSONTokenizer.Outcome? {
    guard byte == UInt8(ascii: "\\") else {
      if at < limit { return .failed(.controlCharacter(byte)) }
      backUpOverPartialCharacter(start)
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

  /// Moves before the last character if it has several bytes, because some may be missing.
  private mutating func backUpOverPartialCharacter(_ start: Int) {
    var lead = at - 1
    while lead > start, at - lead < 4, bytes[lead] & 0xC0 == 0x80 { lead -= 1 }
    if lead >= start, bytes[lead] >= 0xC0 { at = lead }
  }

  // MARK: - Numbers and words

  /// Moves after a number; if bytes are missing, the position does not change.
  @inline(__always)
  mutating func skipNumber(
    _ kind: inout JSONNode.Kind, isLast: Bool
  ) -> JSONTokenizer.Outcome? {
    let start = at
    if byte == UInt8(ascii: "-") { at &+= 1 }
    if byte == UInt8(ascii: "0") {
      at &+= 1
      if isDigit { return .failed(.leadingZero) }
    } else if let stop = skipDigits(start) {
      return stop
    }
    if byte == UInt8(ascii: ".") {
      kind = .number
      at &+= 1
      if let stop = skipDigits(start) { return stop }
    }
    if byte | 0x20 == UInt8(ascii: "e") {
      kind = .number
      at &+= 1
      if byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") { at &+= 1 }
      if let stop = skipDigits(start) { return stop }
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

  /// Moves after at least one digit.
  @inline(__always)
  private mutating func skipDigits(_ start: Int) -> JSONTokenizer.Outcome? {
    guard isDigit else {
      let stop = unexpected(.digit)
      if case .needsMore = stop { at = start }
      return stop
    }
    repeat { at &+= 1 } while isDigit
    return nil
  }

  /// Moves after `null`, `true` or `false`; if bytes are missing, the position does not change.
  mutating func skipWord(
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
