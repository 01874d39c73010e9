/// Reads bytes from the front, knowing where it is.
struct TextReader {
  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  var next: UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  mutating func skipSpace() {
    while let byte = next, byte == 0x20 || (0x09...0x0d).contains(byte) { offset += 1 }
  }

  /// Goes past a character after any space; false if another one stands there.
  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  /// Goes past a character after any space.
  mutating func require(_ character: Unicode.Scalar) throws(GeometryTextError) {
    guard skip(character) else { throw error(expected: "'\(character)'") }
  }

  /// Takes the bytes as long as they are wanted.
  mutating func take(while isWanted: (UInt8) -> Bool) -> String {
    let start = offset
    while let byte = next, isWanted(byte) { offset += 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  /// Takes a letter word after any space, in capitals; empty if there is none.
  mutating func word() -> String {
    skipSpace()
    return take { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }.uppercased()
  }

  /// Takes a finite decimal number after any space.
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

  /// Goes back to an earlier place.
  mutating func offset(to place: Int) {
    offset = place
  }

  /// Goes past trailing space to the end.
  mutating func requireEnd() throws(GeometryTextError) {
    skipSpace()
    guard next == nil else { throw error(expected: "the end") }
  }

  /// An error at this place, or at an earlier one, that shows what stands there.
  func error(expected: String, at place: Int? = nil) -> GeometryTextError {
    let place = place ?? offset
    let rest = bytes[place...].prefix(20)
    let found = rest.isEmpty ? "the end" : "'" + String(decoding: rest, as: UTF8.self) + "'"
    return GeometryTextError(offset: place, expected: expected, found: found)
  }
}
