/// A bounds-checked reader of a FlatBuffer.
///
/// Source: flatbuffers.dev, "FlatBuffer Internals".
struct FlatBuffer {
  let bytes: [UInt8]
  /// The offset of the buffer in the file, for messages.
  let base: Int

  /// A table: its position, and the position and the size of its vtable.
  struct Table {
    let position: Int
    let vtable: Int
    let vtableBytes: Int
    let bytes: Int
  }

  /// The elements of a vector.
  struct Vector {
    let start: Int
    let count: Int
  }

  /// Creates an error at an offset in the buffer.
  func corrupt(_ offset: Int, _ found: String, expected: String) -> ColumnarError {
    .corrupt(found: found, expected: expected, offset: base + offset)
  }

  /// Returns the root table.
  func root() throws(ColumnarError) -> Table { try table(at: reference(at: 0)) }

  /// Returns the target of a reference.
  private func reference(at offset: Int) throws(ColumnarError) -> Int {
    guard offset >= 0, offset <= bytes.count - 4 else {
      throw corrupt(offset, "the end of the buffer", expected: "a reference")
    }
    let distance = Int(bytes.word(at: offset, as: UInt32.self))
    guard distance >= 1, distance <= bytes.count - 4 - offset else {
      throw corrupt(offset, "a reference of \(distance) bytes", expected: "one in the buffer")
    }
    return offset + distance
  }

  /// Returns the table at a position.
  private func table(at position: Int) throws(ColumnarError) -> Table {
    let distance = Int(Int32(bitPattern: bytes.word(at: position, as: UInt32.self)))
    let vtable = position - distance
    guard vtable >= 0, vtable <= bytes.count - 4 else {
      throw corrupt(position, "a field table at \(vtable)", expected: "one in the buffer")
    }
    let vtableBytes = Int(bytes.word(at: vtable, as: UInt16.self))
    let size = Int(bytes.word(at: vtable + 2, as: UInt16.self))
    guard vtableBytes >= 4, vtableBytes & 1 == 0, vtableBytes <= bytes.count - vtable, size >= 4,
      size <= bytes.count - position
    else {
      throw corrupt(
        vtable, "tables of \(vtableBytes) and \(size) bytes", expected: "tables in the buffer")
    }
    return Table(position: position, vtable: vtable, vtableBytes: vtableBytes, bytes: size)
  }

  /// Returns the position of a field; nil if it is absent.
  private func field(
    _ slot: Int, of table: Table, size: Int
  ) throws(ColumnarError) -> Int? {
    let entry = 4 + 2 * slot
    guard entry + 2 <= table.vtableBytes else { return nil }
    let offset = Int(bytes.word(at: table.vtable + entry, as: UInt16.self))
    guard offset != 0 else { return nil }
    guard offset >= 4, offset + size <= table.bytes else {
      throw corrupt(
        table.vtable + entry, "field \(slot) at \(offset)",
        expected: "a field in the table of \(table.bytes) bytes")
    }
    return table.position + offset
  }

  /// Returns an integer field; the default if it is absent.
  func integer<Number: FixedWidthInteger & UnsignedInteger>(
    _ slot: Int, of table: Table, default value: Number
  ) throws(ColumnarError) -> Number {
    guard let offset = try field(slot, of: table, size: MemoryLayout<Number>.size) else {
      return value
    }
    return bytes.word(at: offset, as: Number.self)
  }

  /// Returns a vector; nil if it is absent.
  func vector(
    _ slot: Int, of table: Table, elementBytes: Int
  ) throws(ColumnarError) -> Vector? {
    guard let offset = try field(slot, of: table, size: 4) else { return nil }
    let start = try reference(at: offset)
    let count = Int(bytes.word(at: start, as: UInt32.self))
    guard count <= (bytes.count - start - 4) / elementBytes else {
      throw corrupt(start, "a vector of \(count) elements", expected: "one in the buffer")
    }
    return Vector(start: start + 4, count: count)
  }

  /// Returns a string, in which invalid UTF-8 is replaced; nil if it is absent.
  func string(_ slot: Int, of table: Table) throws(ColumnarError) -> String? {
    guard let vector = try vector(slot, of: table, elementBytes: 1) else { return nil }
    return String(decoding: bytes[vector.start..<vector.start + vector.count], as: UTF8.self)
  }

  /// Returns the table of a field; nil if it is absent.
  func table(_ slot: Int, of table: Table) throws(ColumnarError) -> Table? {
    guard let offset = try field(slot, of: table, size: 4) else { return nil }
    return try self.table(at: reference(at: offset))
  }

  /// Returns the table of an element of a vector of tables.
  func table(_ index: Int, in vector: Vector) throws(ColumnarError) -> Table {
    try table(at: reference(at: vector.start + 4 * index))
  }

  /// Returns a double of a vector.
  func double(_ index: Int, in vector: Vector) -> Double {
    Double(bitPattern: bytes.word(at: vector.start + 8 * index, as: UInt64.self))
  }
}
