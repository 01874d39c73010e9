import CadastreModel
import Foundation

extension PostgresValue {
  /// Reads the binary form of a value; nil if the type is not known or the bytes do not fit it.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a field that is not null.
  ///   - identifier: The object identifier of the type.
  package init?(_ bytes: [UInt8], type identifier: UInt32) {
    guard let type = PostgresType(identifier: identifier) else { return nil }
    var reader = BinaryReader(bytes[...])
    switch type {
    case .bool:
      guard bytes.count == 1 else { return nil }
      self = .bool(bytes[0] != 0)
    case .int4:
      guard let value = reader.integer(Int32.self) else { return nil }
      self = .int4(value)
    case .int8:
      guard let value = reader.integer(Int64.self) else { return nil }
      self = .int8(value)
    case .float4:
      guard let value = reader.integer(UInt32.self) else { return nil }
      self = .float4(Float(bitPattern: value))
    case .float8:
      guard let value = reader.integer(UInt64.self) else { return nil }
      self = .float8(Double(bitPattern: value))
    case .text:
      guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
      self = .text(text)
    case .bytea: self = .bytea(Data(bytes))
    case .uuid:
      guard let uuid = UUID(bytes: bytes) else { return nil }
      self = .uuid(uuid)
    case .numeric:
      guard let number = PostgresNumeric(&reader) else { return nil }
      self = .numeric(number)
    case .array(let element):
      guard let values = Self.elements(of: element, &reader) else { return nil }
      self = .array(element, values)
    case .geometry, .geography: return nil
    }
    switch type {
    case .text, .bytea, .uuid, .bool: break
    default: guard reader.isAtEnd else { return nil }
    }
  }

  private static func elements(
    of type: PostgresType, _ reader: inout BinaryReader
  ) -> [PostgresValue]? {
    guard let dimensions = reader.integer(Int32.self), reader.integer(Int32.self) != nil,
      let element = reader.integer(UInt32.self), element == type.identifier
    else { return nil }
    if dimensions == 0 { return [] }
    guard dimensions == 1, let count = reader.integer(Int32.self), count >= 0,
      reader.integer(Int32.self) != nil
    else { return nil }
    var values: [PostgresValue] = []
    for _ in 0..<count {
      guard let length = reader.integer(Int32.self) else { return nil }
      if length == -1 {
        values.append(.null)
      } else {
        guard let bytes = reader.bytes(Int(length)),
          let value = PostgresValue(bytes, type: element)
        else { return nil }
        values.append(value)
      }
    }
    return values
  }
}

/// A reader of big-endian integers that refuses to read past the end.
package struct BinaryReader {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Whether all bytes were read.
  package var isAtEnd: Bool { rest.isEmpty }

  /// Reads an integer; nil if too few bytes are left.
  package mutating func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
    let count = MemoryLayout<Number>.size
    guard count <= rest.count else { return nil }
    var number: Number = 0
    for byte in rest.prefix(count) { number = number << 8 | Number(truncatingIfNeeded: byte) }
    rest = rest.dropFirst(count)
    return number
  }

  /// Reads some bytes; nil if too few are left.
  package mutating func bytes(_ count: Int) -> [UInt8]? {
    guard count >= 0, count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
