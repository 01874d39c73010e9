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
