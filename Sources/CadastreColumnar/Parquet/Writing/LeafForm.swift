import CadastreModel

/// The form in which the values of a property type are written.
enum LeafForm {
  case bool, integer, float, double, text, data, timestamp, uuid

  /// Returns the form of a type; types without a counterpart are text.
  init(_ type: PropertyType) {
    switch type {
    case .bool: self = .bool
    case .int: self = .integer
    case .float: self = .float
    case .double: self = .double
    case .data, .geometry: self = .data
    case .date: self = .timestamp
    case .UUID: self = .uuid
    case .string, .object, .linkingObjects, .any, .objectId, .decimal128: self = .text
    }
  }

  var physical: PhysicalType {
    switch self {
    case .bool: .boolean
    case .integer, .timestamp: .int64
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
    case .timestamp:
      element.int32(6, 10)
      element.structure(10) { type in
        type.structure(8) { timestamp in
          timestamp.bool(1, true)
          timestamp.structure(2) { $0.structure(2) { _ in } }
        }
      }
    case .uuid: element.structure(10) { $0.structure(14) { _ in } }
    }
  }

  /// Returns a timestamp in microseconds, rounded down, and clamped to 64 bits.
  static func microseconds(_ timestamp: Timestamp) -> Int64 {
    let (product, overflows) = timestamp.seconds.multipliedReportingOverflow(by: 1_000_000)
    let (sum, exceeds) = product.addingReportingOverflow(Int64(timestamp.nanoseconds) / 1000)
    return overflows || exceeds ? (timestamp.seconds < 0 ? .min : .max) : sum
  }
}
