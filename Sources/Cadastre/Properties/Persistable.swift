public import CadastreModel
import CadastreStore

/// The type of a property in the schema.
@_documentation(visibility: internal)
public struct PropertyShape: Hashable, Sendable {
  /// The type of its value, or of its elements.
  public var type: PropertyType
  /// Whether null is allowed.
  public var isOptional = false
  /// The kind of collection; nil for a single value.
  public var collection: CollectionKind?
  /// The class of linked or embedded objects; nil for values.
  public var objectType: ObjectBase.Type?

  /// Creates the shape of a property type.
  public init(
    type: PropertyType, isOptional: Bool = false, collection: CollectionKind? = nil,
    objectType: ObjectBase.Type? = nil
  ) {
    self.type = type
    self.isOptional = isOptional
    self.collection = collection
    self.objectType = objectType
  }

  /// Returns whether two shapes are equal.
  public static func == (first: PropertyShape, second: PropertyShape) -> Bool {
    first.type == second.type && first.isOptional == second.isOptional
      && first.collection == second.collection && first.objectType == second.objectType
  }

  /// Hashes the shape.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(isOptional)
    hasher.combine(collection)
    hasher.combine(objectType.map(ObjectIdentifier.init))
  }
}

/// The content of a Swift value, independent of its Swift type.
@_documentation(visibility: internal)
public enum PropertyContent {
  /// A single value.
  case value(Value)
  /// An object, linked or embedded.
  case object(ObjectBase)
  /// The elements of a list or a set.
  case elements([PropertyContent])
  /// The keys and values of a map.
  case entries([(key: String, content: PropertyContent)])
}

/// The context of a stored value, in which its links are resolved.
@_documentation(visibility: internal)
public struct StoredContext {
  let core: RealmCore
  /// The table of linked objects; nil for values.
  let table: ManagedTable?
  /// The location of a value of any type, for writes of its nested lists and maps.
  let location: NestedLocation?
  /// The layout of an embedded object in the linked row; nil for the object of the row.
  let embedded: EmbeddedLayout?

  init(
    _ core: RealmCore, table: ManagedTable? = nil, location: NestedLocation? = nil,
    embedded: EmbeddedLayout? = nil
  ) {
    self.core = core
    self.table = table
    self.location = location
    self.embedded = embedded
  }
}

/// A type of persisted properties.
///
/// Only the library calls these requirements and declares conformances. Types of an application
/// conform to ``CustomPersistable``.
public protocol Persistable: QueryableValue {
  /// The property's shape in the schema.
  @_documentation(visibility: internal)
  static var propertyShape: PropertyShape { get }
  /// Returns the value of a property that was not set and has no default.
  @_documentation(visibility: internal)
  static func makeDefaultValue() -> Self
  /// Returns the initial value of existing objects if a migration adds a property without a default; nil if
  /// the type rejects the zero of the stored type.
  @_documentation(visibility: internal)
  static func makeZero() -> Self?
  /// Reads a property of a managed object.
  @_documentation(visibility: internal)
  static func read(from object: ObjectBase, property: Int) -> Self
  /// Sets a property of a managed object.
  @_documentation(visibility: internal)
  static func write(_ value: Self, to object: ObjectBase, property: Int)
  /// Returns the value of an unmanaged property after the assignment of `value`.
  @_documentation(visibility: internal)
  static func assigned(_ value: Self, over current: @autoclosure () -> Self) -> Self
  /// Returns the content of a value.
  @_documentation(visibility: internal)
  static func content(of value: Self) -> PropertyContent
  /// Converts a dynamic value, as in `init(value:)`; nil if it does not fit.
  @_documentation(visibility: internal)
  static func make(fromDynamic value: Any?) -> Self?
  /// Converts a stored element of a collection; nil if it does not fit.
  @_documentation(visibility: internal)
  static func make(fromStored value: Value, in context: StoredContext) -> Self?
  /// Binds a collection of an unmanaged object to its property when the object becomes managed, unless nothing else
  /// refers to the collection.
  @_documentation(visibility: internal)
  static func attach(_ value: consuming Self, to object: ObjectBase, property: Int)
}

@_documentation(visibility: internal)
extension Persistable {
  /// Returns the value of a property that was not set.
  public static func makeZero() -> Self? { makeDefaultValue() }
  /// Returns the new value.
  public static func assigned(_ value: Self, over current: @autoclosure () -> Self) -> Self {
    value
  }
  /// Does nothing: single values are copies.
  public static func attach(_ value: consuming Self, to object: ObjectBase, property: Int) {}
}

/// A type of collection elements.
public typealias RealmCollectionValue = Hashable & Persistable

/// A type whose optional is a type of persisted properties.
@_documentation(visibility: internal)
public protocol OptionalPersistable {
  /// The property's shape in the schema.
  static var optionalShape: PropertyShape { get }
  /// Reads a property of a managed object.
  static func readOptional(from object: ObjectBase, property: Int) -> Self?
  /// Sets a property of a managed object.
  static func writeOptional(_ value: Self?, to object: ObjectBase, property: Int)
  /// Returns the content of a value.
  static func optionalContent(of value: Self?) -> PropertyContent
  /// Converts a dynamic value that is not null; nil if it does not fit.
  static func makeOptional(fromDynamic value: Any) -> Self?
  /// Converts a stored value that is not null; nil if it does not fit.
  static func makeOptional(fromStored value: Value, in context: StoredContext) -> Self?
}

@_documentation(visibility: internal)
extension Optional: Persistable where Wrapped: OptionalPersistable {
  /// The shape of an optional property in the schema.
  public static var propertyShape: PropertyShape { Wrapped.optionalShape }
  /// Returns nil.
  public static func makeDefaultValue() -> Wrapped? { nil }
  /// Reads a property of a managed object.
  public static func read(from object: ObjectBase, property: Int) -> Wrapped? {
    Wrapped.readOptional(from: object, property: property)
  }
  /// Sets a property of a managed object.
  public static func write(_ value: Wrapped?, to object: ObjectBase, property: Int) {
    Wrapped.writeOptional(value, to: object, property: property)
  }
  /// Returns the content of a value.
  public static func content(of value: Wrapped?) -> PropertyContent {
    Wrapped.optionalContent(of: value)
  }
  /// Converts a dynamic value.
  public static func make(fromDynamic value: Any?) -> Wrapped?? {
    guard let value, !DynamicValue.isNull(value) else { return .some(nil) }
    return Wrapped.makeOptional(fromDynamic: value).map { .some($0) }
  }
  /// Converts a stored value; nil if it does not fit.
  public static func make(fromStored value: Value, in context: StoredContext) -> Wrapped?? {
    .some(value.isNull ? nil : Wrapped.makeOptional(fromStored: value, in: context))
  }
}
