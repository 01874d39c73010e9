package import CadastreModel
import CadastreSQLite
import Foundation

/// The values of one column for some rows, side by side.
package struct ColumnVector: Sendable {
  /// The type of the values; `object` for the keys of linked rows.
  package let type: PropertyType
  /// Whether the value of a row is null; the other arrays then hold a filler in its place.
  package private(set) var isNull: [Bool] = []
  /// The number of nulls.
  package private(set) var nullCount = 0
  /// Values of type int, bool (0 and 1) and object.
  package private(set) var integers: [Int64] = []
  /// Values of type double and float, the latter widened.
  package private(set) var doubles: [Double] = []
  /// Values of type date.
  package private(set) var moments: [Timestamp] = []
  /// The bytes of values of type string, data, object id and UUID, end to end.
  package private(set) var bytes: [UInt8] = []
  /// Where in `bytes` each value begins, and where the last one ends.
  package private(set) var offsets: [UInt32] = [0]
  /// Values of type decimal and any.
  package private(set) var values: [Value] = []
  /// Bytes that `values` keep beside their own places.
  private var nestedBytes = 0
  /// Numbers for values that come up again and again, of columns that are kept in memory.
  package private(set) var codes: ValueCodes?

  init(type: PropertyType) { self.type = type }

  /// A vector of numbers.
  init(
    type: PropertyType, isNull: [Bool], nullCount: Int, integers: [Int64], doubles: [Double]
  ) {
    self.type = type
    self.isNull = isNull
    self.nullCount = nullCount
    self.integers = integers
    self.doubles = doubles
  }

  /// The number of rows.
  package var count: Int { isNull.count }

  /// The arrays that values of a type stand in.
  private enum Form { case integers, doubles, moments, bytes, values }

  private var form: Form {
    switch type {
    case .int, .bool, .object, .linkingObjects: .integers
    case .double, .float: .doubles
    case .date: .moments
    case .string, .data, .objectId, .UUID: .bytes
    case .decimal128, .any: .values
    }
  }

  mutating func removeAll() {
    isNull.removeAll(keepingCapacity: true)
    nullCount = 0
    integers.removeAll(keepingCapacity: true)
    doubles.removeAll(keepingCapacity: true)
    moments.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
    offsets.append(0)
    values.removeAll(keepingCapacity: true)
    nestedBytes = 0
  }

  mutating func reserveCapacity(_ rows: Int) {
    isNull.reserveCapacity(rows)
    switch form {
    case .integers: integers.reserveCapacity(rows)
    case .doubles: doubles.reserveCapacity(rows)
    case .moments: moments.reserveCapacity(rows)
    case .bytes: offsets.reserveCapacity(rows + 1)
    case .values: values.reserveCapacity(rows)
    }
  }

  /// The vector with numbers for values that come up again and again, if there are such.
  ///
  /// Nothing can be added to it any more.
  func coded() -> ColumnVector {
    guard form == .bytes else { return self }
    var coded = self
    coded.codes = ValueCodes(self)
    return coded
  }

  // MARK: Adding

  private mutating func noteNull(_ flag: Bool) {
    isNull.append(flag)
    if flag { nullCount += 1 }
  }

  /// Takes over the value of a statement's current row; what the type cannot hold reads as null.
  mutating func append(_ row: Statement, _ column: Int) {
    switch type {
    case .int, .bool, .object, .linkingObjects:
      let isInteger = row.storage(column) == .integer
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
      moments.append(value ?? Self.noMoment)
    case .string:
      let isText = row.storage(column) == .text
      noteNull(!isText)
      if isText { row.withTextBytes(column) { bytes.append(contentsOf: $0) } }
      offsets.append(UInt32(bytes.count))
    case .data, .objectId, .UUID:
      let isBlob = row.storage(column) == .blob
      noteNull(!isBlob)
      if isBlob { row.withBlobBytes(column) { bytes.append(contentsOf: $0) } }
      offsets.append(UInt32(bytes.count))
    case .decimal128, .any:
      let value = row.value(column, as: type)
      noteNull(value.isNull)
      append(value)
    }
  }

  private mutating func append(_ value: Value) {
    values.append(value)
    nestedBytes += value.nestedByteCount
  }

  private static let noMoment = Timestamp(seconds: 0)

  /// Adds nulls until there are so many rows.
  mutating func pad(to count: Int) {
    let missing = count - isNull.count
    guard missing > 0 else { return }
    isNull.append(contentsOf: repeatElement(true, count: missing))
    nullCount += missing
    switch form {
    case .integers: integers.append(contentsOf: repeatElement(0, count: missing))
    case .doubles: doubles.append(contentsOf: repeatElement(0, count: missing))
    case .moments: moments.append(contentsOf: repeatElement(Self.noMoment, count: missing))
    case .bytes: offsets.append(contentsOf: repeatElement(UInt32(bytes.count), count: missing))
    case .values: values.append(contentsOf: repeatElement(.null, count: missing))
    }
  }

  /// Adds the values of some rows of another vector of the same type.
  mutating func append(_ other: borrowing ColumnVector, _ rows: Range<Int>) {
    guard !rows.isEmpty else { return }
    isNull.append(contentsOf: other.isNull[rows])
    if other.nullCount > 0 { nullCount += other.isNull[rows].count { $0 } }
    switch form {
    case .integers: integers.append(contentsOf: other.integers[rows])
    case .doubles: doubles.append(contentsOf: other.doubles[rows])
    case .moments: moments.append(contentsOf: other.moments[rows])
    case .bytes:
      let first = other.offsets[rows.lowerBound]
      let start = UInt32(bytes.count)
      bytes.append(contentsOf: other.bytes[Int(first)..<Int(other.offsets[rows.upperBound])])
      for row in rows { offsets.append(other.offsets[row + 1] - first + start) }
    case .values: for row in rows { append(other.values[row]) }
    }
  }

  /// Adds the value of one row of another vector of the same type.
  @inline(__always)
  mutating func append(_ other: borrowing ColumnVector, _ row: Int) {
    noteNull(other.isNull[row])
    switch form {
    case .integers: integers.append(other.integers[row])
    case .doubles: doubles.append(other.doubles[row])
    case .moments: moments.append(other.moments[row])
    case .bytes:
      bytes.append(contentsOf: other.bytes[other.byteRange(row)])
      offsets.append(UInt32(bytes.count))
    case .values: append(other.values[row])
    }
  }

  // MARK: Reading

  /// Where the bytes of a row's value stand.
  @inline(__always)
  package func byteRange(_ row: Int) -> Range<Int> { Int(offsets[row])..<Int(offsets[row + 1]) }

  /// The value of a row.
  package func value(_ row: Int) -> Value {
    guard !isNull[row] else { return .null }
    switch type {
    case .int: return .int(integers[row])
    case .bool: return .bool(integers[row] != 0)
    case .object, .linkingObjects: return .link(ObjectKey(integers[row]))
    case .decimal128, .any: return values[row]
    case .double: return .double(doubles[row])
    case .float: return .float(Float(doubles[row]))
    case .date: return .date(moments[row])
    case .string: return .string(String(decoding: bytes[byteRange(row)], as: UTF8.self))
    case .data: return .data(Data(bytes[byteRange(row)]))
    case .objectId:
      let range = byteRange(row)
      return range.count == 12 ? .objectId(ObjectId(bytes: Array(bytes[range]))) : .null
    case .UUID: return UUID(bytes: bytes[byteRange(row)]).map(Value.uuid) ?? .null
    }
  }

  /// Bytes of memory that the values take, about.
  var byteCount: Int {
    var count = isNull.capacity + bytes.capacity + offsets.capacity * MemoryLayout<UInt32>.stride
    count += integers.capacity * MemoryLayout<Int64>.stride
    count += doubles.capacity * MemoryLayout<Double>.stride
    count += moments.capacity * MemoryLayout<Timestamp>.stride
    count += values.capacity * MemoryLayout<Value>.stride + nestedBytes
    count += codes?.byteCount ?? 0
    return count
  }

  /// Bytes of the contents of text, data and values of any type.
  var contentBytes: Int { bytes.count + nestedBytes }
}

extension Value {
  /// Bytes that the value keeps beside its own place.
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
