/// A reader of text in UTF-8 with a current offset.
struct TextReader {
  private let bytes: [UInt8]
  private(set) var offset = 0
  /// The conversion of coordinates; nil for degrees.
  var conversion: GeometryConversion?

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  var next: UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0d).contains(byte) { offset += 1 }
  }

  /// Consumes a character after optional white space; returns false if the next one differs.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// Consumes a character after optional white space, or throws if the next one differs.
  mutating func require(_ character: Unicode.Scalar) throws(GeometryTextError) {
    guard skip(character) else { throw error(expected: "'\(character)'") }
  }

  /// Consumes and returns the longest run of bytes that satisfy a condition.
  mutating func take(while isIncluded: (UInt8) -> Bool) -> String {
    let start = offset
    while let byte = next, isIncluded(byte) { offset += 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// Consumes a run of letters after optional white space and returns it in upper case.
  mutating func word() -> String {
    skipSpace()
    return take { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }.uppercased()
  }

  /// Consumes a finite decimal number after optional white space.
  mutating func number() throws(GeometryTextError) -> Double {
    skipSpace()
    let start = offset
    let text = take { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard let number = Double(text), number.isFinite else {
      offset = start
      throw error(expected: "a number")
    }
    return number
  }

  /// Sets the current offset.
  mutating func move(to offset: Int) {
    self.offset = offset
  }

  /// Consumes trailing white space, or throws if anything else follows.
  mutating func requireEnd() throws(GeometryTextError) {
    skipSpace()
    guard next == nil else { throw error(expected: "the end") }
  }

  /// Returns an error at an offset, by default the current one, with the text found there.
  func error(expected: String, at offset: Int? = nil) -> GeometryTextError {
    let offset = offset ?? self.offset
    let rest = bytes[offset...].prefix(20)
    let found = rest.isEmpty ? "the end" : "'" + String(decoding: rest, as: UTF8.self) + "'"
    return GeometryTextError(offset: offset, expected: expected, found: found)
  }
}

extension TextReader {
  /// Returns the geometry of a shape; `start` is the offset for errors.
  func geometry(_ shape: Geometry.Shape, from start: Int) throws(GeometryTextError) -> Geometry {
    do throws(GeometryError) {
      return try Geometry(shape, conversion)
    } catch {
      throw GeometryTextError(error, offset: start)
    }
  }

  /// Returns the position of numbers, longitude first; `start` is the offset for errors.
  func position(_ numbers: [Double], from start: Int) throws(GeometryTextError) -> GeoPosition {
    guard numbers.count >= 2,
      let position = GeoPosition(
        numbers[0], numbers[1],
        altitude: numbers.count > 2 && !numbers[2].isNaN ? numbers[2] : nil, conversion)
    else {
      throw error(expected: GeometryTextError.coordinatesInRange, at: start)
    }
    return position
  }
}
