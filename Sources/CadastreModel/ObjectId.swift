public import Foundation
import Synchronization

/// A 12-byte identifier in MongoDB's layout: seconds since 1970, five random bytes of the process,
/// and a counter, all big-endian; so byte order is roughly the order of creation.
public final class ObjectId: Sendable {
  /// The twelve bytes.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount)
    self.bytes = bytes
  }

  /// Twelve zero bytes; see ``generate()`` for a unique one.
  public convenience init() { self.init(bytes: Array(repeating: 0, count: Self.byteCount)) }

  /// The identifier written as 24 hexadecimal digits of either case.
  ///
  /// - Throws: ``ObjectIdTextError`` when the text is anything else.
  public convenience init(string: String) throws {
    guard let bytes = Hexadecimal.bytes(string), bytes.count == Self.byteCount else {
      throw ObjectIdTextError(text: string)
    }
    self.init(bytes: bytes)
  }

  /// The identifier written as 24 hexadecimal digits in the source; anything else stops the process.
  public convenience init(_ text: StaticString) {
    guard let bytes = Hexadecimal.bytes("\(text)"), bytes.count == Self.byteCount else {
      preconditionFailure("\(ObjectIdTextError(text: "\(text)"))")
    }
    self.init(bytes: bytes)
  }

  /// An identifier made of a time (whole seconds), three bytes of `machineId`, two of `processId`,
  /// and the next count of this process.
  public convenience init(timestamp: Date, machineId: Int, processId: Int) {
    let unique =
      UInt64(truncatingIfNeeded: machineId) << 16 & 0xFF_FFFF_0000
      | UInt64(truncatingIfNeeded: processId) & 0xFFFF
    self.init(timestamp: timestamp, unique: unique)
  }

  /// A new identifier, different from every other of this process and, in all likelihood, of any.
  public static func generate() -> ObjectId {
    ObjectId(timestamp: Date(), unique: processUnique)
  }

  /// The time in the first four bytes, in whole seconds.
  public var timestamp: Date {
    Date(timeIntervalSince1970: Double(bytes[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
  }

  /// 24 lower-case hexadecimal digits.
  public var stringValue: String { Hexadecimal.text(bytes) }

  private convenience init(timestamp: Date, unique: UInt64) {
    let seconds = UInt32(truncatingIfNeeded: Timestamp(timestamp).seconds)
    let count = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
    var bytes: [UInt8] = []
    for shift in stride(from: 24, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: seconds >> UInt32(shift)))
    }
    for shift in stride(from: 32, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: unique >> UInt64(shift)))
    }
    for shift in stride(from: 16, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: count >> UInt32(shift)))
    }
    self.init(bytes: bytes)
  }

  private static let byteCount = 12
  private static let processUnique = UInt64.random(in: 0...0xFF_FFFF_FFFF)
  private static let counter = Atomic<UInt32>(UInt32.random(in: 0...0xFF_FFFF))
}

extension ObjectId: Comparable, Hashable, CustomStringConvertible {
  /// Equal when all twelve bytes are.
  public static func == (first: ObjectId, second: ObjectId) -> Bool { first.bytes == second.bytes }
  /// Byte order.
  public static func < (first: ObjectId, second: ObjectId) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }
  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
  /// 24 lower-case hexadecimal digits.
  public var description: String { stringValue }
}

extension ObjectId: Codable {
  /// Reads 24 hexadecimal digits.
  public convenience init(from decoder: any Decoder) throws {
    try self.init(string: decoder.singleValueContainer().decode(String.self))
  }
  /// Writes 24 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}

/// Text that is not an object id.
public struct ObjectIdTextError: Error, Hashable, CustomStringConvertible {
  /// What was found.
  public let text: String
  /// The sentence.
  public var description: String {
    "expected 24 hexadecimal digits for an object id, found '\(text.prefix(80))'"
  }
}

/// Bytes as pairs of hexadecimal digits.
package enum Hexadecimal {
  /// Two lower-case digits a byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of an even number of digits of either case, or nil.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = text.utf8.compactMap(digit)
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
