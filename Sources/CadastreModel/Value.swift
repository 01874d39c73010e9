public import CadastreGeometry
public import Foundation

/// A stored value of a property, independent of Swift model types.
///
///     let values: [Value] = [.int(364), .string("Frankfurt"), .null]
///
/// Values are equal if they are the same case with the same bits: NaN equals itself, 0.0 differs from
/// -0.0, and the decimal 1.5 from 1.50. In queries, groups and sets, numbers are compared by value instead.
public enum Value: Sendable {
  /// No value.
  case null
  /// A Boolean.
  case bool(Bool)
  /// An integer of 64 bits.
  case int(Int64)
  /// A binary floating-point number of 32 bits.
  case float(Float)
  /// A binary floating-point number of 64 bits.
  case double(Double)
  /// Text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A timestamp.
  case date(Timestamp)
  /// An identifier of twelve bytes.
  case objectId(ObjectId)
  /// A UUID of sixteen bytes.
  case uuid(UUID)
  /// A decimal floating-point number of 34 digits.
  case decimal(Decimal128)
  /// A geometry.
  // Indirect, because its position would increase the size of all values.
  indirect case geometry(Geometry)
  /// A link to an object of the class that the property declares.
  case link(ObjectKey)
  /// A link to an object of any class, in a mixed property.
  // Indirect, because the class name would increase the size of all values.
  indirect case object(ObjectAddress)
  /// A list of values, in a mixed property.
  case list([Value])
  /// A dictionary of values, in a mixed property.
  case map(ValueMap)
}

extension Value: Hashable {
  /// Returns whether the values are the same case with the same bits.
  public static func == (first: Value, second: Value) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.bool(let first), .bool(let second)): first == second
    case (.int(let first), .int(let second)): first == second
    case (.float(let first), .float(let second)): first.bitPattern == second.bitPattern
    case (.double(let first), .double(let second)): first.bitPattern == second.bitPattern
    // `String.==` is canonical equivalence; stored strings are compared by bytes.
    case (.string(let first), .string(let second)): first.hasSameBytes(as: second)
    case (.data(let first), .data(let second)): first == second
    case (.date(let first), .date(let second)): first == second
    case (.objectId(let first), .objectId(let second)): first == second
    case (.uuid(let first), .uuid(let second)): first == second
    case (.decimal(let first), .decimal(let second)): first.hasSameRepresentation(as: second)
    case (.geometry(let first), .geometry(let second)): first == second
    case (.link(let first), .link(let second)): first == second
    case (.object(let first), .object(let second)): first == second
    case (.list(let first), .list(let second)): first == second
    case (.map(let first), .map(let second)): first == second
    default: false
    }
  }

  /// Hashes the type and the bits.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type?.rawValue)
    switch self {
    case .null: break
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .float(let value): hasher.combine(value.bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .string(let value): value.hashBytes(into: &hasher)
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .geometry(let value): hasher.combine(value)
    case .link(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .list(let values): hasher.combine(values)
    case .map(let map): hasher.combine(map)
    }
  }
}

extension Value {
  /// The type of a property with this value; nil for null, lists and maps.
  ///
  /// Null can be in any optional property, lists and maps only in a mixed property.
  public var type: PropertyType? {
    switch self {
    case .null, .list, .map: nil
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .objectId: .objectId
    case .uuid: .UUID
    case .decimal: .decimal128
    case .geometry: .geometry
    case .link, .object: .object
    }
  }

  /// Whether the value is null.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The number of an `int`, `float` or `double` as a double; nil for other values.
  ///
  /// Integers beyond 2^53 are rounded; comparisons in queries are exact.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// Whether this is NaN of a binary or a decimal type.
  package var isNaN: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .float(let number): number.isNaN
    case .decimal(let number): number.isNaN
    default: false
    }
  }

  /// The nearest double of a number of any type, decimals included; nil for other values.
  package var asDouble: Double? {
    if case .decimal(let value) = self { value.doubleValue } else { doubleValue }
  }
}

extension UUID {
  /// The sixteen bytes in network order.
  package var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

  /// Creates a UUID from sixteen bytes; nil for any other number of bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { memory in
      memory.copyBytes(from: bytes)
      return UUID(uuid: memory.load(as: uuid_t.self))
    }
  }
}

extension Value {
  /// The number of bytes of a string or of data; nil for other values.
  package var byteCount: Int? {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let data): data.count
    default: nil
    }
  }
}

extension Value {
  /// The maximum nesting of lists and maps in a value of a mixed property.
  package static let maximumDepth = 100

  /// The nesting of lists and maps in this value; 0 for a single value.
  ///
  /// Deeper values return ``maximumDepth`` + 1.
  package var depth: Int { depth(limit: Self.maximumDepth + 1) }

  private func depth(limit: Int) -> Int {
    guard limit > 0 else { return 0 }
    let inner: [Value]
    switch self {
    case .list(let elements): inner = elements
    case .map(let map): inner = map.entries.map(\.value)
    default: return 0
    }
    return 1 + (inner.map { $0.depth(limit: limit - 1) }.max() ?? 0)
  }
}

extension Value {
  /// Returns the value with each link replaced, also those in lists and maps.
  ///
  /// - Parameter replacement: Returns what replaces a link; nil if there is nothing.
  /// - Returns: The value; nil if a link has no replacement.
  package func mapLinks(_ replacement: (Value) -> Value?) -> Value? {
    switch self {
    case .link, .object: return replacement(self)
    case .list(let values):
      let elements = values.compactMap { $0.mapLinks(replacement) }
      return elements.count == values.count ? .list(elements) : nil
    case .map(let map):
      let entries = map.entries.compactMap { entry in
        entry.value.mapLinks(replacement).map { (entry.key, $0) }
      }
      return entries.count == map.entries.count ? .map(ValueMap(entries)) : nil
    default: return self
    }
  }
}
