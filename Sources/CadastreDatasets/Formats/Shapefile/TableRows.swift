import CadastreFormatting
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

  private let remarks: ReaderNotices

  /// Opens the .dbf file and reads its header.
  init(path: String, encoding: TextEncoding?, _ remarks: ReaderNotices) throws(DatasetError) {
    input = try BinaryInput(path: path)
    header = try TableHeader(input, encoding: encoding)
    self.remarks = remarks
    if !header.ignored.isEmpty {
      remarks.add(
        "memo and binary fields of the table are left out: \(listed(header.ignored))"
          + (GDALLibrary.failure == nil ? "; --format gdal reads them" : "")
      )
    }
  }

  /// Whether another row follows: those that the header counts, or all if it counts none.
  private func hasRow() throws(DatasetError) -> Bool {
    guard header.rowCount == 0 else { return count < header.rowCount }
    guard try input.has(header.rowBytes) else { return false }
    remarks.add("the header of the table counts no rows; all rows of the file are read")
    return true
  }

  /// Reads the next row; after the last row, reads the rest of the file.
  ///
  /// - Parameter values: Receives a value for each field, unless the row is deleted or invalid.
  /// - Returns: The content of the row; nil at the end.
  /// - Throws: ``DatasetError`` if the file is truncated or cannot be read.
  func next(_ values: inout [Value]) throws(DatasetError) -> Row? {
    guard try hasRow() else {
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
      if let text = header.encoding.text(content) { return .string(text) }
      guard content.count == bytes.count, let text = header.encoding.textCutOff(content) else {
        throw .encoding
      }
      remarks.add(
        "texts are cut off in a character at the end of a field; the rest of it is left out")
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

/// The header of a table of dBase III to 5 or FoxPro: the number of rows and the fields.
///
/// Source: Library of Congress, "dBASE Table File Format (DBF)", fdd000325, and its references.
struct TableHeader {
  /// A field of the rows.
  struct Field {
    var name: String
    var kind: Kind
    /// The offset in a row, whose first byte is the deletion flag.
    var offset: Int
    var width: Int

    var type: PropertyType {
      switch kind {
      case .text: .string
      case .integer: .int
      case .number: .double
      case .bool: .bool
      case .date: .date
      }
    }

    /// The field of records.
    var typed: TypedField { TypedField(name: name, type: type, isDay: kind == .date) }
  }

  /// The format of a field.
  enum Kind { case text, integer, number, bool, date }

  /// The number of rows, including deleted ones.
  let rowCount: Int
  let rowBytes: Int
  let fields: [Field]
  /// The names of the fields that are not read, because their values are binary or in another file.
  let ignored: [String]
  let encoding: TextEncoding

  private static let fixedBytes = 32
  private static let descriptorBytes = 32
  private static let terminator: UInt8 = 0x0D
  /// The maximum number of digits that always fit in 64 bits.
  private static let integerWidth = 18
  /// The first bytes of tables with and without memos; the low bits of dBase 7 are 4.
  private static let versions: Set<UInt8> = [
    0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8B, 0xCB, 0xF5, 0xFB,
  ]

  /// Reads a header.
  ///
  /// - Parameters:
  ///   - input: The table, from its first byte.
  ///   - encoding: The encoding; nil to use the encoding of the header.
  /// - Throws: ``DatasetError`` if the header is invalid or unsupported.
  init(_ input: BinaryInput, encoding: TextEncoding?) throws(DatasetError) {
    let path = input.file.path
    func error(_ problem: ShapefileProblem) -> DatasetError {
      DatasetError(path: path, problem: .shapefile(problem))
    }
    guard let head = try input.take(Self.fixedBytes) else {
      throw error(.notThePart(expected: ".dbf"))
    }
    guard head[0] & 7 != 4 else {
      throw error(.tableHeader(detail: "is that of dBase 7, which is not supported"))
    }
    guard Self.versions.contains(head[0]) else { throw error(.notThePart(expected: ".dbf")) }
    rowCount = Int(head.littleEndian(at: 4, as: UInt32.self))
    let headerBytes = Int(head.littleEndian(at: 8, as: UInt16.self))
    rowBytes = Int(head.littleEndian(at: 10, as: UInt16.self))
    self.encoding = try Self.encoding(encoding, languageDriver: head[29], error)
    guard headerBytes > Self.fixedBytes, rowBytes > 0 else {
      throw error(
        .tableHeader(
          detail: "declares \(headerBytes) bytes for the header and \(rowBytes) for a row"))
    }
    guard let descriptors = try input.take(headerBytes - Self.fixedBytes) else {
      throw error(.truncated(byteOffset: input.offset))
    }
    var fields: [Field] = []
    var ignored: [String] = []
    var end = 1
    var start = 0
    while start < descriptors.count, descriptors[start] != Self.terminator {
      guard start + Self.descriptorBytes <= descriptors.count else {
        throw error(.tableHeader(detail: "ends inside a field descriptor"))
      }
      let descriptor = UnsafeRawBufferPointer(
        rebasing: descriptors[start..<start + Self.descriptorBytes])
      if Self.otherTypes.contains(descriptor[11]) {
        // The type 0 is that of the flags of null values.
        if descriptor[11] != UInt8(ascii: "0") {
          ignored.append(Self.name(descriptor, self.encoding) ?? "\(fields.count + 1)")
        }
        end += Int(descriptor[16])
      } else {
        let field = try Self.field(descriptor, offset: end, self.encoding, fields.count, error)
        end += field.width
        fields.append(field)
      }
      start += Self.descriptorBytes
    }
    guard end <= rowBytes else {
      throw error(
        .tableHeader(
          detail: "declares \(rowBytes) bytes for a row, but fields of \(end) bytes"))
    }
    self.ignored = ignored
    self.fields = fields.enumerated().map { index, field in
      var field = field
      field.name = HeaderNames.name(field.name, at: index)
      return field
    }
  }

  /// Returns the name of a field; nil where it is not in the encoding.
  private static func name(
    _ descriptor: UnsafeRawBufferPointer, _ encoding: TextEncoding
  ) -> String? {
    let bytes = descriptor[..<(descriptor[..<11].firstIndex(of: 0) ?? 11)]
    return encoding.text(UnsafeRawBufferPointer(rebasing: bytes)).map {
      String($0.trimmingBlanks())
    }
  }

  /// The types of fields of later versions of dBase and of FoxPro, whose values are binary or in another file.
  private static let otherTypes = Set("MGBPTIYVWQ0+@O".utf8)

  private static func encoding(
    _ given: TextEncoding?, languageDriver: UInt8, _ error: (ShapefileProblem) -> DatasetError
  ) throws(DatasetError) -> TextEncoding {
    if let given { return given }
    if languageDriver == 0 { return .unknown }
    guard let encoding = TextEncoding(languageDriver: languageDriver) else {
      throw error(.encoding(name: "language driver \(languageDriver)"))
    }
    return encoding
  }

  private static func field(
    _ descriptor: UnsafeRawBufferPointer, offset: Int, _ encoding: TextEncoding, _ index: Int,
    _ error: (ShapefileProblem) -> DatasetError
  ) throws(DatasetError) -> Field {
    guard let name = Self.name(descriptor, encoding) else {
      throw error(.text(field: "\(index + 1)", encoding: encoding.name))
    }
    let type = descriptor[11]
    var width = Int(descriptor[16])
    let decimals = Int(descriptor[17])
    let kind: Kind
    switch type {
    case UInt8(ascii: "C"):
      kind = .text
      // For texts of more than 255 bytes, the number of decimals is the high byte of the width.
      width += decimals << 8
    case UInt8(ascii: "N"), UInt8(ascii: "F"):
      kind = decimals == 0 && width <= integerWidth ? .integer : .number
    case UInt8(ascii: "L"): kind = .bool
    case UInt8(ascii: "D"): kind = .date
    default:
      throw error(.fieldType(field: name, type: String(Unicode.Scalar(type))))
    }
    guard width > 0 else {
      throw error(.tableHeader(detail: "declares no width for field '\(printable(name))'"))
    }
    return Field(name: name, kind: kind, offset: offset, width: width)
  }
}
