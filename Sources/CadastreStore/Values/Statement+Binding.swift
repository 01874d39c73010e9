import CadastreGeometry
package import CadastreModel
package import CadastreSQLite
import Foundation

extension Statement {
  /// Binds a value in its stored form to a parameter; parameters are counted from 1.
  package func bind(_ value: Value, at index: Int) throws(StoreError) {
    try value.store(in: StatementParameter(self, index))
  }

  /// Binds a value in the stored form of a column of some type.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - type: The type of the column; `any` takes two parameters.
  ///   - index: The first parameter.
  /// - Returns: The next parameter.
  /// - Throws: ``StoreError`` when the value is larger than SQLite's limit.
  package func bind(
    _ value: Value, of type: PropertyType, at index: Int
  ) throws(StoreError) -> Int {
    guard type == .any else {
      try bind(value, at: index)
      return index + 1
    }
    let form = MixedForm(value)
    try bind(form.value, at: index)
    try bind(form.type, at: index + 1)
    return index + 2
  }
}

extension Value {
  /// Stores the value in its stored form.
  func store(in target: some ValueTarget) throws(StoreError) {
    switch self {
    case .null: try target.setNull()
    case .bool(let value): try target.set(integer: value ? 1 : 0)
    case .int(let value): try target.set(integer: value)
    // SQLite stores NaN as null, and -0.0 in a REAL column as 0.
    case .float(let value) where value.isNaN || value.isNegativeZero:
      try target.set(bigEndian: value.bitPattern)
    case .float(let value): try target.set(real: Double(value))
    case .double(let value) where value.isNaN || value.isNegativeZero:
      try target.set(bigEndian: value.bitPattern)
    case .double(let value): try target.set(real: value)
    case .string(let value): try target.set(text: value)
    case .data(let value): try target.set(blob: value)
    case .date(let value):
      switch StoredDate(value) {
      case .nanoseconds(let number): try target.set(integer: number)
      case .scaled(let number): try target.set(real: number)
      case .bits(let bits): try target.set(bigEndian: bits)
      }
    case .objectId(let value): try target.set(blob: value.bytes)
    case .uuid(let value): try target.set(blob: value.bytes)
    case .geometry(let value): try target.set(blob: value.wkb())
    case .decimal(let value): try target.set(text: value.exactText)
    case .link(let key): try target.set(integer: key.rawValue)
    // Objects, lists and maps have a stored form only together with the name of their type, see
    // `bind(_:of:at:)`.
    case .object, .list, .map: try target.setNull()
    }
  }
}

extension ValueTarget {
  fileprivate func set(blob bytes: some ContiguousBytes) throws(StoreError) {
    let stored = bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try set(bytes: bytes) }
    }
    try stored.get()
  }

  fileprivate func set(bigEndian bits: some FixedWidthInteger) throws(StoreError) {
    try set(blob: withUnsafeBytes(of: bits.bigEndian) { Array($0) })
  }
}

extension BinaryFloatingPoint {
  /// Whether this is -0.0.
  var isNegativeZero: Bool { isZero && sign == .minus }
}
