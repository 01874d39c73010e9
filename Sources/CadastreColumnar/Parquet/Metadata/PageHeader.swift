/// The header of a page.
struct PageHeader {
  enum Kind { case data, dataV2, dictionary, other }

  var kind = Kind.other
  /// The size of the body in the file, in bytes.
  var compressedBytes = -1
  /// The size of the decompressed body, in bytes.
  var uncompressedBytes = -1
  /// The CRC-32 of the body in the file.
  var checksum: UInt32?
  /// The number of level entries, or of values in a dictionary.
  var valueCount = -1
  var encoding = -1
  /// The encoding of the levels in a page of version 1.
  var levelEncodings = (definition: 3, repetition: 3)
  /// The size of the levels in a page of version 2, in bytes.
  var levelBytes = (definition: 0, repetition: 0)
  /// Whether the values of a page of version 2 are compressed.
  var isCompressed = true

  /// Parses a header and moves the reader to the body.
  init(_ input: inout ByteReader) throws(ColumnarError) {
    var reader = ThriftReader(input)
    var previous = 0
    var type = -1
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (1, .int32): type = try reader.integer(field.kind)
      case (2, .int32): uncompressedBytes = try reader.integer(field.kind)
      case (3, .int32): compressedBytes = try reader.integer(field.kind)
      case (4, .int32): checksum = UInt32(truncatingIfNeeded: try reader.integer(field.kind))
      case (5, .structure) where type == 0:
        try readNumbers(&reader) { header, id, number in
          switch id {
          case 1: header.valueCount = number
          case 2: header.encoding = number
          case 3: header.levelEncodings.definition = number
          case 4: header.levelEncodings.repetition = number
          default: break
          }
        }
        kind = .data
      case (7, .structure) where type == 2:
        try readNumbers(&reader) { header, id, number in
          switch id {
          case 1: header.valueCount = number
          case 2: header.encoding = number
          default: break
          }
        }
        kind = .dictionary
      case (8, .structure) where type == 3:
        try readNumbers(&reader) { header, id, number in
          switch id {
          case 1: header.valueCount = number
          case 4: header.encoding = number
          case 5: header.levelBytes.definition = number
          case 6: header.levelBytes.repetition = number
          default: break
          }
        }
        kind = .dataV2
      default: try reader.skip(field.kind)
      }
    }
    let isData = kind != .other
    guard compressedBytes >= 0, uncompressedBytes >= 0, !isData || valueCount >= 0,
      levelBytes.definition >= 0, levelBytes.repetition >= 0,
      isData || ![0, 2, 3].contains(type)
    else {
      throw input.corrupt("an invalid page header", expected: "sizes and a number of values")
    }
    input = reader.input
  }

  private mutating func readNumbers(
    _ reader: inout ThriftReader, _ set: (inout PageHeader, Int, Int) -> Void
  ) throws(ColumnarError) {
    var previous = 0
    while let field = try reader.field(after: &previous) {
      if field.kind == .int32 {
        set(&self, field.id, try reader.integer(field.kind))
      } else {
        if field.id == 7, field.kind == .false { isCompressed = false }
        try reader.skip(field.kind)
      }
    }
  }
}
