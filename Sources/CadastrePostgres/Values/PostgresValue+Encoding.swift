import CadastreModel
import Foundation

extension PostgresValue {
  /// Appends the binary form of the value, without its length; nothing for null.
  package func write(to bytes: inout [UInt8]) {
    switch self {
    case .null: break
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int4(let value): bytes.appendBigEndian(value)
    case .int8(let value): bytes.appendBigEndian(value)
    case .float4(let value): bytes.appendBigEndian(value.bitPattern)
    case .float8(let value): bytes.appendBigEndian(value.bitPattern)
    case .text(let value): bytes.append(contentsOf: value.utf8)
    case .bytea(let value): bytes.append(contentsOf: value)
    case .uuid(let value): bytes.append(contentsOf: value.bytes)
    case .numeric(let value): value.write(to: &bytes)
    case .spatial(let value): bytes.append(contentsOf: value)
    case .array(let element, let values):
      bytes.appendBigEndian(Int32(values.isEmpty ? 0 : 1))
      bytes.appendBigEndian(Int32(values.contains(.null) ? 1 : 0))
      bytes.appendBigEndian(element.identifier)
      guard !values.isEmpty else { return }
      bytes.appendBigEndian(Int32(values.count))
      bytes.appendBigEndian(Int32(1))
      for value in values { value.writeField(to: &bytes) }
    }
  }

  /// Appends the length and the binary form of the value: a field of a row or an array.
  package func writeField(to bytes: inout [UInt8]) {
    guard self != .null else { return bytes.appendBigEndian(Int32(-1)) }
    let start = bytes.count
    bytes.appendBigEndian(Int32(0))
    write(to: &bytes)
    let length = UInt32(bytes.count - start - 4)
    for place in 0..<4 {
      bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * place))
    }
  }
}

extension [UInt8] {
  /// Appends the bytes of an integer, the most significant first.
  package mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}
