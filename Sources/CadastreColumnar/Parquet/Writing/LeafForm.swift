import CadastreModel

/// The form in which the values of a property type are written.
enum LeafForm {
  case bool, integer, float, double, text, data, day, microseconds, nanoseconds, uuid

  /// Returns the form of a type; types without a counterpart are text.
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

  /// Returns whether a timestamp has digits that the form drops.
  func rounds(_ timestamp: Timestamp) -> Bool {
    self == .microseconds && timestamp.calendarTime.nanoseconds % 1000 != 0
  }

  /// Returns a timestamp as a number in the form: microseconds and days are rounded down, and all are clamped to 64
  /// bits.
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
