import CadastreFormatting
import CadastreModel

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
  ///   - encoding: The encoding; nil to use that of the header.
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
    var end = 1
    var start = 0
    while start < descriptors.count, descriptors[start] != Self.terminator {
      guard start + Self.descriptorBytes <= descriptors.count else {
        throw error(.tableHeader(detail: "ends inside a field descriptor"))
      }
      let descriptor = UnsafeRawBufferPointer(
        rebasing: descriptors[start..<start + Self.descriptorBytes])
      let field = try Self.field(descriptor, offset: end, self.encoding, fields.count, error)
      end += field.width
      fields.append(field)
      start += Self.descriptorBytes
    }
    guard end <= rowBytes else {
      throw error(
        .tableHeader(
          detail: "declares \(rowBytes) bytes for a row, but fields of \(end) bytes"))
    }
    self.fields = fields
    try Self.checkNames(fields, path)
  }

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
    let nameBytes = UnsafeRawBufferPointer(
      rebasing: descriptor[..<(descriptor[..<11].firstIndex(of: 0) ?? 11)])
    guard let name = encoding.text(nameBytes).map({ String($0.trimmingBlanks()) }) else {
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

  private static func checkNames(_ fields: [Field], _ path: String) throws(DatasetError) {
    var numbers: [String: Int] = [:]
    for (index, field) in fields.enumerated() {
      guard !field.name.isEmpty else {
        throw DatasetError(path: path, problem: .unnamedColumn(number: index + 1))
      }
      if let first = numbers.updateValue(index + 1, forKey: field.name) {
        throw DatasetError(
          path: path, problem: .repeatedColumn(name: field.name, first: first, second: index + 1))
      }
    }
  }
}
