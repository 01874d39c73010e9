import CadastreModel

/// One compressed column of a segment; immutable, shared by all threads.
package final class EncodedColumn: Sendable {
  /// The values, by row.
  enum Content: Sendable {
    /// Values of types int, bool (0 and 1) and object.
    case integers(PackedIntegers)
    /// Values of types double and float.
    case decimals(PackedDecimals)
    case doubles(PlainNumbers<Double>)
    case floats(PlainNumbers<Float>)
    /// Values of type date.
    case dates(seconds: PackedIntegers, subseconds: PackedIntegers)
    /// Values of types string, data, object id, UUID and geometry.
    case text(EncodedText)
    case dictionary(TextDictionary)
    /// Values of types decimal and any, and the memory that they take outside of the array.
    case values([Value], nestedBytes: Int)
  }

  /// The type of the values; `object` for the keys of linked rows.
  let type: PropertyType
  /// The number of rows.
  let count: Int
  /// The rows that are null.
  let nulls: RowSet
  /// The number of nulls.
  let nullCount: Int
  /// The values; undefined for rows that are null.
  let content: Content

  /// Creates a column of encoded values; `nulls` is empty where there are none.
  init(_ type: PropertyType, _ content: Content, count: Int, nulls: RowSet) {
    self.type = type
    self.count = count
    self.nulls = nulls
    nullCount = nulls.count
    self.content = content
  }

  /// Encodes the values of a vector.
  convenience init(_ vector: ColumnVector) {
    let nulls =
      vector.nullCount == 0 ? RowSet() : RowSet(below: vector.count) { vector.isNull[$0] }
    let content: Content =
      switch vector.type {
      case .int, .bool, .object, .linkingObjects:
        .integers(PackedIntegers(vector.integers, except: nulls))
      case .double, .float:
        vector.doubles.withUnsafeBufferPointer {
          Content($0, isFloat: vector.type == .float, except: nulls)
        }
      case .date:
        .dates(
          seconds: PackedIntegers(vector.timestamps.map(\.seconds), except: nulls),
          subseconds: PackedIntegers(vector.timestamps.map(\.subsecond), except: nulls))
      case .string, .data, .objectId, .UUID, .geometry:
        vector.bytes.withUnsafeBufferPointer { bytes in
          vector.offsets.withUnsafeBufferPointer { Content(bytes, $0, except: nulls) }
        }
      case .decimal128, .any: .values(vector.values, nestedBytes: vector.nestedBytes)
      }
    self.init(vector.type, content, count: vector.count, nulls: nulls)
  }

  // MARK: Single rows

  /// Returns whether the value of a row is null.
  @inline(__always)
  func isNull(_ row: Int) -> Bool { nullCount > 0 && nulls.contains(row) }

  /// Returns the number of a row in a column of type int, bool or object; undefined for null.
  @inline(__always)
  func integer(_ row: Int) -> Int64 {
    if case .integers(let numbers) = content { numbers[row] } else { 0 }
  }

  /// Returns the number of a row in a column of type double or float; undefined for null.
  @inline(__always)
  func double(_ row: Int) -> Double {
    switch content {
    case .decimals(let numbers): numbers[row]
    case .doubles(let numbers): numbers.all[row]
    case .floats(let numbers): Double(numbers.all[row])
    default: 0
    }
  }

  /// Returns the timestamp of a row in a column of type date; undefined for null.
  func timestamp(_ row: Int) -> Timestamp {
    guard case .dates(let seconds, let subseconds) = content else { return Timestamp(seconds: 0) }
    return Timestamp(seconds: seconds[row], subsecond: subseconds[row])
  }

  /// Returns the bytes of a row's text, data, object id or UUID; undefined for null.
  @inline(__always)
  func bytes(_ row: Int) -> ArraySlice<UInt8> {
    switch content {
    case .text(let text): text.bytes[text.range(row)]
    case .dictionary(let dictionary):
      dictionary.values.bytes[dictionary.values.range(dictionary.code(row))]
    default: []
    }
  }

  /// Returns the value of a row.
  func value(_ row: Int) -> Value {
    if isNull(row) { return .null }
    switch type {
    case .int, .bool, .object, .linkingObjects: return Value(number: integer(row), type)
    case .double: return .double(double(row))
    case .float: return .float(Float(double(row)))
    case .date: return .date(timestamp(row))
    case .string, .data, .objectId, .UUID, .geometry: return Value(bytes: bytes(row), type)
    case .decimal128, .any:
      if case .values(let values, _) = content { return values[row] }
      return .null
    }
  }

  // MARK: Memory

  /// The estimated memory of the values in bytes.
  var byteCount: Int {
    let values =
      switch content {
      case .integers(let numbers): numbers.byteCount
      case .decimals(let numbers): numbers.byteCount
      case .doubles(let numbers): numbers.byteCount
      case .floats(let numbers): numbers.byteCount
      case .dates(let seconds, let subseconds): seconds.byteCount + subseconds.byteCount
      case .text(let text): text.byteCount
      case .dictionary(let dictionary): dictionary.byteCount
      case .values(let values, let nested):
        values.capacity * MemoryLayout<Value>.stride + nested
      }
    return values + nulls.byteCount
  }
}

extension EncodedColumn.Content {
  /// Encodes floating-point numbers; floats are widened.
  init(_ numbers: UnsafeBufferPointer<Double>, isFloat: Bool, except nulls: RowSet) {
    if let decimals = PackedDecimals(numbers, except: nulls) {
      self = .decimals(decimals)
    } else if isFloat {
      self = .floats(PlainNumbers(numbers.map(Float.init), except: nulls))
    } else {
      self = .doubles(PlainNumbers(Array(numbers), except: nulls))
    }
  }

  /// Encodes texts or other bytes, given the offset of each and of the end.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, _ offsets: UnsafeBufferPointer<UInt32>,
    except nulls: RowSet
  ) {
    if let dictionary = TextDictionary(bytes, offsets, except: nulls) {
      self = .dictionary(dictionary)
    } else {
      self = .text(EncodedText(Array(bytes), offsets))
    }
  }
}

/// Uncompressed floating-point numbers, with their minimum and maximum.
struct PlainNumbers<Number: BinaryFloatingPoint & Sendable>: Sendable {
  /// The numbers, by row.
  let all: [Number]
  /// The minimum and the maximum; nil where all numbers are null or NaN.
  private let bounds: ClosedRange<Double>?
  private let hasNaN: Bool

  /// Creates the column; rows in `nulls` do not count for the bounds.
  init(_ numbers: [Number], except nulls: RowSet) {
    all = numbers
    var (least, greatest, hasNaN) = (Double.infinity, -Double.infinity, false)
    for row in numbers.indices where !nulls.contains(row) {
      let number = Double(numbers[row])
      hasNaN = hasNaN || number.isNaN
      // Comparisons with NaN are false, so NaN changes neither bound.
      if number < least { least = number }
      if number > greatest { greatest = number }
    }
    self.hasNaN = hasNaN
    bounds = least <= greatest ? least...greatest : nil
  }

  /// Keeps the rows whose numbers lie in a closed range; a bound that is NaN keeps none.
  func keep(_ rows: inout RowSet, from lower: Double, through upper: Double) {
    guard let bounds, lower <= bounds.upperBound, upper >= bounds.lowerBound else {
      return rows = RowSet()
    }
    if !hasNaN, lower <= bounds.lowerBound, upper >= bounds.upperBound { return }
    all.withUnsafeBufferPointer { numbers in
      rows.keep(numbers) { number in
        // Two comparisons are cheaper than a branch.
        let isAbove = Double(number) >= lower
        let isBelow = Double(number) <= upper
        return isAbove && isBelow
      }
    }
  }

  /// The size in memory in bytes.
  var byteCount: Int { all.capacity * MemoryLayout<Number>.stride }
}

extension ColumnVector {
  /// Creates a vector with the values of an encoded column.
  convenience init(_ column: EncodedColumn) {
    self.init(type: column.type)
    reserveCapacity(column.count)
    for row in 0..<column.count { append(column, row) }
  }
}

/// Texts or other byte strings, concatenated.
struct EncodedText: Sendable {
  /// All bytes.
  let bytes: [UInt8]
  /// The offset of each text and of the end of the last one.
  private let offsets: PackedIntegers

  init(_ bytes: [UInt8], _ offsets: some Collection<UInt32>) {
    self.init(bytes, PackedIntegers(offsets.map(Int64.init)))
  }

  init(_ bytes: [UInt8], _ offsets: PackedIntegers) {
    self.bytes = bytes
    self.offsets = offsets
  }

  /// The number of texts.
  var count: Int { offsets.count - 1 }

  /// Returns the range of a text in `bytes`.
  @inline(__always)
  func range(_ row: Int) -> Range<Int> {
    let (start, end) = offsets.pair(row)
    return Int(start)..<Int(end)
  }

  /// Calls a closure with the bytes and with the offset of each text and of the end.
  func withBytes(
    _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt32>) throws -> Void
  ) rethrows {
    try bytes.withUnsafeBufferPointer { bytes in
      try offsets.withNumbers(as: UInt32.self) { try body(bytes, $0) }
    }
  }

  /// The size in memory in bytes.
  var byteCount: Int { bytes.capacity + offsets.byteCount }
}
