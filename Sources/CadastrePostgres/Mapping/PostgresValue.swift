import CadastreModel
package import Foundation

/// A value of a column or parameter, which the protocol transfers in the binary form of its type.
package enum PostgresValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int4(Int32)
  case int8(Int64)
  case float4(Float)
  case float8(Double)
  case text(String)
  case bytea(Data)
  case uuid(UUID)
  case numeric(PostgresNumeric)
  /// A geometry or geography as extended well-known binary.
  case spatial([UInt8])
  indirect case array(PostgresType, [PostgresValue])

  /// The type; nil for null.
  package var type: PostgresType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int4: .int4
    case .int8: .int8
    case .float4: .float4
    case .float8: .float8
    case .text: .text
    case .bytea: .bytea
    case .uuid: .uuid
    case .numeric: .numeric
    case .spatial: .geometry
    case .array(let element, _): .array(element)
    }
  }
}

/// A type of PostgreSQL or PostGIS that columns and parameters have.
package indirect enum PostgresType: Hashable, Sendable {
  case bool, int4, int8, float4, float8, text, bytea, uuid, numeric, geometry, geography
  case array(PostgresType)

  /// The name in SQL.
  package var name: String {
    switch self {
    case .bool: "boolean"
    case .int4: "int4"
    case .int8: "int8"
    case .float4: "float4"
    case .float8: "float8"
    case .text: "text"
    case .bytea: "bytea"
    case .uuid: "uuid"
    case .numeric: "numeric"
    case .geometry: "geometry"
    case .geography: "geography"
    case .array(let element): element.name + "[]"
    }
  }

  /// The object identifier of a built-in type; 0 for a type of an extension, which differs between databases.
  package var identifier: UInt32 {
    switch self {
    case .bool: 16
    case .bytea: 17
    case .int8: 20
    case .int4: 23
    case .text: 25
    case .float4: 700
    case .float8: 701
    case .numeric: 1700
    case .uuid: 2950
    case .geometry, .geography: 0
    case .array(let element): Self.arrayIdentifiers[element.identifier] ?? 0
    }
  }

  /// The identifiers of array types, by the identifiers of their element types.
  private static let arrayIdentifiers: [UInt32: UInt32] = [
    16: 1000, 17: 1001, 20: 1016, 23: 1007, 25: 1009, 700: 1021, 701: 1022, 1700: 1231, 2950: 2951,
  ]

  /// Creates the type with an object identifier; nil for an unsupported type.
  package init?(identifier: UInt32) {
    guard let type = Self.types[identifier] else { return nil }
    self = type
  }

  /// The built-in types by their identifiers.
  private static let types: [UInt32: PostgresType] = {
    let single: [PostgresType] = [
      .bool, .int4, .int8, .float4, .float8, .text, .bytea, .uuid, .numeric,
    ]
    return Dictionary(
      uniqueKeysWithValues: (single + single.map(PostgresType.array)).map { ($0.identifier, $0) })
  }()
}

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

  /// The length and the binary form of the value; equal for equal values.
  var fieldBytes: [UInt8] {
    var bytes: [UInt8] = []
    writeField(to: &bytes)
    return bytes
  }

  /// Appends the length and the binary form of the value: a field of a row or an array.
  package func writeField(to bytes: inout [UInt8]) {
    guard self != .null else { return bytes.appendBigEndian(Int32(-1)) }
    let start = bytes.count
    bytes.appendBigEndian(Int32(0))
    write(to: &bytes)
    let length = UInt32(bytes.count - start - 4)
    for offset in 0..<4 {
      bytes[start + offset] = UInt8(truncatingIfNeeded: length >> (24 - 8 * offset))
    }
  }
}

extension [UInt8] {
  /// Appends the bytes of an integer, the most significant first.
  package mutating func appendBigEndian(_ value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }
}

extension PostgresValue {
  /// Reads the binary form of a value; nil for an unsupported type or invalid bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of a non-null field.
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

/// A reader of big-endian integers that returns nil past the end.
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

/// An encoder of the stream of `COPY` in the binary format.
package struct CopyStream: Sendable {
  /// The bytes since the last ``take()``.
  package private(set) var bytes: [UInt8]

  /// The number of bytes of the header.
  static let headerLength = 19

  /// Begins a stream with the header of the format.
  package init() { bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0] }

  /// Appends a row.
  package mutating func append(_ row: [PostgresValue]) {
    bytes.appendBigEndian(Int16(row.count))
    for value in row { value.writeField(to: &bytes) }
  }

  /// Appends the end of the stream.
  package mutating func finish() { bytes.appendBigEndian(Int16(-1)) }

  /// Returns and removes the bytes since the last call.
  package mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
