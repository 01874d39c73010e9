/// A builder of size-prefixed FlatBuffers, whose references point forward.
struct FlatBufferBuilder {
  /// The bytes; the first four are the size.
  private(set) var bytes: [UInt8] = Array(repeating: 0, count: 8)

  /// The value of a field.
  enum Field {
    case byte(UInt8)
    case short(UInt16)
    case int(UInt32)
    case long(UInt64)
    /// A reference to an object; the closure appends the object and returns its position.
    case reference((inout FlatBufferBuilder) -> Int)

    /// The size of the field in its table, in bytes.
    fileprivate var bytes: Int {
      switch self {
      case .byte: 1
      case .short: 2
      case .int, .reference: 4
      case .long: 8
      }
    }
  }

  /// Creates a buffer with a root table.
  init(root fields: [(slot: Int, field: Field)]) {
    let root = appendTable(fields)
    setWord(UInt32(root - 4), at: 4)
    pad(to: 8)
    setWord(UInt32(bytes.count - 4), at: 0)
  }

  /// Appends a table and the objects to which it refers, and returns its position.
  mutating func appendTable(_ fields: [(slot: Int, field: Field)]) -> Int {
    // Large fields first, so that all are aligned.
    let fields = fields.sorted { ($0.field.bytes, $1.slot) > ($1.field.bytes, $0.slot) }
    let slots = (fields.map(\.slot).max() ?? -1) + 1
    pad(to: 2)
    let vtable = bytes.count
    bytes += Array(repeating: 0, count: 4 + 2 * slots)
    pad(to: 4)
    let table = bytes.count
    bytes.appendWord(UInt32(table - vtable))
    var references: [(position: Int, body: (inout FlatBufferBuilder) -> Int)] = []
    for (slot, field) in fields {
      pad(to: field.bytes)
      setWord(UInt16(bytes.count - table), at: vtable + 4 + 2 * slot)
      switch field {
      case .byte(let value): bytes.append(value)
      case .short(let value): bytes.appendWord(value)
      case .int(let value): bytes.appendWord(value)
      case .long(let value): bytes.appendWord(value)
      case .reference(let body):
        references.append((bytes.count, body))
        bytes.appendWord(UInt32(0))
      }
    }
    setWord(UInt16(4 + 2 * slots), at: vtable)
    setWord(UInt16(bytes.count - table), at: vtable + 2)
    for (position, body) in references {
      let target = body(&self)
      setWord(UInt32(target - position), at: position)
    }
    return table
  }

  /// Appends a string and returns its position.
  mutating func appendString(_ text: String) -> Int {
    let position = appendBytes(Array(text.utf8))
    bytes.append(0)
    return position
  }

  /// Appends a vector of bytes and returns its position.
  mutating func appendBytes(_ vector: [UInt8]) -> Int {
    pad(to: 4)
    let position = bytes.count
    bytes.appendWord(UInt32(vector.count))
    bytes += vector
    return position
  }

  /// Appends a vector of doubles and returns its position; the elements are aligned to 8 bytes.
  mutating func appendDoubles(_ vector: [Double]) -> Int {
    pad(to: 4)
    if bytes.count % 8 == 0 { bytes.appendWord(UInt32(0)) }
    let position = bytes.count
    bytes.appendWord(UInt32(vector.count))
    for number in vector { bytes.appendWord(number.bitPattern) }
    return position
  }

  /// Appends a vector of integers and returns its position.
  mutating func appendWords(_ vector: [UInt32]) -> Int {
    pad(to: 4)
    let position = bytes.count
    bytes.appendWord(UInt32(vector.count))
    for number in vector { bytes.appendWord(number) }
    return position
  }

  /// Appends a vector of tables and returns its position.
  mutating func appendTables(_ tables: [[(slot: Int, field: Field)]]) -> Int {
    pad(to: 4)
    let position = bytes.count
    bytes.appendWord(UInt32(tables.count))
    for _ in tables { bytes.appendWord(UInt32(0)) }
    for (index, fields) in tables.enumerated() {
      let reference = position + 4 + 4 * index
      let target = appendTable(fields)
      setWord(UInt32(target - reference), at: reference)
    }
    return position
  }

  private mutating func pad(to alignment: Int) {
    while bytes.count % alignment != 0 { bytes.append(0) }
  }

  private mutating func setWord<Number: FixedWidthInteger>(_ value: Number, at offset: Int) {
    withUnsafeBytes(of: value.littleEndian) { source in
      for (index, byte) in source.enumerated() { bytes[offset + index] = byte }
    }
  }
}
