public import Foundation
import Synchronization

/// A 12-byte unique identifier in the layout of MongoDB.
///
///     let id = ObjectId.generate()
///     let same = try ObjectId(string: id.stringValue)
///
/// It consists of the seconds since 1970 (4 bytes), a random number of the process (5 bytes) and a
/// counter (3 bytes), all big-endian. So identifiers sort roughly by creation time.
public final class ObjectId: Sendable {
  /// The twelve bytes.
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount)
    self.bytes = bytes
  }

  /// Creates an identifier of twelve zero bytes; ``generate()`` creates a unique one.
  public convenience init() { self.init(bytes: Array(repeating: 0, count: Self.byteCount)) }

  /// Creates an identifier from 24 hexadecimal digits.
  ///
  /// - Parameter string: The digits, in upper or lower case.
  /// - Throws: ``ObjectIdTextError`` if the text is anything else.
  public convenience init(string: String) throws {
    guard let bytes = Hexadecimal.bytes(string), bytes.count == Self.byteCount else {
      throw ObjectIdTextError(text: string)
    }
    self.init(bytes: bytes)
  }

  /// Creates an identifier from a literal of 24 hexadecimal digits.
  ///
  /// - Precondition: The text has 24 hexadecimal digits.
  /// - Parameter text: The digits, in upper or lower case.
  public convenience init(_ text: StaticString) {
    guard let bytes = Hexadecimal.bytes("\(text)"), bytes.count == Self.byteCount else {
      preconditionFailure("\(ObjectIdTextError(text: "\(text)"))")
    }
    self.init(bytes: bytes)
  }

  /// Creates an identifier from a timestamp, a machine and a process, with the next counter value.
  ///
  /// - Parameters:
  ///   - timestamp: The timestamp; fractions of a second are ignored.
  ///   - machineId: A number for the machine; its lower three bytes are used.
  ///   - processId: A number for the process; its lower two bytes are used.
  public convenience init(timestamp: Date, machineId: Int, processId: Int) {
    let unique =
      UInt64(truncatingIfNeeded: machineId) << 16 & 0xFF_FFFF_0000
      | UInt64(truncatingIfNeeded: processId) & 0xFFFF
    self.init(timestamp: timestamp, unique: unique)
  }

  /// Creates a unique identifier from the current time, a random number of the process and a
  /// counter.
  ///
  /// - Returns: An identifier that differs from all others of this process; the probability that it
  ///   equals one of another process is negligible.
  public static func generate() -> ObjectId {
    ObjectId(timestamp: Date(), unique: processUnique)
  }

  /// The timestamp in the first four bytes, in whole seconds.
  public var timestamp: Date {
    Date(timeIntervalSince1970: Double(bytes[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }))
  }

  /// The identifier as 24 hexadecimal digits in lower case.
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

  package static let byteCount = 12
  private static let processUnique = UInt64.random(in: 0...0xFF_FFFF_FFFF)
  private static let counter = Atomic<UInt32>(UInt32.random(in: 0...0xFF_FFFF))
}

extension ObjectId: Comparable, Hashable, CustomStringConvertible {
  /// Returns whether all twelve bytes are equal.
  public static func == (first: ObjectId, second: ObjectId) -> Bool { first.bytes == second.bytes }

  /// Returns whether the bytes of the first identifier precede those of the second in byte order.
  public static func < (first: ObjectId, second: ObjectId) -> Bool {
    first.bytes.lexicographicallyPrecedes(second.bytes)
  }

  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// The identifier as 24 hexadecimal digits in lower case.
  public var description: String { stringValue }
}

extension ObjectId: Codable {
  /// Decodes a string of 24 hexadecimal digits.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: `DecodingError` if there is no string, ``ObjectIdTextError`` for any other string.
  public convenience init(from decoder: any Decoder) throws {
    try self.init(string: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes a string of 24 hexadecimal digits.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}

/// The error for a text other than 24 hexadecimal digits.
public struct ObjectIdTextError: Error, Hashable, CustomStringConvertible {
  /// The text.
  public let text: String

  /// One sentence: what was expected and the first 80 characters of what was found.
  public var description: String {
    "expected 24 hexadecimal digits for an object id, found '\(text.prefix(80))'"
  }
}

/// Conversion between bytes and hexadecimal digits.
package enum Hexadecimal {
  /// Returns two lower-case digits for each byte.
  package static func text(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns the bytes for digits in either case; nil for an odd number of digits or other characters.
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
