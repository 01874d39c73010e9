import CSQLite
package import CadastreModel
import Foundation

/// One prepared statement.
///
/// Rows are read between `step()` and the next `step()` or `reset()`.
package final class Statement {
  private unowned let connection: Connection
  private let handle: OpaquePointer
  /// The text, with placeholders.
  package let sql: String
  /// Whether a row is being read, so that the statement cannot be used by somebody else.
  private(set) var isInUse = false

  init(_ sql: String, on connection: Connection) throws(StoreError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else {
      throw connection.error(code, statement: sql)
    }
    self.sql = sql
    self.connection = connection
    handle = prepared
  }

  deinit { sqlite3_finalize(handle) }

  // MARK: Running

  /// Moves to the next row; false at the end, where the statement is reset.
  package func step() throws(StoreError) -> Bool {
    // Nothing is written for a row after the first, which keeps long scans fast.
    if !isInUse {
      connection.statementsRun += 1
      isInUse = true
    }
    let code = sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      reset()
      return false
    default:
      let error = connection.error(code, statement: sql)
      reset()
      throw error
    }
  }

  /// Runs to the end.
  package func run() throws(StoreError) {
    while try step() {}
  }

  /// Ends reading; bound values stay.
  package func reset() {
    sqlite3_reset(handle)
    isInUse = false
  }

  // MARK: Binding, places counted from 1

  /// Binds a value in its stored form.
  package func bind(_ value: Value, at place: Int) throws(StoreError) {
    let place = Int32(place)
    let code: Int32 =
      switch value {
      case .null: sqlite3_bind_null(handle, place)
      case .bool(let value): sqlite3_bind_int64(handle, place, value ? 1 : 0)
      case .int(let value): sqlite3_bind_int64(handle, place, value)
      // SQLite makes null of NaN, and 0 of -0.0 in a column of fractions.
      case .float(let value) where value.isNaN || value.isNegativeZero:
        bind(bigEndianBytes(value.bitPattern), place)
      case .float(let value): sqlite3_bind_double(handle, place, Double(value))
      case .double(let value) where value.isNaN || value.isNegativeZero:
        bind(bigEndianBytes(value.bitPattern), place)
      case .double(let value): sqlite3_bind_double(handle, place, value)
      case .string(let value): bind(value, place)
      case .data(let value): value.withUnsafeBytes { bind($0, place) }
      case .date(let value): bind(value, place)
      case .objectId(let value): bind(value.bytes, place)
      case .uuid(let value): bind(value.bytes, place)
      case .decimal(let value): bind(value.exactText, place)
      case .link(let key): sqlite3_bind_int64(handle, place, key.rawValue)
      // Without the name of their type these say nothing, see `bind(_:of:at:)`.
      case .object, .list, .map: sqlite3_bind_null(handle, place)
      }
    try connection.check(code, statement: sql)
  }

  /// Binds a value as a column of some type keeps it.
  ///
  /// - Returns: The next place.
  package func bind(
    _ value: Value, of type: PropertyType, at place: Int
  ) throws(StoreError) -> Int {
    guard type == .any else {
      try bind(value, at: place)
      return place + 1
    }
    let form = MixedForm(value)
    try bind(form.value, at: place)
    try bind(form.type, at: place + 1)
    return place + 2
  }

  private func bind(_ text: String, _ place: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // An empty string has no address, and no address would be null.
        guard let start = characters.baseAddress else {
          return cadastre_sqlite3_bind_text(handle, place, "", 0)
        }
        return cadastre_sqlite3_bind_text(handle, place, start, Int32(characters.count))
      }
    }
  }

  private func bind(_ bytes: [UInt8], _ place: Int32) -> Int32 {
    bytes.withUnsafeBytes { bind($0, place) }
  }

  package func bindBytes(_ bytes: UnsafeRawBufferPointer, at place: Int) throws(StoreError) {
    try connection.check(bind(bytes, Int32(place)), statement: sql)
  }

  private func bind(_ bytes: UnsafeRawBufferPointer, _ place: Int32) -> Int32 {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      return sqlite3_bind_zeroblob(handle, place, 0)
    }
    return cadastre_sqlite3_bind_blob(handle, place, start, Int32(bytes.count))
  }

  /// Binds nanoseconds since 1970 as an integer.
  ///
  /// Where that does not fit, before 1677 and after 2262, it is the seconds of Foundation's date
  /// times 2^31: that loses nothing, and SQLite orders such a number before or after all integers.
  private func bind(_ moment: Timestamp, _ place: Int32) -> Int32 {
    let nanoseconds =
      Int128(moment.seconds) * Int128(Timestamp.nanosecondsPerSecond) + Int128(moment.nanoseconds)
    if let nanoseconds = Int64(exactly: nanoseconds) {
      return sqlite3_bind_int64(handle, place, nanoseconds)
    }
    return sqlite3_bind_double(
      handle, place, moment.date.timeIntervalSinceReferenceDate * Self.farDateScale)
  }

  /// What the seconds of a date far away are multiplied by.
  static let farDateScale = 0x1p31

  private func bigEndianBytes(_ bits: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: bits.bigEndian) { Array($0) }
  }

  // MARK: Reading, columns counted from 0

  /// The number of columns.
  package var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The name of a column.
  package func columnName(_ column: Int) -> String {
    sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
  }

  /// Whether a column is null.
  package func isNull(_ column: Int) -> Bool {
    sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
  }

  /// A column as a whole number.
  package func integer(_ column: Int) -> Int64 { sqlite3_column_int64(handle, Int32(column)) }

  /// A column as text.
  package func text(_ column: Int) -> String {
    withTextBytes(column) { String(decoding: $0, as: UTF8.self) }
  }

  /// The stored form of a column.
  package enum Storage { case null, integer, real, text, blob }

  /// How a column is stored in this row.
  package func storage(_ column: Int) -> Storage {
    switch sqlite3_column_type(handle, Int32(column)) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  /// A column as a number with a fraction.
  package func real(_ column: Int) -> Double { sqlite3_column_double(handle, Int32(column)) }

  /// Lends the bytes of a text column.
  package func withTextBytes<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = sqlite3_column_text(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return body(UnsafeBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Lends the bytes of a blob column.
  package func withBlobBytes<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let start = sqlite3_column_blob(handle, Int32(column))
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return body(
      UnsafeBufferPointer(
        start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : count))
  }
}

extension BinaryFloatingPoint {
  /// Whether this is zero with a minus sign.
  var isNegativeZero: Bool { isZero && sign == .minus }
}
