package import CadastreModel
import Foundation

extension Statement {
  /// A column as the value of a property of some type.
  ///
  /// What the type cannot hold (a foreign tool may have written it) reads as null. A value of any type
  /// takes this column and the next.
  package func value(_ column: Int, as type: PropertyType) -> Value {
    switch (type, storage(column)) {
    case (.any, _): mixedValue(column)
    case (_, .null): .null
    case (.int, .integer): .int(integer(column))
    case (.bool, .integer): .bool(integer(column) != 0)
    case (.object, .integer): .link(ObjectKey(integer(column)))
    case (.double, _): double(column).map(Value.double) ?? .null
    case (.float, _): float(column).map(Value.float) ?? .null
    case (.string, .text): .string(text(column))
    case (.data, .blob): .data(withBlobBytes(column) { Data($0) })
    case (.date, _): moment(column).map(Value.date) ?? .null
    case (.objectId, .blob):
      withBlobBytes(column) { $0.count == 12 ? .objectId(ObjectId(bytes: Array($0))) : .null }
    case (.decimal128, .text): Decimal128(parsing: text(column)).map(Value.decimal) ?? .null
    case (.UUID, .blob): withBlobBytes(column) { UUID(bytes: $0).map(Value.uuid) ?? .null }
    default: .null
    }
  }

  /// A column of 64-bit fractions; NaN and -0.0 are stored as their eight bytes.
  package func double(_ column: Int) -> Double? {
    switch storage(column) {
    case .real, .integer: real(column)
    case .blob: bits(column, UInt64.self).map(Double.init(bitPattern:))
    case .null, .text: nil
    }
  }

  /// A column of 32-bit fractions; NaN and -0.0 are stored as their four bytes.
  package func float(_ column: Int) -> Float? {
    switch storage(column) {
    case .real, .integer: Float(real(column))
    case .blob: bits(column, UInt32.self).map(Float.init(bitPattern:))
    case .null, .text: nil
    }
  }

  /// A column of moments.
  package func moment(_ column: Int) -> Timestamp? {
    switch storage(column) {
    case .integer: Timestamp(seconds: 0, nanoseconds: integer(column))
    case .real: Timestamp(Date(timeIntervalSinceReferenceDate: real(column) / Self.farDateScale))
    case .null, .text, .blob: nil
    }
  }

  private func bits<Bits: FixedWidthInteger & UnsignedInteger>(
    _ column: Int, _ type: Bits.Type
  ) -> Bits? {
    withBlobBytes(column) { bytes in
      bytes.count * 8 == Bits.bitWidth ? bytes.reduce(0) { $0 << 8 | Bits($1) } : nil
    }
  }
}
