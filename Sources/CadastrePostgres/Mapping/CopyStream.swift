/// Builds the stream of `COPY` in the binary format.
package struct CopyStream: Sendable {
  /// The bytes that are not sent yet.
  package private(set) var bytes: [UInt8]

  /// The number of bytes of the header.
  static let headerLength = 19

  /// A stream that begins with the header of the format.
  package init() { bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0, 0, 0, 0, 0, 0, 0, 0, 0] }

  /// Appends a row.
  package mutating func append(_ row: [PostgresValue]) {
    bytes.appendBigEndian(Int16(row.count))
    for value in row { value.writeField(to: &bytes) }
  }

  /// Appends the end of the stream.
  package mutating func finish() { bytes.appendBigEndian(Int16(-1)) }

  /// Returns the bytes so far and removes them.
  package mutating func take() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }
}
