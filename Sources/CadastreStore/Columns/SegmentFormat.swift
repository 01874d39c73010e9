import CadastreModel

/// The bytes of a stored segment: one column of 4,096 rows, or the set of existing rows.
///
/// All numbers are little-endian.
///
/// | offset | content |
/// |---|---|
/// | 0 | the checksum of all following bytes, with the key of the segment as its seed |
/// | 8 | the version of this format, 1 |
/// | 9 | the type of the values, see `code(of:)` |
/// | 10 | the encoding of the values, see `Encoding` |
/// | 11 | whether a set of nulls follows: 0 or 1 |
/// | 12 | the number of rows, 16 bits |
/// | 14 | the set of nulls, one bit for each row in words of 64 bits; then the values |
enum SegmentFormat {
  private static let version: UInt8 = 1
  private static let checksumSize = 8

  /// The encodings of values.
  private enum Encoding: UInt8 {
    /// A set of rows.
    case rows
    /// Integers, see `SegmentByteWriter`.
    case integers
    /// The number of decimal places, and integers.
    case decimals
    /// Numbers of 64 bits.
    case doubles
    /// Numbers of 32 bits.
    case floats
    /// Integers of the seconds, and of their parts.
    case dates
    /// The number of bytes, the lengths as integers, and the bytes.
    case text
    /// The number of distinct values, these as text, and the index of each row's value as integers.
    case dictionary
  }

  /// The maximum size of the text or the data of a stored column in bytes.
  static let largestText = 256 << 10

  /// Returns the code of a type; nil where columns of the type are not stored.
  static func code(of type: PropertyType) -> UInt8? {
    switch type {
    case .int: 1
    case .bool: 2
    case .float: 3
    case .double: 4
    case .string: 5
    case .data: 6
    case .date: 7
    case .objectId: 8
    case .UUID: 9
    case .object: 10
    case .decimal128, .any, .geometry, .linkingObjects: nil
    }
  }

  // MARK: Encoding

  /// Returns the bytes of a column; nil where it is not stored because of its type, its size or a large value.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - key: The key of the segment in its table.
  /// - Returns: The bytes.
  static func bytes(_ column: EncodedColumn, key: Int64) -> [UInt8]? {
    guard let type = code(of: column.type), column.count <= KeySegment.capacity else { return nil }
    var writer = SegmentByteWriter()
    func begin(_ encoding: Encoding) {
      writer.append([version, type, encoding.rawValue, column.nullCount > 0 ? 1 : 0])
      writer.append(UInt16(column.count))
      if column.nullCount > 0 { writer.append(column.nulls, below: column.count) }
    }
    switch column.content {
    case .integers(let numbers):
      begin(.integers)
      writer.append(numbers, except: column.nulls)
    case .decimals(let numbers):
      begin(.decimals)
      writer.append(numbers.places)
      writer.append(numbers.digits, except: column.nulls)
    case .doubles(let numbers):
      begin(.doubles)
      for number in numbers.all { writer.append(number.bitPattern) }
    case .floats(let numbers):
      begin(.floats)
      for number in numbers.all { writer.append(number.bitPattern) }
    case .dates(let seconds, let subseconds):
      begin(.dates)
      writer.append(seconds, except: column.nulls)
      writer.append(subseconds, except: column.nulls)
    case .text(let text):
      begin(.text)
      guard writer.append(text) else { return nil }
    case .dictionary(let dictionary):
      begin(.dictionary)
      writer.append(UInt16(dictionary.valueCount))
      guard writer.append(dictionary.values) else { return nil }
      writer.append(dictionary.codes, except: column.nulls)
    case .values: return nil
    }
    return sealed(writer.bytes, key: key)
  }

  /// Returns the bytes of the set of existing rows.
  static func bytes(_ rows: RowSet, key: Int64) -> [UInt8] {
    let count = rows.last.map { $0 + 1 } ?? 0
    var writer = SegmentByteWriter()
    writer.append([version, 0, Encoding.rows.rawValue, 0])
    writer.append(UInt16(count))
    writer.append(rows, below: count)
    return sealed(writer.bytes, key: key)
  }

  /// Returns bytes after their checksum.
  static func sealed(_ bytes: [UInt8], key: Int64) -> [UInt8] {
    var writer = SegmentByteWriter()
    writer.append(
      bytes.withUnsafeBytes { SegmentChecksum.of($0, seed: UInt64(bitPattern: key)) })
    writer.append(bytes)
    return writer.bytes
  }

  // MARK: Decoding

  /// Returns the column of some bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes, which may be any.
  ///   - key: The key of the segment in its table.
  ///   - type: The type of the values.
  /// - Returns: The column.
  /// - Throws: ``InvalidSegment`` where the bytes are not those of such a column.
  static func column(
    _ bytes: UnsafeRawBufferPointer, key: Int64, _ type: PropertyType
  ) throws(InvalidSegment) -> EncodedColumn {
    var reader = try unsealed(bytes, key: key)
    guard let code = code(of: type) else { throw InvalidSegment("\(type) is not stored") }
    let (encoding, hasNulls, count) = try header(&reader, code)
    let nulls = hasNulls ? try reader.rows(below: count) : RowSet()
    let content = try content(&reader, encoding, type, count, nulls)
    try reader.requireEnd()
    return EncodedColumn(type, content, count: count, nulls: nulls)
  }

  /// Returns the set of existing rows of some bytes.
  ///
  /// - Throws: ``InvalidSegment`` where the bytes are not those of such a set.
  static func rows(
    _ bytes: UnsafeRawBufferPointer, key: Int64
  ) throws(InvalidSegment) -> RowSet {
    var reader = try unsealed(bytes, key: key)
    let (encoding, _, count) = try header(&reader, 0)
    guard encoding == .rows else { throw InvalidSegment("it has no rows") }
    let rows = try reader.rows(below: count)
    try reader.requireEnd()
    return rows
  }

  /// Returns a reader of the bytes after the checksum, which is compared with them.
  static func unsealed(
    _ bytes: UnsafeRawBufferPointer, key: Int64
  ) throws(InvalidSegment) -> SegmentByteReader {
    var reader = SegmentByteReader(bytes, from: 0)
    let checksum = try reader.number(UInt64.self)
    let content = UnsafeRawBufferPointer(rebasing: bytes[checksumSize...])
    guard checksum == SegmentChecksum.of(content, seed: UInt64(bitPattern: key)) else {
      throw InvalidSegment("its checksum is wrong")
    }
    return reader
  }

  private static func header(
    _ reader: inout SegmentByteReader, _ type: UInt8
  ) throws(InvalidSegment) -> (encoding: Encoding, hasNulls: Bool, count: Int) {
    let version = try reader.number(UInt8.self)
    guard version == Self.version else { throw InvalidSegment("its version is \(version)") }
    let found = try reader.number(UInt8.self)
    guard found == type else { throw InvalidSegment("its type is \(found); expected \(type)") }
    let code = try reader.number(UInt8.self)
    let flag = try reader.number(UInt8.self)
    let count = Int(try reader.number(UInt16.self))
    guard let encoding = Encoding(rawValue: code), flag <= 1, count <= KeySegment.capacity else {
      throw InvalidSegment("its header is \(code), \(flag), \(count)")
    }
    return (encoding, flag == 1, count)
  }

  private static func content(
    _ reader: inout SegmentByteReader, _ encoding: Encoding, _ type: PropertyType, _ count: Int,
    _ nulls: RowSet
  ) throws(InvalidSegment) -> EncodedColumn.Content {
    switch (encoding, type) {
    case (.integers, .int), (.integers, .bool), (.integers, .object):
      return .integers(try reader.integers(count, except: nulls))
    case (.decimals, .float), (.decimals, .double):
      let places = try reader.number(UInt8.self)
      guard
        let decimals = PackedDecimals(
          digits: try reader.integers(count, except: nulls), places: places)
      else { throw InvalidSegment("its numbers have \(places) decimal places, or are too large") }
      return .decimals(decimals)
    case (.doubles, .double):
      let bytes = try reader.bytes(count * 8)
      let numbers = (0..<count).map { row in
        let bits = bytes.loadUnaligned(fromByteOffset: row * 8, as: UInt64.self)
        return Double(bitPattern: UInt64(littleEndian: bits))
      }
      return .doubles(PlainNumbers(numbers, except: nulls))
    case (.floats, .float):
      let bytes = try reader.bytes(count * 4)
      let numbers = (0..<count).map { row in
        let bits = bytes.loadUnaligned(fromByteOffset: row * 4, as: UInt32.self)
        return Float(bitPattern: UInt32(littleEndian: bits))
      }
      return .floats(PlainNumbers(numbers, except: nulls))
    case (.dates, .date):
      let seconds = try reader.integers(count, except: nulls)
      return .dates(seconds: seconds, subseconds: try reader.integers(count, except: nulls))
    case (.text, .string), (.text, .data), (.text, .objectId), (.text, .UUID):
      return .text(try reader.text(count))
    case (.dictionary, .string), (.dictionary, .data), (.dictionary, .objectId),
      (.dictionary, .UUID):
      let valueCount = Int(try reader.number(UInt16.self))
      let values = try reader.text(valueCount)
      let codes = try reader.integers(count, except: nulls)
      guard codes.least >= 0, codes.greatest < max(1, valueCount) else {
        throw InvalidSegment("its dictionary has \(valueCount) values")
      }
      return .dictionary(TextDictionary(codes: codes, values: values))
    default: throw InvalidSegment("its encoding is \(encoding.rawValue)")
    }
  }
}

extension SegmentByteWriter {
  fileprivate mutating func append(_ numbers: PackedIntegers, except nulls: RowSet) {
    numbers.withNumbers(as: Int64.self) { append($0, except: nulls) }
  }

  /// Appends texts; returns false where they, or one of them, are too large.
  fileprivate mutating func append(_ text: EncodedText) -> Bool {
    let lengths = (0..<text.count).map { Int64(text.range($0).count) }
    guard text.bytes.count <= SegmentFormat.largestText,
      lengths.allSatisfy({ $0 <= Int64(LargeValue.limit) })
    else { return false }
    append(UInt32(text.bytes.count))
    lengths.withUnsafeBufferPointer { append($0, except: RowSet()) }
    append(text.bytes)
    return true
  }
}

extension SegmentByteReader {
  /// Reads some texts.
  fileprivate mutating func text(_ count: Int) throws(InvalidSegment) -> EncodedText {
    let byteCount = try number(UInt32.self)
    let lengths = try integers(count, except: RowSet())
    guard byteCount <= SegmentFormat.largestText, lengths.least >= 0,
      lengths.greatest <= Int64(LargeValue.limit)
    else { throw InvalidSegment("its texts have \(byteCount) bytes") }
    let offsets = lengths.runningSums
    guard offsets.greatest == byteCount else {
      throw InvalidSegment(
        "its texts have \(byteCount) bytes, and their lengths \(offsets.greatest)")
    }
    return EncodedText(Array(try bytes(Int(byteCount))), offsets)
  }
}
