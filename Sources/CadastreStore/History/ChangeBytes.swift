import CadastreGeometry
import CadastreModel
import Foundation

/// The bytes of a change record make no sense.
struct InvalidChangeBytes: Error {}

/// Writes the parts of a change record: numbers of variable length, little-endian words, and values with their types.
struct ChangeByteWriter {
  /// The bytes so far.
  private(set) var bytes: [UInt8] = []

  /// The checksum of the bytes.
  var checksum: UInt64 {
    bytes.withUnsafeBytes { SegmentChecksum.of($0, seed: 0) }
  }

  /// Removes all bytes, and keeps the memory.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Appends a number in groups of seven bits, the lowest first.
  mutating func append(count: Int) { append(varint: UInt64(count)) }

  /// Appends a number, small where its magnitude is small.
  mutating func append(signed number: Int64) {
    append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
  }

  private mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends a number with all its bytes.
  mutating func append(word number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends a truth value.
  mutating func append(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

  /// Appends text with its length.
  mutating func append(_ text: String) { append(bytes: text.utf8) }

  /// Appends bytes with their number.
  mutating func append(bytes added: some Collection<UInt8>) {
    append(count: added.count)
    bytes.append(contentsOf: added)
  }

  /// Appends a value with its type.
  mutating func append(_ value: Value) {
    bytes.append(ValueTag(value).rawValue)
    switch value {
    case .null: break
    case .bool(let value): append(value)
    case .int(let value): append(signed: value)
    case .float(let value): append(word: value.bitPattern)
    case .double(let value): append(word: value.bitPattern)
    case .string(let value): append(value)
    case .data(let value): append(bytes: value)
    case .date(let value):
      append(signed: value.seconds)
      append(signed: value.subsecond)
    case .objectId(let value): append(bytes: value.bytes)
    case .uuid(let value): append(bytes: value.bytes)
    case .decimal(let value): append(word: value.bits)
    case .geometry(let value): append(bytes: value.wkb())
    case .link(let key): append(signed: key.rawValue)
    case .object(let address):
      append(address.className)
      append(signed: address.key.rawValue)
    case .list(let values):
      append(count: values.count)
      for value in values { append(value) }
    case .map(let map):
      append(count: map.entries.count)
      for entry in map.entries {
        append(entry.key)
        append(entry.value)
      }
    }
  }
}

/// The number of a value's type in a change record.
private enum ValueTag: UInt8 {
  case null, bool, int, float, double, string, data, date, objectId, uuid, decimal, geometry, link
  case object, list, map

  init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .bool: .bool
      case .int: .int
      case .float: .float
      case .double: .double
      case .string: .string
      case .data: .data
      case .date: .date
      case .objectId: .objectId
      case .uuid: .uuid
      case .decimal: .decimal
      case .geometry: .geometry
      case .link: .link
      case .object: .object
      case .list: .list
      case .map: .map
      }
  }
}

/// Reads the parts of a change record; arbitrary bytes are an error at most.
struct ChangeByteReader {
  private let bytes: ArraySlice<UInt8>
  private var offset: Int
  /// The maximum number of levels of lists and maps in a value.
  private static let maximumDepth = 500

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  /// Whether all bytes were read.
  var isAtEnd: Bool { offset == bytes.endIndex }

  /// Reads a number of parts that follow, each of at least one byte.
  mutating func count() throws(InvalidChangeBytes) -> Int {
    let number = try varint()
    guard number <= UInt64(bytes.endIndex - offset) else { throw InvalidChangeBytes() }
    return Int(number)
  }

  /// Reads a number.
  mutating func signed() throws(InvalidChangeBytes) -> Int64 {
    let number = try varint()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  private mutating func varint() throws(InvalidChangeBytes) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try self.byte()
      guard shift < 63 || byte <= 1 else { throw InvalidChangeBytes() }
      number |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return number }
      shift += 7
    }
  }

  private mutating func byte() throws(InvalidChangeBytes) -> UInt8 {
    guard offset < bytes.endIndex else { throw InvalidChangeBytes() }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// Reads a number with all its bytes.
  mutating func word<Word: FixedWidthInteger>(
    _ type: Word.Type
  ) throws(InvalidChangeBytes) -> Word {
    var number: Word = 0
    for shift in 0..<MemoryLayout<Word>.size {
      number |= Word(truncatingIfNeeded: try byte()) << (8 * shift)
    }
    return number
  }

  /// Reads a truth value.
  mutating func flag() throws(InvalidChangeBytes) -> Bool { try byte() != 0 }

  /// Reads text.
  mutating func text() throws(InvalidChangeBytes) -> String {
    String(decoding: try slice(), as: UTF8.self)
  }

  /// Reads bytes.
  mutating func slice() throws(InvalidChangeBytes) -> ArraySlice<UInt8> {
    let count = try count()
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Reads a value.
  mutating func value(depth: Int = 0) throws(InvalidChangeBytes) -> Value {
    guard depth <= Self.maximumDepth, let tag = ValueTag(rawValue: try byte()) else {
      throw InvalidChangeBytes()
    }
    switch tag {
    case .null: return .null
    case .bool: return .bool(try flag())
    case .int: return .int(try signed())
    case .float: return .float(Float(bitPattern: try word(UInt32.self)))
    case .double: return .double(Double(bitPattern: try word(UInt64.self)))
    case .string: return .string(try text())
    case .data: return .data(Data(try slice()))
    case .date: return .date(Timestamp(seconds: try signed(), subsecond: try signed()))
    case .objectId:
      let bytes = try slice()
      guard bytes.count == ObjectId.byteCount else { throw InvalidChangeBytes() }
      return .objectId(ObjectId(bytes: Array(bytes)))
    case .uuid:
      guard let uuid = UUID(bytes: try slice()) else { throw InvalidChangeBytes() }
      return .uuid(uuid)
    case .decimal: return .decimal(Decimal128(bits: try word(UInt128.self)))
    case .geometry:
      guard let geometry = try? Geometry(wkb: try slice()) else { throw InvalidChangeBytes() }
      return .geometry(geometry)
    case .link: return .link(ObjectKey(try signed()))
    case .object:
      return .object(ObjectAddress(className: try text(), key: ObjectKey(try signed())))
    case .list:
      var values: [Value] = []
      for _ in 0..<(try count()) { values.append(try value(depth: depth + 1)) }
      return .list(values)
    case .map:
      var entries: [(String, Value)] = []
      for _ in 0..<(try count()) { entries.append((try text(), try value(depth: depth + 1))) }
      return .map(ValueMap(entries))
    }
  }
}
