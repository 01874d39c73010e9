public import CadastreGeometry
public import CadastreModel
public import Foundation

/// A type whose values are stored in one column.
@_documentation(visibility: internal)
public protocol ScalarPersistable: Persistable, OptionalPersistable, Hashable {
  /// The type of the column's values.
  static var propertyType: PropertyType { get }
  /// Converts a stored value; nil for a value that does not fit.
  init?(storedValue: Value)
  /// The stored form of the value.
  var storedValue: Value { get }
}

@_documentation(visibility: internal)
extension ScalarPersistable {
  /// The shape of a required property.
  public static var propertyShape: PropertyShape { PropertyShape(type: propertyType) }
  /// The shape of an optional property.
  public static var optionalShape: PropertyShape {
    PropertyShape(type: propertyType, isOptional: true)
  }
  /// Reads the column; a value that does not fit, which only another program can write, is read as the
  /// default.
  @_specialize(where Self == Int)
  @_specialize(where Self == String)
  @_specialize(where Self == Double)
  @_specialize(where Self == Bool)
  public static func read(from object: ObjectBase, property: Int) -> Self {
    if let number = number(object, property) { return number }
    return Self(storedValue: object.storedValue(property)) ?? makeDefaultValue()
  }
  /// Returns the cached number of a property; nil for other types, and if the number is not cached.
  @inline(__always)
  private static func number(_ object: ObjectBase, _ property: Int) -> Self? {
    // Invariant: the source and the target of each cast are the same type.
    if Self.self == Int.self {
      object.number(property).map { unsafeBitCast(Int($0), to: Self.self) }
    } else if Self.self == Double.self {
      object.number(property).map {
        unsafeBitCast(Double(bitPattern: UInt64(bitPattern: $0)), to: Self.self)
      }
    } else if Self.self == Bool.self {
      object.number(property).map { unsafeBitCast($0 != 0, to: Self.self) }
    } else {
      nil
    }
  }

  /// Writes the column.
  public static func write(_ value: Self, to object: ObjectBase, property: Int) {
    object.setStoredValue(value.storedValue, property)
  }
  /// Returns the value.
  public static func content(of value: Self) -> PropertyContent { .value(value.storedValue) }
  /// Returns the converted value; nil for a value that does not fit.
  public static func make(fromDynamic value: Any?) -> Self? { scalar(fromDynamic: value) }

  /// Returns the converted value; nil for a value that does not fit.
  static func scalar(fromDynamic value: Any?) -> Self? {
    if let value, let same = DynamicValue.exactly(value, Self.self) { return same }
    if let value = value as? Self { return value }
    guard let stored = DynamicValue.value(value) else { return nil }
    if let value = Self(storedValue: stored) { return value }
    // Number objects of Foundation do not tell 0 and 1 from false and true.
    if propertyType == .bool, case .int(let number) = stored, number == 0 || number == 1 {
      return Self(storedValue: .bool(number == 1))
    }
    guard case .string(let text) = stored, ObjectCreation.isChecking else { return nil }
    return JSONPropertyValue.value(text, as: propertyType).flatMap { Self(storedValue: $0) }
  }
  /// Returns the converted value; nil for a value that does not fit.
  public static func make(fromStored value: Value, in context: StoredContext) -> Self? {
    Self(storedValue: value)
  }
  /// Returns the converted value; nil for a value that does not fit.
  public static func makeOptional(fromStored value: Value, in context: StoredContext) -> Self? {
    Self(storedValue: value)
  }
  /// Reads the column.
  @_specialize(where Self == Int)
  @_specialize(where Self == String)
  @_specialize(where Self == Double)
  @_specialize(where Self == Bool)
  public static func readOptional(from object: ObjectBase, property: Int) -> Self? {
    number(object, property) ?? Self(storedValue: object.storedValue(property))
  }
  /// Writes the column.
  public static func writeOptional(_ value: Self?, to object: ObjectBase, property: Int) {
    object.setStoredValue(value?.storedValue ?? .null, property)
  }
  /// Returns the value, or null.
  public static func optionalContent(of value: Self?) -> PropertyContent {
    .value(value?.storedValue ?? .null)
  }
  /// Returns the converted value; nil for a value that does not fit.
  public static func makeOptional(fromDynamic value: Any) -> Self? { make(fromDynamic: value) }
}

@_documentation(visibility: internal)
extension Bool: ScalarPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .bool }
  /// Returns the value of a property that was not set.
  public static func makeDefaultValue() -> Bool { false }
  /// Converts a stored value; nil for another type.
  public init?(storedValue: Value) {
    guard case .bool(let value) = storedValue else { return nil }
    self = value
  }
  /// The stored form of the value.
  public var storedValue: Value { .bool(self) }
}

/// An integer type of at most 64 bits.
@_documentation(visibility: internal)
public protocol IntegerPersistable: ScalarPersistable, FixedWidthInteger {}

@_documentation(visibility: internal)
extension IntegerPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .int }
  /// Returns zero.
  public static func makeDefaultValue() -> Self { 0 }
  /// Converts a stored number; nil for a number out of range.
  public init?(storedValue: Value) {
    guard case .int(let value) = storedValue else { return nil }
    self.init(exactly: value)
  }
  /// The stored form of the number.
  public var storedValue: Value { .int(Int64(self)) }
}

/// The optional of a whole number.
protocol OptionalInteger {
  /// Converts a stored number to the declared type; nil for null.
  static func integer(_ value: Value) -> Any?
}

extension Optional: OptionalInteger where Wrapped: IntegerPersistable {
  static func integer(_ value: Value) -> Any? { Wrapped(storedValue: value) }
}

extension Int: IntegerPersistable {}
extension Int8: IntegerPersistable {}
extension Int16: IntegerPersistable {}
extension Int32: IntegerPersistable {}
extension Int64: IntegerPersistable {}

@_documentation(visibility: internal)
extension Float: ScalarPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .float }
  /// Returns the value of a property that was not set.
  public static func makeDefaultValue() -> Float { 0 }
  /// Converts a stored value; nil for another type.
  public init?(storedValue: Value) {
    switch storedValue {
    case .float(let value): self = value
    case .double(let value): self = Float(value)
    case .int(let value): self = Float(value)
    default: return nil
    }
  }
  /// The stored form of the value.
  public var storedValue: Value { .float(self) }
}

@_documentation(visibility: internal)
extension Double: ScalarPersistable {
  /// Returns the converted number; nil for a value that is not a number.
  public static func make(fromDynamic value: Any?) -> Double? {
    DynamicValue.double(ofDecimal: value) ?? scalar(fromDynamic: value)
  }
  /// The property type in schemas.
  public static var propertyType: PropertyType { .double }
  /// Returns the value of a property that was not set.
  public static func makeDefaultValue() -> Double { 0 }
  /// Converts a stored value; nil for another type.
  public init?(storedValue: Value) {
    guard let value = storedValue.doubleValue else { return nil }
    self = value
  }
  /// The stored form of the value.
  public var storedValue: Value { .double(self) }
}

@_documentation(visibility: internal)
extension String: ScalarPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .string }
  /// Returns the value of a property that was not set.
  public static func makeDefaultValue() -> String { "" }
  /// Converts a stored value; nil for another type.
  public init?(storedValue: Value) {
    guard case .string(let value) = storedValue else { return nil }
    self = value
  }
  /// The stored form of the value.
  public var storedValue: Value { .string(self) }
}

@_documentation(visibility: internal)
extension Data: ScalarPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .data }
  /// Returns the value of a property that was not set.
  public static func makeDefaultValue() -> Data { Data() }
  /// Converts a stored value; nil for another type.
  public init?(storedValue: Value) {
    guard case .data(let value) = storedValue else { return nil }
    self = value
  }
  /// The stored form of the value.
  public var storedValue: Value { .data(self) }
}

@_documentation(visibility: internal)
extension Date: ScalarPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .date }
  /// Returns the current date.
  public static func makeDefaultValue() -> Date { Date() }
  /// Returns the start of 1970.
  public static func makeZero() -> Date? { Date(timeIntervalSince1970: 0) }
  /// Converts a stored value; nil for another type.
  public init?(storedValue: Value) {
    guard case .date(let value) = storedValue else { return nil }
    self = value.date
  }
  /// The stored form of the value.
  public var storedValue: Value { .date(Timestamp(self)) }
}

@_documentation(visibility: internal)
extension UUID: ScalarPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .UUID }
  /// Returns a random UUID.
  public static func makeDefaultValue() -> UUID { UUID() }
  /// Returns the UUID of sixteen zero bytes.
  public static func makeZero() -> UUID? {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  /// Converts a stored value; nil for another type.
  public init?(storedValue: Value) {
    switch storedValue {
    case .uuid(let value): self = value
    case .string(let text): self.init(uuidString: text)
    default: return nil
    }
  }
  /// The stored form of the value.
  public var storedValue: Value { .uuid(self) }
}

@_documentation(visibility: internal)
extension Geometry: ScalarPersistable {
  /// Returns the converted geometry; values from outside the program may be GeoJSON objects.
  public static func make(fromDynamic value: Any?) -> Geometry? {
    scalar(fromDynamic: value)
      ?? (ObjectCreation.isChecking ? JSONPropertyValue.geometry(value) : nil)
  }
  /// The property type in schemas.
  public static var propertyType: PropertyType { .geometry }
  /// Returns an empty collection.
  public static func makeDefaultValue() -> Geometry { Geometry() }
  /// Converts a stored geometry, or the WKT or GeoJSON of one; nil for other values.
  public init?(storedValue: Value) {
    switch storedValue {
    case .geometry(let value): self = value
    case .string(let text):
      guard let value = (try? Geometry(wkt: text)) ?? (try? Geometry(geoJSON: text))
      else { return nil }
      self = value
    default: return nil
    }
  }
  /// The stored form of the value.
  public var storedValue: Value { .geometry(self) }
}

@_documentation(visibility: internal)
extension Decimal128: ScalarPersistable {
  /// The property type in schemas.
  public static var propertyType: PropertyType { .decimal128 }
  /// Returns zero.
  public static func makeDefaultValue() -> Decimal128 { Decimal128() }
  /// Converts a stored number; nil for other values.
  public init?(storedValue: Value) {
    switch storedValue {
    case .decimal(let value): self = value
    case .int(let value): self.init(value)
    case .double(let value): self.init(value)
    case .float(let value): self.init(value)
    case .string(let text):
      guard let value = Decimal128(parsing: text) else { return nil }
      self = value
    default: return nil
    }
  }
  /// The stored form of the value.
  public var storedValue: Value { .decimal(self) }
}

extension ObjectId: ScalarPersistable {
  /// The property type in schemas.
  @_documentation(visibility: internal)
  public static var propertyType: PropertyType { .objectId }
  /// Returns a unique object id.
  @_documentation(visibility: internal)
  public static func makeDefaultValue() -> Self {
    Self.unique()
  }
  /// Returns the identifier of twelve zero bytes.
  @_documentation(visibility: internal)
  public static func makeZero() -> Self? { Self() }
  /// Converts a stored value; nil for another type.
  public convenience init?(storedValue: Value) {
    guard case .objectId(let value) = storedValue else { return nil }
    self.init(bytes: value.bytes)
  }
  /// The stored form of the value.
  @_documentation(visibility: internal)
  public var storedValue: Value { .objectId(self) }

  private static func unique() -> Self { Self(bytes: ObjectId.generate().bytes) }
}
