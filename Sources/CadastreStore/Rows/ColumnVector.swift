package import CadastreModel
import Foundation

/// The values of one column for a batch of rows, side by side.
package struct ColumnVector {
  /// The type of the values; `object` for the keys of linked rows.
  package let type: PropertyType
  /// Whether the value of a row is null; the other arrays then hold a filler in its place.
  package private(set) var isNull: [Bool] = []
  /// Values of type int, bool (0 and 1) and object.
  package private(set) var integers: [Int64] = []
  /// Values of type double and float, the latter widened.
  package private(set) var doubles: [Double] = []
  /// Values of type date.
  package private(set) var moments: [Timestamp] = []
  /// The bytes of values of type string, data, object id and UUID, end to end.
  package private(set) var bytes: [UInt8] = []
  /// Where in `bytes` each value ends; it begins where the one before ends.
  package private(set) var ends: [Int] = []
  /// Values of type decimal and any.
  package private(set) var values: [Value] = []

  init(type: PropertyType) { self.type = type }

  mutating func removeAll() {
    isNull.removeAll(keepingCapacity: true)
    integers.removeAll(keepingCapacity: true)
    doubles.removeAll(keepingCapacity: true)
    moments.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
  }

  /// Takes over the value of a statement's current row; what the type cannot hold reads as null.
  mutating func append(_ row: Statement, _ column: Int) {
    switch type {
    case .int, .bool, .object, .linkingObjects:
      let isInteger = row.storage(column) == .integer
      isNull.append(!isInteger)
      integers.append(isInteger ? row.integer(column) : 0)
    case .double:
      let value = row.double(column)
      isNull.append(value == nil)
      doubles.append(value ?? 0)
    case .float:
      let value = row.float(column)
      isNull.append(value == nil)
      doubles.append(value.map(Double.init) ?? 0)
    case .date:
      let value = row.moment(column)
      isNull.append(value == nil)
      moments.append(value ?? Timestamp(seconds: 0))
    case .string:
      let isText = row.storage(column) == .text
      isNull.append(!isText)
      if isText { row.withTextBytes(column) { bytes.append(contentsOf: $0) } }
      ends.append(bytes.count)
    case .data, .objectId, .UUID:
      let isBlob = row.storage(column) == .blob
      isNull.append(!isBlob)
      if isBlob { row.withBlobBytes(column) { bytes.append(contentsOf: $0) } }
      ends.append(bytes.count)
    case .decimal128, .any:
      let value = row.value(column, as: type)
      isNull.append(value.isNull)
      values.append(value)
    }
  }

  /// Where the bytes of a row's value stand.
  @inline(__always)
  package func byteRange(_ row: Int) -> Range<Int> {
    (row == 0 ? 0 : ends[row - 1])..<ends[row]
  }

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
}
