/// Decoding of escapes in strings.
///
/// Source: RFC 8259, section 7.
enum JSONEscapes {
  /// Returns the character for a letter after a backslash, except `u`; nil if it is no escape.
  static func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// Decodes the escapes of a string in place; the tokenizer has validated their syntax.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the record.
  ///   - node: The string; its end is moved to the end of the decoded text.
  /// - Returns: The first unpaired surrogate and its offset; it is removed from the string. Nil if
  ///   there is none.
  static func remove(
    from bytes: UnsafeMutableBufferPointer<UInt8>, _ node: inout JSONNode
  ) -> (unit: UInt16, offset: Int)? {
    var from = Int(node.start)
    var to = from
    let end = Int(node.end)
    var lone: (unit: UInt16, offset: Int)?
    while from < end {
      guard bytes[from] == UInt8(ascii: "\\") else {
        bytes[to] = bytes[from]
        from += 1
        to += 1
        continue
      }
      if let byte = meaning(of: bytes[from + 1]) {
        bytes[to] = byte
        from += 2
        to += 1
        continue
      }
      let (scalar, length) = scalar(bytes, from, end)
      if let scalar {
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          bytes[to] = byte
          to += 1
        }
      } else if lone == nil {
        lone = (unit(bytes, from), from)
      }
      from += length
    }
    node.end = UInt32(to)
    node.hasEscapes = false
    return lone
  }

  /// Returns the character of one or two escapes `\u`, and the number of their bytes.
  private static func scalar(
    _ bytes: UnsafeMutableBufferPointer<UInt8>, _ at: Int, _ end: Int
  ) -> (Unicode.Scalar?, Int) {
    let first = unit(bytes, at)
    guard UTF16.isLeadSurrogate(first), at + 12 <= end, bytes[at + 6] == UInt8(ascii: "\\"),
      bytes[at + 7] == UInt8(ascii: "u"), UTF16.isTrailSurrogate(unit(bytes, at + 6))
    else {
      return (Unicode.Scalar(first), 6)
    }
    let pair = UTF16.EncodedScalar([first, unit(bytes, at + 6)])
    return (UTF16.decode(pair), 12)
  }

  /// Returns the UTF-16 code unit of the escape `\uXXXX` at an offset.
  private static func unit(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ at: Int) -> UInt16 {
    var unit: UInt16 = 0
    for byte in bytes[at + 2..<at + 6] {
      unit = unit << 4 | UInt16(FieldParsing.hexDigit(byte) ?? 0)
    }
    return unit
  }
}
