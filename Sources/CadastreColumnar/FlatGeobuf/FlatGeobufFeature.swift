import CadastreModel
import Foundation

/// A feature of a FlatGeobuf file.
struct FlatGeobufFeature {
  /// The number in the file, from 1.
  let number: Int
  let buffer: FlatBuffer

  /// Returns the geometry; nil if there is none.
  func geometry(_ header: FlatGeobufHeader) throws(ColumnarError) -> FlatGeobufGeometry? {
    guard let table = try buffer.table(0, of: try buffer.root()) else { return nil }
    return try FlatGeobufGeometry(buffer, table, type: header.geometryType)
  }

  /// Returns a value for each column of the header; null if the feature has none.
  ///
  /// A time stays text; the caller converts it.
  func values(_ header: FlatGeobufHeader) throws(ColumnarError) -> [Value] {
    var values = [Value](repeating: .null, count: header.columns.count)
    let root = try buffer.root()
    guard let vector = try buffer.vector(1, of: root, elementBytes: 1) else { return values }
    guard try buffer.vector(2, of: root, elementBytes: 4) == nil else {
      throw .unsupported("feature \(number) has columns of its own")
    }
    var input = ByteReader(
      buffer.bytes, vector.start..<vector.start + vector.count, base: buffer.base)
    var seen = Set<Int>()
    while input.remaining > 0 {
      let index = Int(try input.integer(UInt16.self))
      guard index < values.count, seen.insert(index).inserted else {
        throw input.corrupt(
          "column \(index)", expected: "each of \(values.count) columns at most once")
      }
      values[index] = try value(header.columns[index].kind, &input)
    }
    return values
  }

  private func value(
    _ kind: FlatGeobufColumn.Kind, _ input: inout ByteReader
  ) throws(ColumnarError) -> Value {
    switch kind {
    case .int8: return .int(Int64(Int8(bitPattern: try input.byte())))
    case .uint8: return .int(Int64(try input.byte()))
    case .bool: return .bool(try input.byte() != 0)
    case .int16: return .int(Int64(Int16(bitPattern: try input.integer(UInt16.self))))
    case .uint16: return .int(Int64(try input.integer(UInt16.self)))
    case .int32: return .int(Int64(Int32(bitPattern: try input.integer(UInt32.self))))
    case .uint32: return .int(Int64(try input.integer(UInt32.self)))
    case .int64: return .int(Int64(bitPattern: try input.integer(UInt64.self)))
    case .uint64:
      let word = try input.integer(UInt64.self)
      if let number = Int64(exactly: word) { return .int(number) }
      return .decimal(Decimal128(isNegative: false, exactly: UInt128(word), exponent: 0))
    case .float: return .float(Float(bitPattern: try input.integer(UInt32.self)))
    case .double: return .double(Double(bitPattern: try input.integer(UInt64.self)))
    case .string, .json, .dateTime:
      return .string(String(decoding: try bytes(&input), as: UTF8.self))
    case .binary: return .data(Data(try bytes(&input)))
    }
  }

  private func bytes(_ input: inout ByteReader) throws(ColumnarError) -> ArraySlice<UInt8> {
    let count = Int(try input.integer(UInt32.self))
    return input.bytes[try input.skip(count, "a value")]
  }
}
