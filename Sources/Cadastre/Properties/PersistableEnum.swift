public import CadastreModel

/// An enumeration that is stored as its raw value.
///
///     enum Surface: String, PersistableEnum { case asphalt, grass, water }
///
/// A property without a default has the first case. Cases are ordered by their raw values. A stored raw value
/// without a case, for example from another version of the program, is read as nil in an optional property.
/// In a required property it is read as the first case, and is a read error, see `Realm.readError`.
public protocol PersistableEnum: RawRepresentable, CaseIterable, OrderedPersistable,
  ScalarPersistable, MinMaxType, MappedPersistable, Comparable
where RawValue: ScalarPersistable & Comparable, StoredType == RawValue {}

/// The name of ``PersistableEnum`` in older programs.
@available(*, deprecated, renamed: "PersistableEnum")
public typealias RealmEnum = PersistableEnum

/// The name of the types of optional values in older programs.
@available(*, deprecated, renamed: "ScalarPersistable")
public typealias RealmOptionalType = ScalarPersistable

extension PersistableEnum {
  /// The type of the raw values.
  @_documentation(visibility: internal)
  public static var propertyType: PropertyType { RawValue.propertyType }
  /// Returns the first case.
  @_documentation(visibility: internal)
  public static func makeDefaultValue() -> Self {
    guard let first = allCases.first else { ProgrammingError.stop("'\(Self.self)' has no cases.") }
    return first
  }
  /// Returns the first case.
  @_documentation(visibility: internal)
  public static func makeZero() -> Self? { allCases.first }
  /// The case with a stored raw value.
  @_documentation(visibility: internal)
  public init?(storedValue: Value) {
    guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
    self.init(rawValue: rawValue)
  }
  /// The raw value.
  @_documentation(visibility: internal)
  public var storedValue: Value { rawValue.storedValue }
  /// Reads the column of a required property.
  @_documentation(visibility: internal)
  public static func read(from object: ObjectBase, property: Int) -> Self {
    let stored = object.storedValue(property)
    if let value = Self(storedValue: stored) { return value }
    if !stored.isNull { object.reportUnfit(property, Self.self) }
    return makeDefaultValue()
  }
  /// Compares the raw values.
  public static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

extension Query where Value: PersistableEnum {
  /// The raw value of the property.
  public var rawValue: Query<Value.RawValue> { Query<Value.RawValue>(node) }
}

/// The optional of an enumeration that is stored as its raw value.
@_documentation(visibility: internal)
public protocol OptionalPersistableEnum {
  /// The type of the raw value.
  associatedtype RawValue: OptionalPersistable
}

extension Optional: OptionalPersistableEnum where Wrapped: PersistableEnum {
  /// The type of the raw value.
  public typealias RawValue = Wrapped.RawValue
}

extension Query where Value: OptionalPersistableEnum {
  /// The raw value of the property.
  public var rawValue: Query<Value.RawValue?> { Query<Value.RawValue?>(node) }
}

extension Query
where Value: RealmCollection & QueryableCollection, Value.QueryElement: PersistableEnum {
  /// The raw values of the elements.
  public var rawValue: Query<AnyRealmCollection<Value.QueryElement.RawValue>> {
    Query<AnyRealmCollection<Value.QueryElement.RawValue>>(node)
  }
}

extension Query
where
  Value: RealmCollection & QueryableCollection, Value.QueryElement: OptionalPersistableEnum,
  Value.QueryElement.RawValue: Hashable
{
  /// The raw values of the elements.
  public var rawValue: Query<AnyRealmCollection<Value.QueryElement.RawValue?>> {
    Query<AnyRealmCollection<Value.QueryElement.RawValue?>>(node)
  }
}

extension Query where Value: RealmKeyedCollection, Value.Value: PersistableEnum {
  /// The raw values of a map.
  public var rawValue: Query<Map<Value.Key, Value.Value.RawValue>> {
    Query<Map<Value.Key, Value.Value.RawValue>>(node)
  }
}

extension Query
where
  Value: RealmKeyedCollection, Value.Value: OptionalPersistableEnum,
  Value.Value.RawValue: Hashable
{
  /// The raw values of a map.
  public var rawValue: Query<Map<Value.Key, Value.Value.RawValue?>> {
    Query<Map<Value.Key, Value.Value.RawValue?>>(node)
  }
}
