public import Foundation

/// A stored value: what a property holds once Swift's types are taken away.
///
/// Two values are equal when they are the same case with the same bits, so NaN equals itself and
/// 0.0 differs from -0.0. In a query `==` compares numbers by value instead.
public enum Value: Sendable {
  /// No value.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case int(Int64)
  /// A binary floating-point number of 32 bits.
  case float(Float)
  /// A binary floating-point number of 64 bits.
  case double(Double)
  /// Text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A moment.
  case date(Timestamp)
  /// Twelve bytes in MongoDB's layout.
  case objectId(ObjectId)
  /// Sixteen bytes.
  case uuid(UUID)
  /// A decimal floating-point number of 34 digits.
  case decimal(Decimal128)
  /// A link to an object of the class that the property names.
  case link(ObjectKey)
  /// A link to an object of any class, in a property of any type.
  // Indirect, so that the class's name does not widen every other value.
  indirect case object(ObjectAddress)
  /// Several values in order, in a property of any type.
  case list([Value])
  /// Values under keys, in a property of any type.
  case map(ValueMap)
}

extension Value: Hashable {
  /// The same case and the same bits.
  public static func == (first: Value, second: Value) -> Bool {
    switch (first, second) {
    case (.null, .null): true
    case (.bool(let first), .bool(let second)): first == second
    case (.int(let first), .int(let second)): first == second
    case (.float(let first), .float(let second)): first.bitPattern == second.bitPattern
    case (.double(let first), .double(let second)): first.bitPattern == second.bitPattern
    // Swift's String equality is canonical equivalence; ours is the same bytes.
    case (.string(let first), .string(let second)): first.utf8.elementsEqual(second.utf8)
    case (.data(let first), .data(let second)): first == second
    case (.date(let first), .date(let second)): first == second
    case (.objectId(let first), .objectId(let second)): first == second
    case (.uuid(let first), .uuid(let second)): first == second
    case (.decimal(let first), .decimal(let second)): first.hasSameRepresentation(as: second)
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
    case .string(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .data(let value): hasher.combine(value)
    case .date(let value): hasher.combine(value)
    case .objectId(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .link(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .list(let values): hasher.combine(values)
    case .map(let map): hasher.combine(map)
    }
  }
}

extension Value {
  /// The type of property that holds such a value; nil for null, which fits every optional one, and
  /// for lists and maps, which only a property of any type holds.
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
    case .link, .object: .object
    }
  }

  /// Whether there is no value.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The number in `int`, `float` or `double`, widened; nil for everything else.
  ///
  /// Whole numbers beyond 2^53 are rounded; comparisons in queries do not go through this.
  public var doubleValue: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}

extension UUID {
  /// The sixteen bytes in network order.
  package var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

  /// A UUID from sixteen bytes, or nil for any other number of them.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: bytes) }
    self.init(uuid: value)
  }
}

extension Value {
  /// The bytes of text or of data; nil for other values.
  package var byteCount: Int? {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let data): data.count
    default: nil
    }
  }
}
