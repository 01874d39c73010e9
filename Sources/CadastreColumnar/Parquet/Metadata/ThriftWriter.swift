/// A writer of the Thrift compact protocol.
struct ThriftWriter {
  private(set) var bytes: [UInt8] = []
  /// The ids of the last fields of the open structures.
  private var previous: [Int] = [0]

  private mutating func header(_ id: Int, _ kind: ThriftReader.Kind) {
    let delta = id - previous[previous.count - 1]
    previous[previous.count - 1] = id
    if (1...15).contains(delta) {
      bytes.append(UInt8(delta) << 4 | kind.rawValue)
    } else {
      bytes.append(kind.rawValue)
      bytes.appendZigzag(Int64(id))
    }
  }

  /// Writes a field of 32 bits.
  mutating func int32(_ id: Int, _ value: Int) {
    header(id, .int32)
    bytes.appendZigzag(Int64(value))
  }

  /// Writes a field of 64 bits.
  mutating func int64(_ id: Int, _ value: Int) {
    header(id, .int64)
    bytes.appendZigzag(Int64(value))
  }

  /// Writes a field of 16 bits.
  mutating func int16(_ id: Int, _ value: Int) {
    header(id, .int16)
    bytes.appendZigzag(Int64(value))
  }

  /// Writes a Boolean.
  mutating func bool(_ id: Int, _ value: Bool) { header(id, value ? .true : .false) }

  /// Writes text.
  mutating func string(_ id: Int, _ value: String) { data(id, Array(value.utf8)) }

  /// Writes binary data.
  mutating func data(_ id: Int, _ value: [UInt8]) {
    header(id, .binary)
    bytes.appendVarint(UInt64(value.count))
    bytes += value
  }

  /// Writes a structure.
  mutating func structure(_ id: Int, _ body: (inout ThriftWriter) -> Void) {
    header(id, .structure)
    element(body)
  }

  /// Writes the header of a list; the elements follow.
  mutating func list(_ id: Int, _ kind: ThriftReader.Kind, count: Int) {
    header(id, .list)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | kind.rawValue)
    } else {
      bytes.append(0xF0 | kind.rawValue)
      bytes.appendVarint(UInt64(count))
    }
  }

  /// Writes a structure that is an element of a list, or the root.
  mutating func element(_ body: (inout ThriftWriter) -> Void) {
    previous.append(0)
    body(&self)
    previous.removeLast()
    bytes.append(0)
  }

  /// Writes an integer that is an element of a list.
  mutating func element(_ value: Int) { bytes.appendZigzag(Int64(value)) }

  /// Writes a Boolean that is an element of a list.
  mutating func element(_ value: Bool) { bytes.append(value ? 1 : 2) }

  /// Writes binary data that is an element of a list.
  mutating func element(_ value: [UInt8]) {
    bytes.appendVarint(UInt64(value.count))
    bytes += value
  }

  /// Writes text that is an element of a list.
  mutating func element(_ value: String) {
    bytes.appendVarint(UInt64(value.utf8.count))
    bytes += value.utf8
  }
}
