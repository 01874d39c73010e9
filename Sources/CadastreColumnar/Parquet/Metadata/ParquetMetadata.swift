/// The metadata in the footer of a Parquet file.
///
/// Source: Apache parquet-format 2.12, "parquet.thrift".
struct ParquetMetadata {
  var schema: [SchemaElement] = []
  var rowCount = 0
  var rowGroups: [RowGroupMetadata] = []
  var keyValues: [String: String] = [:]
  var createdBy: String?
  /// Whether the type of each leaf defines the order of its statistics; empty if the footer does not say.
  var hasTypeDefinedOrder: [Bool] = []
  var isEncrypted = false
}

/// An element of the schema, which lists its nodes in depth-first order.
struct SchemaElement {
  var type: Int?
  var typeLength: Int?
  var repetition: Int?
  var name = ""
  var childCount: Int?
  var convertedType: Int?
  var scale: Int?
  var precision: Int?
  var logicalType: LogicalType?
}

/// A unit of times and timestamps; the raw value is the number of digits after the seconds.
enum TimeUnit: Int {
  case milliseconds = 3
  case microseconds = 6
  case nanoseconds = 9

  /// The number of units in a second.
  var perSecond: Int64 {
    switch self {
    case .milliseconds: 1000
    case .microseconds: 1_000_000
    case .nanoseconds: 1_000_000_000
    }
  }
}

/// The logical type of a schema element.
enum LogicalType: Equatable {
  case string, map, list, `enum`, date, json, bson, uuid, float16, null
  case decimal(scale: Int, precision: Int)
  case time(TimeUnit)
  case timestamp(TimeUnit)
  case integer(bits: Int, isSigned: Bool)
  case geometry(crs: String?)
  case geography(crs: String?)
  case other
}

/// A row group: a range of rows, with a chunk for each leaf.
struct RowGroupMetadata {
  var chunks: [ChunkMetadata] = []
  var rowCount = 0
}

/// The metadata of a column chunk: the values of a leaf in a row group.
struct ChunkMetadata {
  var isInOtherFile = false
  var isEncrypted = false
  var type = -1
  var codec = 0
  var valueCount = 0
  var compressedBytes = 0
  var dataPageOffset = 0
  var dictionaryPageOffset: Int?
  var statistics: ChunkStatistics?
  var boundingBox: [Double?]?
  /// The location of the offset index, with the locations of the pages; nil without one.
  var offsetIndex: IndexRange?
  /// The location of the column index, with the statistics of the pages; nil without one.
  var columnIndex: IndexRange?

  /// The offset of the first page.
  var start: Int {
    guard let offset = dictionaryPageOffset, offset > 0, offset < dataPageOffset else {
      return dataPageOffset
    }
    return offset
  }
}

/// The location of a page index in the file.
struct IndexRange: Hashable {
  var offset = 0
  var size = 0
}

/// The statistics of a chunk, with bounds in PLAIN encoding.
struct ChunkStatistics {
  var nullCount: Int?
  var minimum: [UInt8]?
  var maximum: [UInt8]?
}

extension ParquetMetadata {
  /// Parses a footer.
  ///
  /// - Parameters:
  ///   - bytes: The bytes of the footer.
  ///   - offset: The offset of the footer in the file.
  /// - Throws: ``ColumnarError`` if a required field is missing or invalid.
  init(_ bytes: [UInt8], at offset: Int) throws(ColumnarError) {
    var reader = ThriftReader(ByteReader(bytes, base: offset))
    var previous = 0
    var hasRows = false
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (2, .list): schema = try reader.structures(SchemaElement.init)
      case (3, .int64):
        rowCount = try reader.integer(field.kind)
        hasRows = true
      case (4, .list): rowGroups = try reader.structures(RowGroupMetadata.init)
      case (5, .list):
        for (key, value) in try reader.structures(Self.keyValue) { keyValues[key] = value }
      case (6, .binary): createdBy = try reader.string()
      case (7, .list): hasTypeDefinedOrder = try reader.structures(Self.columnOrder)
      case (8, .structure):
        isEncrypted = true
        try reader.skip(field.kind)
      default: try reader.skip(field.kind)
      }
    }
    guard !schema.isEmpty, hasRows, rowCount >= 0 else {
      throw .corrupt(
        found: schema.isEmpty ? "no schema" : "no valid number of rows",
        expected: "a schema and a number of rows", part: "footer", offset: offset)
    }
  }

  private static func keyValue(
    _ reader: inout ThriftReader
  ) throws(ColumnarError) -> (String, String) {
    var pair = ("", "")
    var previous = 0
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (1, .binary): pair.0 = try reader.string()
      case (2, .binary): pair.1 = try reader.string()
      default: try reader.skip(field.kind)
      }
    }
    return pair
  }

  private static func columnOrder(_ reader: inout ThriftReader) throws(ColumnarError) -> Bool {
    var isTypeDefined = false
    var previous = 0
    while let field = try reader.field(after: &previous) {
      isTypeDefined = field.id == 1
      try reader.skip(field.kind)
    }
    return isTypeDefined
  }
}

extension SchemaElement {
  fileprivate init(_ reader: inout ThriftReader) throws(ColumnarError) {
    var previous = 0
    var hasName = false
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (1, .int32): type = try reader.integer(field.kind)
      case (2, .int32): typeLength = try reader.integer(field.kind)
      case (3, .int32): repetition = try reader.integer(field.kind)
      case (4, .binary):
        name = try reader.string()
        hasName = true
      case (5, .int32): childCount = try reader.integer(field.kind)
      case (6, .int32): convertedType = try reader.integer(field.kind)
      case (7, .int32): scale = try reader.integer(field.kind)
      case (8, .int32): precision = try reader.integer(field.kind)
      case (10, .structure): logicalType = try LogicalType(&reader)
      default: try reader.skip(field.kind)
      }
    }
    guard hasName else {
      throw reader.input.corrupt("a column without a name", expected: "a name")
    }
  }
}

extension LogicalType {
  /// Parses a union, which is a structure with one field.
  fileprivate init(_ reader: inout ThriftReader) throws(ColumnarError) {
    self = .other
    var previous = 0
    while let field = try reader.field(after: &previous) {
      guard field.kind == .structure else {
        try reader.skip(field.kind)
        continue
      }
      self = try Self.member(field.id, &reader)
    }
  }

  private static func member(
    _ id: Int, _ reader: inout ThriftReader
  ) throws(ColumnarError) -> LogicalType {
    // The fields of any member: integers by id, a time unit, a Boolean and a text.
    var numbers: [Int: Int] = [:]
    var unit: TimeUnit?
    var isSigned = false
    var text: String?
    var previous = 0
    while let field = try reader.field(after: &previous) {
      switch field.kind {
      case .int32: numbers[field.id] = try reader.integer(field.kind)
      case .int8: numbers[field.id] = Int(Int8(bitPattern: try reader.input.byte()))
      case .true: isSigned = field.id == 2
      case .binary: text = try reader.string()
      case .structure: unit = try timeUnit(&reader)
      default: try reader.skip(field.kind)
      }
    }
    switch id {
    case 1: return .string
    case 2: return .map
    case 3: return .list
    case 4: return .enum
    case 5: return .decimal(scale: numbers[1] ?? 0, precision: numbers[2] ?? 0)
    case 6: return .date
    case 7: return unit.map { .time($0) } ?? .other
    case 8: return unit.map { .timestamp($0) } ?? .other
    case 10: return .integer(bits: numbers[1] ?? 64, isSigned: isSigned)
    case 11: return .null
    case 12: return .json
    case 13: return .bson
    case 14: return .uuid
    case 15: return .float16
    case 17: return .geometry(crs: text)
    case 18: return .geography(crs: text)
    default: return .other
    }
  }

  private static func timeUnit(_ reader: inout ThriftReader) throws(ColumnarError) -> TimeUnit? {
    var unit: TimeUnit?
    var previous = 0
    while let field = try reader.field(after: &previous) {
      unit = [1: .milliseconds, 2: .microseconds, 3: .nanoseconds][field.id]
      try reader.skip(field.kind)
    }
    return unit
  }
}

extension RowGroupMetadata {
  fileprivate init(_ reader: inout ThriftReader) throws(ColumnarError) {
    var previous = 0
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (1, .list): chunks = try reader.structures(ChunkMetadata.init)
      case (3, .int64): rowCount = try reader.integer(field.kind)
      default: try reader.skip(field.kind)
      }
    }
  }
}

extension ChunkMetadata {
  fileprivate init(_ reader: inout ThriftReader) throws(ColumnarError) {
    var previous = 0
    var hasColumn = false
    var (offsets, columns) = (IndexRange(), IndexRange())
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (1, .binary): isInOtherFile = try !reader.binary().isEmpty
      case (3, .structure):
        try readColumn(&reader)
        hasColumn = true
      case (4, .int64): offsets.offset = try reader.integer(field.kind)
      case (5, .int32): offsets.size = try reader.integer(field.kind)
      case (6, .int64): columns.offset = try reader.integer(field.kind)
      case (7, .int32): columns.size = try reader.integer(field.kind)
      case (8, .structure):
        isEncrypted = true
        try reader.skip(field.kind)
      default: try reader.skip(field.kind)
      }
    }
    offsetIndex = offsets.size > 0 ? offsets : nil
    columnIndex = columns.size > 0 ? columns : nil
    guard hasColumn || isEncrypted || isInOtherFile else {
      throw reader.input.corrupt("a column without metadata", expected: "metadata")
    }
  }

  private mutating func readColumn(_ reader: inout ThriftReader) throws(ColumnarError) {
    var previous = 0
    var found: Set<Int> = []
    while let field = try reader.field(after: &previous) {
      if field.kind.isInteger { found.insert(field.id) }
      switch (field.id, field.kind) {
      case (1, .int32): type = try reader.integer(field.kind)
      case (4, .int32): codec = try reader.integer(field.kind)
      case (5, .int64): valueCount = try reader.integer(field.kind)
      case (7, .int64): compressedBytes = try reader.integer(field.kind)
      case (9, .int64): dataPageOffset = try reader.integer(field.kind)
      case (11, .int64): dictionaryPageOffset = try reader.integer(field.kind)
      case (12, .structure): statistics = try ChunkStatistics(&reader)
      case (17, .structure): boundingBox = try Self.geospatial(&reader)
      default: try reader.skip(field.kind)
      }
    }
    guard found.isSuperset(of: [1, 4, 5, 7, 9]) else {
      throw reader.input.corrupt(
        "a column without required metadata",
        expected: "a type, a codec, a number of values, a size and an offset")
    }
  }

  /// Reads the bounding box of geospatial statistics: xmin, xmax, ymin, ymax.
  private static func geospatial(_ reader: inout ThriftReader) throws(ColumnarError) -> [Double?]? {
    var box: [Double?]?
    var previous = 0
    while let field = try reader.field(after: &previous) {
      guard field.id == 1, field.kind == .structure else {
        try reader.skip(field.kind)
        continue
      }
      var bounds: [Double?] = [nil, nil, nil, nil]
      var previousBound = 0
      while let bound = try reader.field(after: &previousBound) {
        guard bound.kind == .double, (1...4).contains(bound.id) else {
          try reader.skip(bound.kind)
          continue
        }
        bounds[bound.id - 1] = Double(bitPattern: try reader.input.integer(UInt64.self))
      }
      box = bounds
    }
    return box
  }
}

extension ChunkStatistics {
  fileprivate init(_ reader: inout ThriftReader) throws(ColumnarError) {
    var previous = 0
    while let field = try reader.field(after: &previous) {
      switch (field.id, field.kind) {
      case (3, .int64): nullCount = try reader.integer(field.kind)
      case (5, .binary): maximum = try reader.data()
      case (6, .binary): minimum = try reader.data()
      default: try reader.skip(field.kind)
      }
    }
  }
}
