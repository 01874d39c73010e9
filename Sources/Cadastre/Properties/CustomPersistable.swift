/// An application's type that is mapped to a stored type and back without failure.
///
///     extension Coordinate: CustomPersistable {
///       init(persistedValue: Location) { self.init(persistedValue.latitude, persistedValue.longitude) }
///       var persistableValue: Location { Location(value: [latitude, longitude]) }
///     }
///
/// The schema contains only the persisted type, so a change between the mapped and the persisted type does
/// not change the schema. A property mapped to an embedded class need not be optional: null is read as the
/// mapping of a new embedded object. Queries compare with mapped values; values of embedded classes compare
/// member by member.
public protocol CustomPersistable: FailableCustomPersistable {
  /// Maps a stored value.
  init(persistedValue: PersistedType)
}

/// An application's type that is mapped to a stored type; the mapping back may fail.
///
/// The compiler synthesizes the conformance to `Hashable` for a structure of hashable members.
///
///     extension URL: FailableCustomPersistable {
///       public init?(persistedValue: String) { self.init(string: persistedValue) }
///       public var persistableValue: String { absoluteString }
///     }
///
/// A stored value that cannot be mapped is read as nil in an optional property, and stops the process in a
/// required property.
public protocol FailableCustomPersistable: Persistable, OptionalPersistable, Hashable,
  MappedPersistable
where StoredType == PersistedType {
  /// The stored type: a single value, or an embedded object.
  associatedtype PersistedType: Persistable & OptionalPersistable
  /// Maps a stored value; nil if the value cannot be mapped.
  init?(persistedValue: PersistedType)
  /// The stored value.
  var persistableValue: PersistedType { get }
}

@_documentation(visibility: internal)
extension FailableCustomPersistable {
  /// The shape of the persisted type in the schema.
  public static var propertyShape: PropertyShape { Projections.shape(of: PersistedType.self) }
  /// The shape of the persisted type in the schema.
  public static var optionalShape: PropertyShape { PersistedType.optionalShape }
  /// Returns the mapping of the persisted type's default value; a failure stops the process.
  public static func makeDefaultValue() -> Self {
    guard let value = Self(persistedValue: PersistedType.makeDefaultValue()) else {
      ProgrammingError.stop(
        "Failed to default construct a \(Self.self) using the default value for persisted type "
          + "\(PersistedType.self): give the property a default, or make it optional.")
    }
    return value
  }
  /// Returns the mapping of the persisted type's zero; nil on failure.
  public static func makeZero() -> Self? {
    PersistedType.makeZero().flatMap(Self.init(persistedValue:))
  }
  /// Maps the stored value; a failure stops the process.
  public static func read(from object: ObjectBase, property: Int) -> Self {
    let stored = Projections.read(PersistedType.self, from: object, property: property)
    // A recorder of key paths has no value to map.
    guard object.position != nil else {
      return Self(persistedValue: PersistedType.makeDefaultValue())
        ?? Projections.declaredDefault(of: object, property) ?? makeDefaultValue()
    }
    guard let value = Self(persistedValue: stored) else {
      ProgrammingError.stop(
        "Failed to convert persisted value '\(stored)' to type '\(Self.self)' in a non-optional "
          + "context: make the property optional.")
    }
    return value
  }
  /// Stores the mapped value.
  public static func write(_ value: Self, to object: ObjectBase, property: Int) {
    PersistedType.write(value.persistableValue, to: object, property: property)
  }
  /// Returns the content of the mapped value.
  public static func content(of value: Self) -> PropertyContent {
    PersistedType.content(of: value.persistableValue)
  }
  /// Returns a mapped value, or the mapping of a persisted value; nil for other values.
  public static func make(fromDynamic value: Any?) -> Self? {
    (value as? Self)
      ?? Projections.make(PersistedType.self, fromDynamic: value)
      .flatMap(Self.init(persistedValue:))
  }
  /// Maps the stored value; nil for null and on failure.
  public static func readOptional(from object: ObjectBase, property: Int) -> Self? {
    Projections.readOptional(PersistedType.self, from: object, property: property)
      .flatMap(Self.init(persistedValue:))
  }
  /// Stores the mapped value, or null.
  public static func writeOptional(_ value: Self?, to object: ObjectBase, property: Int) {
    PersistedType.writeOptional(value?.persistableValue, to: object, property: property)
  }
  /// Returns the content of the mapped value, or null.
  public static func optionalContent(of value: Self?) -> PropertyContent {
    PersistedType.optionalContent(of: value?.persistableValue)
  }
  /// Returns a mapped value, or the mapping of a persisted value; nil for other values.
  public static func makeOptional(fromDynamic value: Any) -> Self? { make(fromDynamic: value) }
  /// Maps a stored value; nil on failure, and for null unless it is an embedded object.
  public static func make(fromStored value: Value, in context: StoredContext) -> Self? {
    if value.isNull, PersistedType.propertyShape.objectType != nil { return makeDefaultValue() }
    return makeOptional(fromStored: value, in: context)
  }
  /// Maps a stored value; nil on failure.
  public static func makeOptional(fromStored value: Value, in context: StoredContext) -> Self? {
    PersistedType.makeOptional(fromStored: value, in: context).flatMap(Self.init(persistedValue:))
  }
}

/// The shared implementation of mapped types.
enum Projections {
  /// Returns the shape of a required mapped property in the schema, in which embedded objects are always
  /// optional.
  static func shape<Stored: Persistable & OptionalPersistable>(
    of type: Stored.Type
  ) -> PropertyShape {
    type.propertyShape.objectType == nil ? type.propertyShape : type.optionalShape
  }

  /// Reads the stored value of a required mapped property; null is a new embedded object.
  static func read<Stored: Persistable & OptionalPersistable>(
    _ type: Stored.Type, from object: ObjectBase, property: Int
  ) -> Stored {
    guard type.propertyShape.objectType != nil else {
      return type.read(from: object, property: property)
    }
    return readOptional(type, from: object, property: property) ?? type.makeDefaultValue()
  }

  /// Reads the stored value of an optional mapped property; in a recorder, only records the access.
  static func readOptional<Stored: Persistable & OptionalPersistable>(
    _ type: Stored.Type, from object: ObjectBase, property: Int
  ) -> Stored? {
    guard object.recording == nil else {
      object.record(property)
      return nil
    }
    return type.readOptional(from: object, property: property)
  }

  /// Converts a dynamic value to a stored value for a mapping.
  static func make<Stored: Persistable>(_ type: Stored.Type, fromDynamic value: Any?) -> Stored? {
    guard type.propertyShape.objectType != nil, let creation = ObjectCreation.current else {
      return type.make(fromDynamic: value)
    }
    return creation.filled { type.make(fromDynamic: value) }
  }

  /// Returns the declared default of a property.
  static func declaredDefault<Mapped>(of object: ObjectBase, _ property: Int) -> Mapped? {
    let new = type(of: object).init()
    return new.classInfo.fields[property].swiftValue(of: new) as? Mapped
  }
}

/// A mapped type, or the optional of one.
@_documentation(visibility: internal)
public protocol MappedPersistable {
  /// The stored type.
  associatedtype StoredType: Persistable
}

extension Optional: MappedPersistable
where Wrapped: MappedPersistable, Wrapped.StoredType: OptionalPersistable {
  /// The optional of the stored type.
  public typealias StoredType = Wrapped.StoredType?
}

extension Query where Value: MappedPersistable {
  /// The stored value of the property, for access to its members and operators.
  public var persistableValue: Query<Value.StoredType> { Query<Value.StoredType>(node) }
}

extension Query
where
  Value: RealmCollection & QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: Hashable
{
  /// The stored values of the elements, for access to their members and operators.
  public var persistableValue: Query<AnyRealmCollection<Value.QueryElement.StoredType>> {
    Query<AnyRealmCollection<Value.QueryElement.StoredType>>(node)
  }
}

extension Query
where
  Value: RealmKeyedCollection, Value.Value: MappedPersistable, Value.Value.StoredType: Hashable
{
  /// The stored values of a map, for access to their members and operators.
  public var persistableValue: Query<Map<Value.Key, Value.Value.StoredType>> {
    Query<Map<Value.Key, Value.Value.StoredType>>(node)
  }
}
