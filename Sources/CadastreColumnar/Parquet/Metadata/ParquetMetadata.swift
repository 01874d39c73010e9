/// The metadata in the footer of a Parquet file.
///
/// Source: Apache parquet-format 2.12, "parquet.thrift".
struct ParquetMetadata {
  var schema: [SchemaElement] = []
  var rowCount = 0
  var rowGroups: [RowGroupMetadata] = []
  var keyValues: [String: String] = [:]
  var createdBy: String?
  /// For each leaf whether the order of its statistics is defined by its type; empty if unknown.
  var hasTypeDefinedOrder: [Bool] = []
  var isEncrypted = false
}

/// A node of the schema, in depth-first order.
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

/// The meaning of a stored value.
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

/// The values of a leaf in a row group.
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
  /// The locations of the pages; nil if there is no index.
  var offsetIndex: IndexRange?
  /// The statistics of the pages; nil if there is no index.
  var columnIndex: IndexRange?

  /// The offset of the first page.
  var start: Int {
    guard let offset = dictionaryPageOffset, offset > 0, offset < dataPageOffset else {
      return dataPageOffset
    }
    return offset
  }
}

/// The location of an index of pages in the file.
struct IndexRange: Hashable {
  var offset = 0
  var size = 0
}

/// The bounds of the values of a chunk, as stored.
struct ChunkStatistics {
  var nullCount: Int?
  var minimum: [UInt8]?
  var maximum: [UInt8]?
}
