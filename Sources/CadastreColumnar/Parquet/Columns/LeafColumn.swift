/// The physical types; the raw values are the codes of the format.
enum PhysicalType: Int {
  case boolean = 0
  case int32 = 1
  case int64 = 2
  case int96 = 3
  case float = 4
  case double = 5
  case byteArray = 6
  case fixedBytes = 7

  /// The size of a value of a number type, in bytes; nil for other types.
  var wordBytes: Int? {
    switch self {
    case .int32, .float: 4
    case .int64, .double: 8
    case .boolean, .int96, .byteArray, .fixedBytes: nil
    }
  }
}

/// A leaf of the schema: a column with values.
struct LeafColumn {
  /// The index among the leaves.
  let index: Int
  /// The names from the root.
  let path: [String]
  let type: PhysicalType
  /// The size of a value of type `fixedBytes`, in bytes.
  let typeLength: Int
  let content: LeafContent
  let maximumDefinition: Int
  let maximumRepetition: Int

  /// The name for messages.
  var description: String { "column '\(path.joined(separator: "."))'" }

  /// The fixed size of a value, in bytes; nil for byte arrays and Booleans.
  var valueBytes: Int? {
    switch type {
    case .fixedBytes: typeLength
    case .int96: 12
    default: type.wordBytes
    }
  }
}

/// The interpretation of the values of a leaf.
enum LeafContent: Equatable {
  case bool, float, double, float16, text, data, date, uuid, int96, interval, nothing
  case json
  case integer(bits: Int, isSigned: Bool)
  case time(TimeUnit)
  case timestamp(TimeUnit)
  case decimal(scale: Int)
  case wellKnownBinary

  /// Creates the interpretation by the logical, converted or physical type of a schema element.
  init(_ element: SchemaElement, _ type: PhysicalType) {
    self = Self.annotated(element, type) ?? Self.plain(type)
  }

  private static func plain(_ type: PhysicalType) -> LeafContent {
    switch type {
    case .boolean: .bool
    case .int32: .integer(bits: 32, isSigned: true)
    case .int64: .integer(bits: 64, isSigned: true)
    case .int96: .int96
    case .float: .float
    case .double: .double
    case .byteArray, .fixedBytes: .data
    }
  }

  /// Returns the interpretation by the logical or converted type; nil if neither fits the physical type.
  private static func annotated(_ element: SchemaElement, _ type: PhysicalType) -> LeafContent? {
    let isBytes = type == .byteArray || type == .fixedBytes
    let isInteger = type == .int32 || type == .int64
    if let logical = element.logicalType, logical != .other {
      switch logical {
      case .string, .enum: return isBytes ? .text : nil
      case .json: return isBytes ? .json : nil
      case .bson: return isBytes ? .data : nil
      case .date: return type == .int32 ? .date : nil
      case .uuid: return type == .fixedBytes && element.typeLength == 16 ? .uuid : nil
      case .float16: return type == .fixedBytes && element.typeLength == 2 ? .float16 : nil
      case .null: return .nothing
      case .decimal(let scale, _): return isBytes || isInteger ? .decimal(scale: scale) : nil
      case .time(let unit): return isInteger ? .time(unit) : nil
      case .timestamp(let unit): return type == .int64 ? .timestamp(unit) : nil
      case .integer(let bits, let isSigned):
        return isInteger ? .integer(bits: bits, isSigned: isSigned) : nil
      case .geometry, .geography: return type == .byteArray ? .wellKnownBinary : nil
      case .map, .list, .other: return nil
      }
    }
    switch element.convertedType {
    case 0, 4: return isBytes ? .text : nil
    case 5: return isBytes || isInteger ? .decimal(scale: element.scale ?? 0) : nil
    case 6: return type == .int32 ? .date : nil
    case 7: return type == .int32 ? .time(.milliseconds) : nil
    case 8: return type == .int64 ? .time(.microseconds) : nil
    case 9: return type == .int64 ? .timestamp(.milliseconds) : nil
    case 10: return type == .int64 ? .timestamp(.microseconds) : nil
    case .some(let number) where (11...18).contains(number):
      return isInteger
        ? .integer(bits: 8 << ((number - 11) % 4), isSigned: number >= 15) : nil
    case 19: return isBytes ? .json : nil
    case 21: return type == .fixedBytes && element.typeLength == 12 ? .interval : nil
    default: return nil
    }
  }
}
