import CadastreGeometry
package import CadastreModel
import CadastreSQLite
import Foundation

extension Value {
  /// Returns a value of SQLite's storage classes as the value of a type that is stored so; nil where
  /// the type is not stored so.
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

extension Data {
  /// The bytes as a big-endian number; nil for another number of bytes.
  fileprivate func bits<Bits: FixedWidthInteger & UnsignedInteger>(_ type: Bits.Type) -> Bits? {
    count * 8 == Bits.bitWidth ? reduce(0) { $0 << 8 | Bits($1) } : nil
  }
}
