import CadastreModel

/// The interpretation of the fields of a text table.
struct TextFields: Sendable {
  /// Whether an empty field means null.
  let nullIsEmpty: Bool
  /// The other texts for null.
  private let nullTexts: [[UInt8]]
  private let hasDecimalComma: Bool
  private let dateFormat: DateFormat?

  /// Creates an interpretation with the texts for null, the decimal separator and the form of dates.
  init(nullTexts: [String] = [""], hasDecimalComma: Bool = false, dateFormat: DateFormat? = nil) {
    nullIsEmpty = nullTexts.contains("")
    self.nullTexts = nullTexts.filter { !$0.isEmpty }.map { Array($0.utf8) }
    self.hasDecimalComma = hasDecimalComma
    self.dateFormat = dateFormat
  }

  /// Parses a date in the given form, or in ISO 8601 if none is given; nil for other text.
  func date(_ bytes: UnsafeBufferPointer<UInt8>) -> Timestamp? {
    dateFormat.map { $0.timestamp(bytes) } ?? FieldParsing.date(bytes)
  }

  /// Returns whether a field means null.
  @inline(__always)
  func isNull(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if bytes.isEmpty { return nullIsEmpty }
    guard !nullTexts.isEmpty else { return false }
    for text in nullTexts where bytes.count == text.count && bytes.elementsEqual(text) {
      return true
    }
    return false
  }

  /// Calls a closure with the bytes of a field without blanks at its ends; a decimal comma is
  /// replaced by a decimal point.
  ///
  /// With decimal commas, points and blanks between groups of three digits are removed.
  @inline(__always)
  func withNumber<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    hasDecimalComma ? withPoint(bytes.trimmingBlanks(), body) : body(bytes.trimmingBlanks())
  }

  private func withPoint<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard bytes.count <= 64 else { return body(bytes) }
    var copy = DigitGroups.joined(bytes) ?? Array(bytes)
    guard let comma = copy.firstIndex(of: UInt8(ascii: ",")),
      copy.allSatisfy({ $0 != UInt8(ascii: ".") && $0 < UInt8(ascii: "A") || $0 | 0x20 == 0x65 })
    else { return copy.withUnsafeBufferPointer(body) }
    copy[comma] = UInt8(ascii: ".")
    return copy.withUnsafeBufferPointer(body)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The bytes without spaces and tabs at their ends.
  @inline(__always)
  func trimmingBlanks() -> UnsafeBufferPointer {
    func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    guard isBlank(first) || isBlank(last) else { return self }
    guard let start = firstIndex(where: { !isBlank($0) }),
      let end = lastIndex(where: { !isBlank($0) })
    else { return UnsafeBufferPointer(rebasing: self[..<0]) }
    return UnsafeBufferPointer(rebasing: self[start...end])
  }
}

/// Numbers whose digits are in groups of three: `1.488,2`, `1 488,2`.
enum DigitGroups {
  /// The separators of groups: a point, a blank, an apostrophe, a no-break space, a narrow one.
  private static let separators: [[UInt8]] = [".", " ", "'", "\u{A0}", "\u{202F}", "\u{2019}"]
    .map { Array($0.utf8) }

  /// Returns a number without the separators of its groups.
  ///
  /// - Parameter bytes: An integer or a number with a decimal comma.
  /// - Returns: The bytes without separators; nil if there are no groups of three digits.
  static func joined(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard
      let separator = separators.first(where: { separator in
        bytes.contains(separator[0]) && bytes.count > separator.count
      })
    else { return nil }
    let end = bytes.firstIndex(of: UInt8(ascii: ",")) ?? bytes.endIndex
    var joined: [UInt8] = []
    var digits = 0
    var groups = 0
    var at = 0
    while at < end {
      if FieldParsing.digit(bytes[at]) != nil {
        digits += 1
        joined.append(bytes[at])
        at += 1
      } else if bytes[at..<end].starts(with: separator) {
        guard groups == 0 ? 1...3 ~= digits : digits == 3 else { return nil }
        groups += 1
        digits = 0
        at += separator.count
      } else {
        guard at == 0, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") else {
          return nil
        }
        joined.append(bytes[at])
        at += 1
      }
    }
    guard groups > 0, digits == 3 else { return nil }
    return joined + bytes[end...]
  }
}
