import CadastreGeometry
import CadastreModel
import CadastreSQLite
import Foundation

/// A growing vector of the values of one column.
// A class, so that a batch lends a column without counting references to each of its arrays. It is Sendable
// because only its owner adds rows, and only before other threads get the column.
package final class ColumnVector: @unchecked Sendable {
  /// The type of the values; `object` for the keys of linked rows.
  let type: PropertyType
  /// Whether the value of each row is null; the array of values then contains a filler.
  @exclusivity(unchecked) private(set) var isNull: [Bool] = []
  /// The number of nulls.
  @exclusivity(unchecked) private(set) var nullCount = 0
  /// Values of types int, bool (0 and 1) and object.
  @exclusivity(unchecked) private(set) var integers: [Int64] = []
  /// Values of types double and float; floats are widened.
  @exclusivity(unchecked) private(set) var doubles: [Double] = []
  /// Values of type date.
  @exclusivity(unchecked) private(set) var timestamps: [Timestamp] = []
  /// The concatenated bytes of values of types string, data, object id, UUID and geometry.
  @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
  /// The offset in `bytes` of each value, and of the end.
  @exclusivity(unchecked) private(set) var offsets: [UInt32] = [0]
  /// Values of types decimal and any.
  @exclusivity(unchecked) private(set) var values: [Value] = []
  /// The memory that `values` use outside of the array, in bytes.
  @exclusivity(unchecked) private(set) var nestedBytes = 0

  init(type: PropertyType) { self.type = type }

  /// Creates a vector of numbers.
  private init(
    type: PropertyType, isNull: [Bool], nullCount: Int, integers: [Int64], doubles: [Double]
  ) {
    self.type = type
    self.isNull = isNull
    self.nullCount = nullCount
    self.integers = integers
    self.doubles = doubles
  }

  /// The number of rows.
  var count: Int { isNull.count }

  /// The array that contains values of a type.
  private enum Form { case integers, doubles, timestamps, bytes, values }

  private var form: Form {
    switch type {
    case .int, .bool, .object, .linkingObjects: .integers
    case .double, .float: .doubles
    case .date: .timestamps
    case .string, .data, .objectId, .UUID, .geometry: .bytes
    case .decimal128, .any: .values
    }
  }

  /// Reserves memory for a number of rows of numbers.
  func reserve(_ count: Int) {
    isNull.reserve(count)
    switch form {
    case .integers: integers.reserve(count)
    case .doubles: doubles.reserve(count)
    case .timestamps, .bytes, .values: break
    }
  }

  func removeAll() {
    isNull.removeAll(keepingCapacity: true)
    nullCount = 0
    integers.removeAll(keepingCapacity: true)
    doubles.removeAll(keepingCapacity: true)
    timestamps.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
    offsets.append(0)
    values.removeAll(keepingCapacity: true)
    nestedBytes = 0
  }

  func reserveCapacity(_ rows: Int) {
    isNull.reserveCapacity(rows)
    switch form {
    case .integers: integers.reserveCapacity(rows)
    case .doubles: doubles.reserveCapacity(rows)
    case .timestamps: timestamps.reserveCapacity(rows)
    case .bytes: offsets.reserveCapacity(rows + 1)
    case .values: values.reserveCapacity(rows)
    }
  }

  // MARK: Adding

  private func noteNull(_ flag: Bool) {
    isNull.append(flag)
    if flag { nullCount += 1 }
  }

  /// Appends a column of a stored row; a value that the type cannot hold becomes null.
  func append(_ row: some StoredRow, _ column: Int) {
    switch type {
    case .int, .bool, .object, .linkingObjects:
      let isInteger = if case .integer = row.storage(column) { true } else { false }
      noteNull(!isInteger)
      integers.append(isInteger ? row.integer(column) : 0)
    case .double:
      let value = row.double(column)
      noteNull(value == nil)
      doubles.append(value ?? 0)
    case .float:
      let value = row.float(column)
      noteNull(value == nil)
      doubles.append(value.map(Double.init) ?? 0)
    case .date:
      let value = row.timestamp(column)
      noteNull(value == nil)
      timestamps.append(value ?? Self.noTimestamp)
    case .string:
      let isText = if case .text = row.storage(column) { true } else { false }
      noteNull(!isText)
      if isText { row.withTextBytes(column) { bytes.append(contentsOf: $0) } }
      offsets.append(UInt32(bytes.count))
    case .data, .objectId, .UUID, .geometry:
      let isBlob = if case .blob = row.storage(column) { true } else { false }
      noteNull(!isBlob)
      if isBlob { row.withBlobBytes(column) { bytes.append(contentsOf: $0) } }
      offsets.append(UInt32(bytes.count))
    case .decimal128, .any:
      let value = row.value(column, as: type)
      noteNull(value.isNull)
      append(value)
    }
  }

  /// Appends a value of type int; nil is null.
  func append(integer: Int64?) {
    noteNull(integer == nil)
    integers.append(integer ?? 0)
  }

  /// Appends a value; one that the type cannot hold becomes null.
  func append(converting value: Value) {
    switch form {
    case .integers:
      let number = value.columnNumber
      noteNull(number == nil)
      integers.append(number ?? 0)
    case .doubles:
      let number = value.doubleValue
      noteNull(number == nil)
      doubles.append(number ?? 0)
    case .timestamps:
      var date: Timestamp?
      if case .date(let found) = value { date = found }
      noteNull(date == nil)
      timestamps.append(date ?? Self.noTimestamp)
    case .bytes:
      let isKept = value.type == type
      noteNull(!isKept)
      if isKept { value.appendBytes(to: &bytes) }
      offsets.append(UInt32(bytes.count))
    case .values:
      noteNull(value.isNull)
      append(value)
    }
  }

  private func append(_ value: Value) {
    values.append(value)
    nestedBytes += value.nestedByteCount
  }

  private static let noTimestamp = Timestamp(seconds: 0)

  /// Appends nulls up to a number of rows.
  func pad(to count: Int) {
    let missing = count - isNull.count
    guard missing > 0 else { return }
    isNull.append(contentsOf: repeatElement(true, count: missing))
    nullCount += missing
    switch form {
    case .integers: integers.append(contentsOf: repeatElement(0, count: missing))
    case .doubles: doubles.append(contentsOf: repeatElement(0, count: missing))
    case .timestamps: timestamps.append(contentsOf: repeatElement(Self.noTimestamp, count: missing))
    case .bytes: offsets.append(contentsOf: repeatElement(UInt32(bytes.count), count: missing))
    case .values: values.append(contentsOf: repeatElement(.null, count: missing))
    }
  }

  /// Appends the values of some rows of another vector of the same type.
  func append(_ other: ColumnVector, _ rows: Range<Int>) {
    guard !rows.isEmpty else { return }
    isNull.append(contentsOf: other.isNull[rows])
    if other.nullCount > 0 { nullCount += other.isNull[rows].count { $0 } }
    switch form {
    case .integers: integers.append(contentsOf: other.integers[rows])
    case .doubles: doubles.append(contentsOf: other.doubles[rows])
    case .timestamps: timestamps.append(contentsOf: other.timestamps[rows])
    case .bytes:
      let first = other.offsets[rows.lowerBound]
      let start = UInt32(bytes.count)
      bytes.append(contentsOf: other.bytes[Int(first)..<Int(other.offsets[rows.upperBound])])
      for row in rows { offsets.append(other.offsets[row + 1] - first + start) }
    case .values: for row in rows { append(other.values[row]) }
    }
  }

  /// Appends the value of one row of another vector of the same type.
  @inline(__always)
  func append(_ other: ColumnVector, _ row: Int) {
    noteNull(other.isNull[row])
    switch form {
    case .integers: integers.append(other.integers[row])
    case .doubles: doubles.append(other.doubles[row])
    case .timestamps: timestamps.append(other.timestamps[row])
    case .bytes:
      bytes.append(contentsOf: other.bytes[other.byteRange(row)])
      offsets.append(UInt32(bytes.count))
    case .values: append(other.values[row])
    }
  }

  /// Appends the value of one row of an encoded column of the same type.
  func append(_ other: EncodedColumn, _ row: Int) {
    noteNull(other.isNull(row))
    switch form {
    case .integers: integers.append(other.integer(row))
    case .doubles: doubles.append(other.double(row))
    case .timestamps: timestamps.append(other.timestamp(row))
    case .bytes:
      if !other.isNull(row) { bytes.append(contentsOf: other.bytes(row)) }
      offsets.append(UInt32(bytes.count))
    case .values: append(other.value(row))
    }
  }

  /// Appends the values of some rows of a column of the same type; those of rows beyond its end are null.
  func append(_ column: BatchColumn, _ rows: RowSet) {
    guard let last = rows.last else { return }
    if case .plain(let vector) = column, rows.count == vector.count {
      return append(vector, 0..<vector.count)
    }
    if form == .integers, column.nullCount == 0, last < column.count {
      isNull.append(contentsOf: repeatElement(false, count: rows.count))
      return column.appendNumbers(of: rows, to: &integers)
    }
    for row in rows {
      guard row < column.count else {
        pad(to: count + 1)
        continue
      }
      switch column {
      case .plain(let vector): append(vector, row)
      case .encoded(let encoded): append(encoded, row)
      }
    }
  }

  /// Returns a vector of the values of some rows, in a given order.
  func gathered(_ rows: ArraySlice<UInt32>) -> ColumnVector {
    if form == .integers, nullCount == 0 {
      return ColumnVector(
        type: type, isNull: Array(repeating: false, count: rows.count), nullCount: 0,
        integers: integers.gathered(rows), doubles: [])
    }
    let gathered = ColumnVector(type: type)
    gathered.reserveCapacity(rows.count)
    for row in rows { gathered.append(self, Int(row)) }
    return gathered
  }

  // MARK: Reading

  /// Returns the range in `bytes` of a row's value.
  @inline(__always)
  func byteRange(_ row: Int) -> Range<Int> { Int(offsets[row])..<Int(offsets[row + 1]) }

  /// Returns the value of a row.
  func value(_ row: Int) -> Value {
    guard !isNull[row] else { return .null }
    switch type {
    case .int, .bool, .object, .linkingObjects: return Value(number: integers[row], type)
    case .decimal128, .any: return values[row]
    case .double: return .double(doubles[row])
    case .float: return .float(Float(doubles[row]))
    case .date: return .date(timestamps[row])
    case .string, .data, .objectId, .UUID, .geometry:
      return Value(bytes: bytes[byteRange(row)], type)
    }
  }

  /// The size of text, data and values of any type in bytes.
  var contentBytes: Int { bytes.count + nestedBytes }

  /// The memory of the values, about, in bytes.
  var byteCount: Int {
    let width =
      switch form {
      case .integers, .doubles: 8
      case .timestamps: MemoryLayout<Timestamp>.stride
      case .bytes: MemoryLayout<UInt32>.stride
      case .values: MemoryLayout<Value>.stride
      }
    return count * (width + 1) + contentBytes
  }
}

extension Value {
  /// Creates a value of type int, bool or object from the number in its column.
  init(number: Int64, _ type: PropertyType) {
    self =
      switch type {
      case .bool: .bool(number != 0)
      case .object, .linkingObjects: .link(ObjectKey(number))
      default: .int(number)
      }
  }

  /// Creates a value of type string, data, object id, UUID or geometry from its bytes; null where the bytes
  /// are invalid.
  init(bytes: ArraySlice<UInt8>, _ type: PropertyType) {
    self =
      switch type {
      case .string: .string(String(decoding: bytes, as: UTF8.self))
      case .data: .data(Data(bytes))
      case .geometry:
        (try? bytes.withUnsafeBytes { try Geometry(wkb: $0) }).map(Value.geometry) ?? .null
      case .objectId: bytes.count == 12 ? .objectId(ObjectId(bytes: Array(bytes))) : .null
      default: UUID(bytes: bytes).map(Value.uuid) ?? .null
      }
  }

  /// The number in a column of type int, bool or object; nil for other values.
  fileprivate var columnNumber: Int64? {
    switch self {
    case .int(let number): number
    case .bool(let flag): flag ? 1 : 0
    case .link(let key): key.rawValue
    default: nil
    }
  }

  /// Appends the bytes of a value of type string, data, object id, UUID or geometry.
  fileprivate func appendBytes(to bytes: inout [UInt8]) {
    switch self {
    case .string(var text): text.withUTF8 { bytes.append(contentsOf: $0) }
    case .data(let data): bytes.append(contentsOf: data)
    case .objectId(let id): bytes.append(contentsOf: id.bytes)
    case .uuid(let uuid): bytes.append(contentsOf: uuid.bytes)
    case .geometry(let geometry): bytes.append(contentsOf: geometry.wkb())
    default: break
    }
  }

  /// The memory that the value uses outside of its inline storage, in bytes.
  fileprivate var nestedByteCount: Int {
    switch self {
    case .list(let values):
      values.reduce(32) { $0 + MemoryLayout<Value>.stride + $1.nestedByteCount }
    case .map(let map):
      map.entries.reduce(32) {
        $0 + 2 * MemoryLayout<Value>.stride + $1.key.utf8.count + $1.value.nestedByteCount
      }
    case .object(let address): 64 + address.className.utf8.count
    default: byteCount ?? 0
    }
  }
}

extension [Int64] {
  /// Returns the numbers at some positions, in a given order.
  func gathered(_ positions: ArraySlice<UInt32>) -> [Int64] {
    // The initializer would write to the empty array, which all threads share.
    if positions.isEmpty { return [] }
    return withUnsafeBufferPointer { numbers in
      // Unlike `map`, which calls a closure for each position.
      Array(unsafeUninitializedCapacity: positions.count) { result, count in
        for position in positions {
          result[count] = numbers[Int(position)]
          count += 1
        }
      }
    }
  }
}
