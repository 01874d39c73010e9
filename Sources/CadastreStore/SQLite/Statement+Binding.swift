import CadastreGeometry
package import CadastreModel
package import CadastreSQLite
import Foundation

extension Statement {
  /// Binds a value in its stored form to a parameter; parameters are counted from 1.
  package func bind(_ value: Value, at index: Int) throws(StoreError) {
    switch value {
    case .null: try bindNull(at: index)
    case .bool(let value): try bind(integer: value ? 1 : 0, at: index)
    case .int(let value): try bind(integer: value, at: index)
    // SQLite stores NaN as null, and -0.0 in a REAL column as 0.
    case .float(let value) where value.isNaN || value.isNegativeZero:
      try bind(bigEndian: value.bitPattern, at: index)
    case .float(let value): try bind(real: Double(value), at: index)
    case .double(let value) where value.isNaN || value.isNegativeZero:
      try bind(bigEndian: value.bitPattern, at: index)
    case .double(let value): try bind(real: value, at: index)
    case .string(let value): try bind(text: value, at: index)
    case .data(let value): try bind(blob: value, at: index)
    case .date(let value): try bind(value, at: index)
    case .objectId(let value): try bind(blob: value.bytes, at: index)
    case .uuid(let value): try bind(blob: value.bytes, at: index)
    case .geometry(let value): try bind(blob: value.wkb(), at: index)
    case .decimal(let value): try bind(text: value.exactText, at: index)
    case .link(let key): try bind(integer: key.rawValue, at: index)
    // Without the name of their type these have no stored form, see `bind(_:of:at:)`.
    case .object, .list, .map: try bindNull(at: index)
    }
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

  private func bind(blob bytes: some ContiguousBytes, at index: Int) throws(StoreError) {
    let bound = bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try bind(bytes: bytes, at: index) }
    }
    try bound.get()
  }

  private func bind(
    bigEndian bits: some FixedWidthInteger, at index: Int
  ) throws(StoreError) {
    try bind(blob: withUnsafeBytes(of: bits.bigEndian) { Array($0) }, at: index)
  }

  /// Binds nanoseconds since 1970 as an integer.
  ///
  /// Where that overflows, before 1677 and after 2262, binds Foundation's seconds times 2^31 as a
  /// floating-point number: this loses nothing, and SQLite orders such a number before or after all
  /// integers.
  private func bind(_ timestamp: Timestamp, at index: Int) throws(StoreError) {
    let nanoseconds =
      Int128(timestamp.seconds) * Int128(Timestamp.nanosecondsPerSecond)
      + Int128(timestamp.nanoseconds)
    if let nanoseconds = Int64(exactly: nanoseconds) {
      return try bind(integer: nanoseconds, at: index)
    }
    try bind(
      real: timestamp.date.timeIntervalSinceReferenceDate * Self.distantDateScale, at: index)
  }

  /// The factor of the seconds in dates outside the range of the nanoseconds.
  static let distantDateScale = 0x1p31
}

extension BinaryFloatingPoint {
  /// Whether this is -0.0.
  var isNegativeZero: Bool { isZero && sign == .minus }
}
