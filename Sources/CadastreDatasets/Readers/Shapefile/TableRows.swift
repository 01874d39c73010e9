import CadastreModel

/// A reader of the rows of a dBase table.
final class TableRows {
  let input: BinaryInput
  let header: TableHeader
  /// The number of rows read, including deleted ones.
  private(set) var count = 0

  /// The content of a row.
  enum Row {
    case deleted
    case values
    case problem(ShapefileProblem)
  }

  /// Opens the .dbf file and reads its header.
  init(path: String, encoding: TextEncoding?) throws(DatasetError) {
    input = try BinaryInput(path: path)
    header = try TableHeader(input, encoding: encoding)
  }

  /// Reads the next row; at the end it reads to the end of the file.
  ///
  /// - Parameter values: Receives a value for each field, unless the row is deleted or invalid.
  /// - Returns: The content of the row; nil at the end.
  /// - Throws: ``DatasetError`` if the file is truncated or cannot be read.
  func next(_ values: inout [Value]) throws(DatasetError) -> Row? {
    guard count < header.rowCount else {
      while try input.has(1) { _ = try input.take(1) }
      return nil
    }
    guard let row = try input.take(header.rowBytes) else {
      throw DatasetError(
        path: input.file.path, problem: .shapefile(.truncated(byteOffset: input.offset)))
    }
    count += 1
    switch row[0] {
    case UInt8(ascii: "*"): return .deleted
    case UInt8(ascii: " "): break
    case let mark: return .problem(.recordMark(byte: mark))
    }
    values.removeAll(keepingCapacity: true)
    for field in header.fields {
      let bytes = UnsafeRawBufferPointer(
        rebasing: row[field.offset..<field.offset + field.width])
      do throws(FieldProblem) {
        values.append(try value(bytes, field.kind))
      } catch {
        return .problem(problem(error, field, bytes))
      }
    }
    return .values
  }

  // MARK: - Values

  private enum FieldProblem: Error { case encoding, value(expected: String) }

  private func problem(
    _ problem: FieldProblem, _ field: TableHeader.Field, _ bytes: UnsafeRawBufferPointer
  ) -> ShapefileProblem {
    switch problem {
    case .encoding: .text(field: field.name, encoding: header.encoding.name)
    case .value(let expected):
      .value(
        field: field.name, text: String(decoding: bytes.prefix(40), as: UTF8.self),
        expected: expected)
    }
  }

  private func value(
    _ bytes: UnsafeRawBufferPointer, _ kind: TableHeader.Kind
  ) throws(FieldProblem) -> Value {
    let content = Self.trimmed(bytes, isText: kind == .text)
    // In all types blanks mean that there is no value; in numbers, asterisks too.
    guard let first = content.first else { return .null }
    switch kind {
    case .text:
      guard let text = header.encoding.text(content) else { throw .encoding }
      return .string(text)
    case .integer, .number:
      return first == UInt8(ascii: "*") ? .null : try Self.number(content, kind)
    case .bool:
      switch first {
      case UInt8(ascii: "T"), UInt8(ascii: "t"), UInt8(ascii: "Y"), UInt8(ascii: "y"):
        return .bool(true)
      case UInt8(ascii: "F"), UInt8(ascii: "f"), UInt8(ascii: "N"), UInt8(ascii: "n"):
        return .bool(false)
      case UInt8(ascii: "?"): return .null
      default: throw .value(expected: "T, F or ?")
      }
    case .date: return try Self.date(content)
    }
  }

  /// Returns the bytes without surrounding blanks and NULs; text keeps leading blanks.
  private static func trimmed(
    _ bytes: UnsafeRawBufferPointer, isText: Bool
  ) -> UnsafeRawBufferPointer {
    var end = bytes.count
    while end > 0, bytes[end - 1] == 0x20 || bytes[end - 1] == 0 { end -= 1 }
    var start = 0
    while !isText, start < end, bytes[start] == 0x20 || bytes[start] == 0 { start += 1 }
    return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  private static func number(
    _ content: UnsafeRawBufferPointer, _ kind: TableHeader.Kind
  ) throws(FieldProblem) -> Value {
    let bytes = content.assumingMemoryBound(to: UInt8.self)
    if kind == .integer {
      if let value = FieldParsing.int64(bytes) { return .int(value) }
      // Some programs write `12.0` into a column without decimals.
      if let value = FieldParsing.double(bytes).flatMap(Int64.init(exactly:)) { return .int(value) }
      throw .value(expected: "an integer")
    }
    guard let value = FieldParsing.double(bytes) else { throw .value(expected: "a number") }
    return .double(value)
  }

  /// Parses a date of eight digits; GDAL writes blanks for leading zeros, and zero means null.
  private static func date(_ content: UnsafeRawBufferPointer) throws(FieldProblem) -> Value {
    let digits = content.compactMap { FieldParsing.digit($0).map(Int.init) }
    guard digits.count == content.count, digits.count <= 8 else {
      throw .value(expected: dateForm)
    }
    let number = digits.reduce(0) { $0 * 10 + $1 }
    if number == 0 { return .null }
    guard
      let date = Timestamp(
        year: number / 10_000, month: number / 100 % 100, day: number % 100)
    else { throw .value(expected: dateForm) }
    return .date(date)
  }

  private static let dateForm = "a date as YYYYMMDD"
}
