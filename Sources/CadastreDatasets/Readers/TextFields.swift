/// The interpretation of the fields of a text table.
struct TextFields: Sendable {
  private let nullText: [UInt8]
  private let hasDecimalComma: Bool

  /// Creates an interpretation with a text for null and the kind of decimal separator.
  init(nullText: String = "", hasDecimalComma: Bool = false) {
    self.nullText = Array(nullText.utf8)
    self.hasDecimalComma = hasDecimalComma
  }

  /// Whether an empty field means null.
  var nullIsEmpty: Bool { nullText.isEmpty }

  /// Returns whether a field means null.
  @inline(__always)
  func isNull(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count == nullText.count && bytes.elementsEqual(nullText)
  }

  /// Calls a closure with the bytes of a field; a decimal comma is replaced by a decimal point.
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
