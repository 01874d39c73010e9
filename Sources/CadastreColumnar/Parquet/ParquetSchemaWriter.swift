import CadastreModel

/// The writer of the schema of a file, an element for each node in depth-first order.
struct ParquetSchemaWriter {
  typealias Element = (inout ThriftWriter) -> Void

  private(set) var elements: [Element] = []

  /// Creates the schema of columns and of the geometry.
  init(_ fields: [ColumnarField], _ geometry: GeometryWriter?) {
    let extra = geometry?.fields ?? []
    let count = fields.count + extra.count
    elements.append { element in
      element.string(4, "schema")
      element.int32(5, count)
    }
    for field in fields + extra { append(field) }
  }

  private mutating func append(_ field: ColumnarField) {
    append(field.name, field.type, isOptional: field.isOptional, field.dates)
  }

  private mutating func append(
    _ name: String, _ type: ColumnarType, isOptional: Bool,
    _ dates: DateForm = .microseconds
  ) {
    let repetition = isOptional ? 1 : 0
    switch type {
    case .nothing: append(name, .scalar(.string), isOptional: true)
    case .scalar(let type):
      let form = LeafForm(type, dates)
      elements.append { element in
        element.int32(1, form.physical.rawValue)
        if form == .uuid { element.int32(2, 16) }
        element.int32(3, repetition)
        element.string(4, name)
        form.writeAnnotation(&element)
      }
    case .record(let fields):
      appendGroup(name, repetition, children: fields.count)
      for field in fields { append(field) }
    case .list(let element, let hasNulls):
      appendGroup(name, repetition, children: 1, converted: 3, logical: 3)
      appendGroup("list", 2, children: 1)
      append("element", element, isOptional: hasNulls)
    case .map(let key, let value, let hasNulls):
      appendGroup(name, repetition, children: 1, converted: 1, logical: 2)
      appendGroup("key_value", 2, children: 2)
      append("key", key, isOptional: false)
      append("value", value, isOptional: hasNulls)
    }
  }

  private mutating func appendGroup(
    _ name: String, _ repetition: Int, children: Int, converted: Int? = nil, logical: Int? = nil
  ) {
    elements.append { element in
      element.int32(3, repetition)
      element.string(4, name)
      element.int32(5, children)
      if let converted { element.int32(6, converted) }
      if let logical { element.structure(10) { $0.structure(logical) { _ in } } }
    }
  }
}

/// The Parquet representation of a property type.
enum LeafForm {
  case bool, integer, float, double, text, data, day, microseconds, nanoseconds, uuid

  /// Creates the representation of a type; types that Parquet lacks are text.
  init(_ type: PropertyType, _ dates: DateForm) {
    switch type {
    case .bool: self = .bool
    case .int: self = .integer
    case .float: self = .float
    case .double: self = .double
    case .data, .geometry: self = .data
    case .date:
      switch dates {
      case .days: self = .day
      case .microseconds: self = .microseconds
      case .nanoseconds: self = .nanoseconds
      }
    case .UUID: self = .uuid
    case .string, .object, .linkingObjects, .any, .objectId, .decimal128: self = .text
    }
  }

  var physical: PhysicalType {
    switch self {
    case .bool: .boolean
    case .integer, .microseconds, .nanoseconds: .int64
    case .day: .int32
    case .float: .float
    case .double: .double
    case .text, .data: .byteArray
    case .uuid: .fixedBytes
    }
  }

  /// Writes the converted and the logical type of an element of the schema.
  func writeAnnotation(_ element: inout ThriftWriter) {
    switch self {
    case .bool, .integer, .float, .double, .data: break
    case .text:
      element.int32(6, 0)
      element.structure(10) { $0.structure(1) { _ in } }
    case .day:
      element.int32(6, 6)
      element.structure(10) { $0.structure(6) { _ in } }
    case .microseconds:
      element.int32(6, 10)
      Self.writeTimestamp(unit: 2, &element)
    // The converted types have no nanoseconds.
    case .nanoseconds: Self.writeTimestamp(unit: 3, &element)
    case .uuid: element.structure(10) { $0.structure(14) { _ in } }
    }
  }

  private static func writeTimestamp(unit: Int, _ element: inout ThriftWriter) {
    element.structure(10) { type in
      type.structure(8) { timestamp in
        timestamp.bool(1, true)
        timestamp.structure(2) { $0.structure(unit) { _ in } }
      }
    }
  }

  /// Returns whether the representation rounds a timestamp.
  func rounds(_ timestamp: Timestamp) -> Bool {
    self == .microseconds && timestamp.calendarTime.nanoseconds % 1000 != 0
  }

  /// Returns the number that represents a timestamp.
  ///
  /// Microseconds and days are rounded down, and all numbers are clamped to 64 bits.
  func number(_ timestamp: Timestamp) -> Int64 {
    switch self {
    case .day: return timestamp.daysSince1970
    case .nanoseconds:
      return timestamp.nanosecondsSince1970 ?? (timestamp.seconds < 0 ? .min : .max)
    default:
      let (seconds, nanoseconds) = timestamp.calendarTime
      let (product, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000)
      let (sum, exceeds) = product.addingReportingOverflow(Int64(nanoseconds) / 1000)
      return overflows || exceeds ? (seconds < 0 ? .min : .max) : sum
    }
  }
}
