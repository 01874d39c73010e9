import CadastreGeometry
package import CadastreModel
package import CadastreSQLite
import Foundation

extension StoredRow {
  /// Returns a column as the value of a property of some type.
  ///
  /// A value that is invalid for the type reads as null; another program may have written it. The type `any`
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
    case (.date, _): timestamp(column).map(Value.date) ?? .null
    case (.objectId, .blob):
      withBlobBytes(column) { $0.count == 12 ? .objectId(ObjectId(bytes: Array($0))) : .null }
    case (.decimal128, .text): Decimal128(parsing: text(column)).map(Value.decimal) ?? .null
    case (.UUID, .blob): withBlobBytes(column) { UUID(bytes: $0).map(Value.uuid) ?? .null }
    case (.geometry, .blob):
      withBlobBytes(column) { try? Geometry(wkb: UnsafeRawBufferPointer($0)) }
        .map(Value.geometry) ?? .null
    default: .null
    }
  }

  /// Returns a column of type double; NaN and -0.0 are stored as their eight bytes.
  package func double(_ column: Int) -> Double? {
    switch storage(column) {
    case .real, .integer: real(column)
    case .blob: bits(column, UInt64.self).map(Double.init(bitPattern:))
    case .null, .text: nil
    }
  }

  /// Returns a column of type float; NaN and -0.0 are stored as their four bytes.
  package func float(_ column: Int) -> Float? {
    switch storage(column) {
    case .real, .integer: Float(real(column))
    case .blob: bits(column, UInt32.self).map(Float.init(bitPattern:))
    case .null, .text: nil
    }
  }

  /// Returns a column of type date.
  package func timestamp(_ column: Int) -> Timestamp? {
    switch storage(column) {
    case .integer: StoredDate.nanoseconds(integer(column)).timestamp
    case .real: StoredDate.scaled(real(column)).timestamp
    case .blob: bits(column, UInt64.self).map { StoredDate.bits($0).timestamp }
    case .null, .text: nil
    }
  }

  private func bits<Bits: FixedWidthInteger & UnsignedInteger>(
    _ column: Int, _ type: Bits.Type
  ) -> Bits? {
    withBlobBytes(column) { $0.bits(type) }
  }
}

extension Value {
  /// Converts a value in an SQLite storage class to the value of a type that has this stored form; nil where
  /// the type has another stored form.
  package func stored(as type: PropertyType) -> Value? {
    switch (type, self) {
    case (_, .null), (.int, .int), (.string, .string), (.data, .data): self
    case (.bool, .int(let number)): .bool(number != 0)
    case (.double, .int), (.double, .double), (.float, .int), (.float, .double): self
    case (.double, .data(let bytes)):
      bytes.bits(UInt64.self).map { .double(Double(bitPattern: $0)) }
    case (.float, .data(let bytes)):
      bytes.bits(UInt32.self).map { .float(Float(bitPattern: $0)) }
    case (.date, .int(let nanoseconds)): .date(StoredDate.nanoseconds(nanoseconds).timestamp)
    case (.date, .double(let number)): .date(StoredDate.scaled(number).timestamp)
    case (.date, .data(let bytes)):
      bytes.bits(UInt64.self).map { .date(StoredDate.bits($0).timestamp) }
    case (.objectId, .data(let bytes)):
      bytes.count == 12 ? .objectId(ObjectId(bytes: Array(bytes))) : nil
    case (.UUID, .data(let bytes)): UUID(bytes: bytes).map(Value.uuid)
    case (.geometry, .data(let bytes)): (try? Geometry(wkb: bytes)).map(Value.geometry)
    case (.decimal128, .string(let text)): Decimal128(parsing: text).map(Value.decimal)
    case (.decimal128, .int), (.decimal128, .double): self
    default: nil
    }
  }
}

extension Double {
  /// Creates a number that is stored as its eight bytes; nil for other bytes.
  init?(stored bytes: [UInt8]) {
    guard let bits = bytes.bits(UInt64.self) else { return nil }
    self.init(bitPattern: bits)
  }
}

extension Collection<UInt8> {
  /// Returns the bytes as a big-endian number; nil for another number of bytes.
  fileprivate func bits<Bits: FixedWidthInteger & UnsignedInteger>(_ type: Bits.Type) -> Bits? {
    count * 8 == Bits.bitWidth ? reduce(0) { $0 << 8 | Bits($1) } : nil
  }
}
