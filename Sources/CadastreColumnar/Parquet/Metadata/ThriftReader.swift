/// A reader of the Thrift compact protocol.
///
/// Source: Apache Thrift, "Thrift Compact protocol encoding".
struct ThriftReader {
  /// The types of values.
  enum Kind: UInt8 {
    case `true` = 1
    case `false` = 2
    case int8 = 3
    case int16 = 4
    case int32 = 5
    case int64 = 6
    case double = 7
    case binary = 8
    case list = 9
    case set = 10
    case map = 11
    case structure = 12
    case uuid = 13

    /// Whether the value is an integer of variable length.
    var isInteger: Bool { self == .int16 || self == .int32 || self == .int64 }
  }

  /// The header of a field; the kind of a Boolean is its value.
  struct Field {
    var id: Int
    var kind: Kind
  }

  /// The reader of the bytes.
  var input: ByteReader

  /// The maximum nesting of values that are skipped.
  private static let maximumDepth = 32

  init(_ input: ByteReader) { self.input = input }

  /// Reads the header of the next field; nil at the end of the structure.
  ///
  /// - Parameter previous: The id of the previous field, 0 at first.
  /// - Returns: The field.
  /// - Throws: ``ColumnarError`` if the bytes are invalid.
  mutating func field(after previous: inout Int) throws(ColumnarError) -> Field? {
    let header = try input.byte()
    if header == 0 { return nil }
    guard let kind = Kind(rawValue: header & 0x0F) else {
      throw input.corrupt("field type \(header & 0x0F)", expected: "a type from 1 to 13")
    }
    let id =
      header >> 4 == 0
      ? Int(truncatingIfNeeded: try input.zigzag()) : previous &+ Int(header >> 4)
    guard (-32768...32767).contains(id) else {
      throw input.corrupt("field id \(id)", expected: "16 bits")
    }
    previous = id
    return Field(id: id, kind: kind)
  }

  /// Reads an integer and checks that it fits its type.
  mutating func integer(_ kind: Kind) throws(ColumnarError) -> Int {
    let value = try input.zigzag()
    let limit: Int64 =
      switch kind {
      case .int16: Int64(Int16.max)
      case .int32: Int64(Int32.max)
      default: Int64.max
      }
    guard value <= limit, value >= -limit - 1 else {
      throw input.corrupt("the number \(value)", expected: "a number up to \(limit)")
    }
    return Int(value)
  }

  /// Reads the range of a binary value or string.
  mutating func binary() throws(ColumnarError) -> Range<Int> {
    let count = try input.count(atMost: input.remaining, "bytes of text")
    return try input.skip(count, "text")
  }

  /// Reads a string; invalid UTF-8 is replaced.
  mutating func string() throws(ColumnarError) -> String {
    String(decoding: input.bytes[try binary()], as: UTF8.self)
  }

  /// Reads binary data.
  mutating func data() throws(ColumnarError) -> [UInt8] { Array(input.bytes[try binary()]) }

  /// Reads the header of a list: the number and the type of its elements, which is arbitrary in an empty list.
  mutating func list() throws(ColumnarError) -> (count: Int, kind: Kind) {
    let header = try input.byte()
    // Every element takes at least one byte.
    let count =
      header >> 4 < 15
      ? Int(header >> 4) : try input.count(atMost: input.remaining, "elements of a list")
    // Some programs write the type 0 in an empty list.
    let code = header & 0x0F == 0 && count == 0 ? Kind.structure.rawValue : header & 0x0F
    guard let kind = Kind(rawValue: code), count <= input.remaining else {
      throw input.corrupt(
        "a list of \(count) elements of type \(header & 0x0F)",
        expected: "a type from 1 to 13 and at most \(input.remaining) elements")
    }
    return (count, kind)
  }

  /// Reads a list of structures.
  mutating func structures<Element>(
    _ element: (inout ThriftReader) throws(ColumnarError) -> Element
  ) throws(ColumnarError) -> [Element] {
    let (count, kind) = try list()
    guard kind == .structure || count == 0 else {
      throw input.corrupt("a list of type \(kind.rawValue)", expected: "a list of structures")
    }
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try element(&self)) }
    return elements
  }

  /// Skips a value.
  mutating func skip(_ kind: Kind, depth: Int = 0) throws(ColumnarError) {
    guard depth < Self.maximumDepth else {
      throw input.corrupt("nested values", expected: "at most \(Self.maximumDepth) levels")
    }
    switch kind {
    case .true, .false: break
    case .int8: _ = try input.byte()
    case .int16, .int32, .int64: _ = try input.varint()
    case .double: _ = try input.skip(8, "a double")
    case .uuid: _ = try input.skip(16, "a UUID")
    case .binary: _ = try binary()
    case .list, .set:
      let (count, kind) = try list()
      for _ in 0..<count { try skipElement(kind, depth: depth) }
    case .map:
      let count = try input.count(atMost: input.remaining, "entries of a map")
      guard count > 0 else { return }
      let kinds = try input.byte()
      guard let key = Kind(rawValue: kinds >> 4), let value = Kind(rawValue: kinds & 0x0F) else {
        throw input.corrupt("a map of types \(kinds)", expected: "types from 1 to 13")
      }
      for _ in 0..<count {
        try skipElement(key, depth: depth)
        try skipElement(value, depth: depth)
      }
    case .structure:
      var previous = 0
      while let field = try field(after: &previous) { try skip(field.kind, depth: depth + 1) }
    }
  }

  /// Skips an element of a list or a map, where a Boolean takes a byte.
  private mutating func skipElement(_ kind: Kind, depth: Int) throws(ColumnarError) {
    if kind == .true || kind == .false {
      _ = try input.byte()
    } else {
      try skip(kind, depth: depth + 1)
    }
  }
}
