/// How the fields of a table of text are to be understood.
struct TextFields: Sendable {
  private let nullText: [UInt8]
  private let hasDecimalComma: Bool

  /// The text that stands for null, and whether a comma stands before the fraction of a number.
  init(nullText: String = "", hasDecimalComma: Bool = false) {
    self.nullText = Array(nullText.utf8)
    self.hasDecimalComma = hasDecimalComma
  }

  /// Whether nothing stands for null.
  var nullIsEmpty: Bool { nullText.isEmpty }

  /// Whether a field stands for null.
  @inline(__always)
  func isNull(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count == nullText.count && bytes.elementsEqual(nullText)
  }

  /// Hands over the bytes of a field with a full stop before its fraction, if it is a number.
  @inline(__always)
  func withNumber<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    hasDecimalComma ? withPoint(bytes, body) : body(bytes)
  }

  private func withPoint<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    guard bytes.count <= 64, let comma = bytes.firstIndex(of: UInt8(ascii: ",")),
      bytes.allSatisfy({ $0 != UInt8(ascii: ".") && $0 < UInt8(ascii: "A") || $0 | 0x20 == 0x65 })
    else { return body(bytes) }
    var copy = Array(bytes)
    copy[comma] = UInt8(ascii: ".")
    return copy.withUnsafeBufferPointer(body)
  }
}
