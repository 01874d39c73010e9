public import CadastreModel
import CadastreStore

/// What a schema says of a property's type.
public struct PropertyShape: Hashable, Sendable {
  /// The type of its value, or of its elements.
  public var type: PropertyType
  /// Whether null is allowed.
  public var isOptional = false
  /// What kind of collection it is; nil for a single value.
  public var collection: CollectionKind?
  /// The class that it links to or embeds.
  public var objectType: ObjectBase.Type?

  /// Describes a type of property.
  public init(
    type: PropertyType, isOptional: Bool = false, collection: CollectionKind? = nil,
    objectType: ObjectBase.Type? = nil
  ) {
    self.type = type
    self.isOptional = isOptional
    self.collection = collection
    self.objectType = objectType
  }

  /// Equal shapes.
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

/// What a value in Swift holds, once Swift's types are taken away.
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

/// Where a stored value was read, so that the objects that it leads to can be found.
public struct StoredContext {
  let core: RealmCore
  /// The class that links lead to; nil for values.
  let table: ManagedTable?
  /// The place of a value of any type, which lists and maps in it write to.
  let place: NestedPlace?
  /// Where in the row that links lead to the object is; nil for the row's own.
  let embedded: EmbeddedLayout?

  init(
    _ core: RealmCore, table: ManagedTable? = nil, place: NestedPlace? = nil,
    embedded: EmbeddedLayout? = nil
  ) {
    self.core = core
    self.table = table
    self.place = place
    self.embedded = embedded
  }
}

/// A type that a persisted property can have.
///
/// The library calls the requirements; use the types that conform rather than conforming your own.
public protocol Persistable {
  /// What the schema says of such a property.
  static var propertyShape: PropertyShape { get }
  /// The value of a property that nobody has set and that has no default of its own.
  static func makeDefaultValue() -> Self
  /// Reads a property of a managed object.
  static func read(from object: ObjectBase, property: Int) -> Self
  /// Sets a property of a managed object.
  static func write(_ value: Self, to object: ObjectBase, property: Int)
  /// What a property that no Realm manages holds after a value is assigned over another.
  static func assigned(_ value: Self, over current: @autoclosure () -> Self) -> Self
  /// What a value holds.
  static func content(of value: Self) -> PropertyContent
  /// The value that some dynamic value stands for, as in `init(value:)`; nil where it does not fit.
  static func make(fromDynamic value: Any?) -> Self?
  /// The value that a stored one stands for, as an element of a collection; nil where it does not fit.
  static func make(fromStored value: Value, in context: StoredContext) -> Self?
  /// Makes a value that its property held follow the property, now that a Realm manages the object.
  static func attach(_ value: Self, to object: ObjectBase, property: Int)
}

extension Persistable {
  /// The new value.
  public static func assigned(_ value: Self, over current: @autoclosure () -> Self) -> Self {
    value
  }
  /// Does nothing: single values are copies.
  public static func attach(_ value: Self, to object: ObjectBase, property: Int) {}
}

/// A type that the elements of a collection can have.
public typealias RealmCollectionValue = Hashable & Persistable

/// A type whose optional can be the type of a persisted property.
public protocol OptionalPersistable {
  /// What the schema says of the property.
  static var optionalShape: PropertyShape { get }
  /// Reads a property of a managed object.
  static func readOptional(from object: ObjectBase, property: Int) -> Self?
  /// Sets a property of a managed object.
  static func writeOptional(_ value: Self?, to object: ObjectBase, property: Int)
  /// What a value holds.
  static func optionalContent(of value: Self?) -> PropertyContent
  /// The value that some dynamic value, which is not nothing, stands for; nil where it does not fit.
  static func makeOptional(fromDynamic value: Any) -> Self?
  /// The value that a stored one, which is not null, stands for; nil where it does not fit.
  static func makeOptional(fromStored value: Value, in context: StoredContext) -> Self?
}

extension Optional: Persistable where Wrapped: OptionalPersistable {
  /// What the schema says of an optional property.
  public static var propertyShape: PropertyShape { Wrapped.optionalShape }
  /// Nil.
  public static func makeDefaultValue() -> Wrapped? { nil }
  /// Reads a property of a managed object.
  public static func read(from object: ObjectBase, property: Int) -> Wrapped? {
    Wrapped.readOptional(from: object, property: property)
  }
  /// Sets a property of a managed object.
  public static func write(_ value: Wrapped?, to object: ObjectBase, property: Int) {
    Wrapped.writeOptional(value, to: object, property: property)
  }
  /// What a value holds.
  public static func content(of value: Wrapped?) -> PropertyContent {
    Wrapped.optionalContent(of: value)
  }
  /// The value that some dynamic value stands for.
  public static func make(fromDynamic value: Any?) -> Wrapped?? {
    guard let value, !DynamicValue.isNothing(value) else { return .some(nil) }
    return Wrapped.makeOptional(fromDynamic: value).map { .some($0) }
  }
  /// The value that a stored one stands for; nil too where it does not fit.
  public static func make(fromStored value: Value, in context: StoredContext) -> Wrapped?? {
    .some(value.isNull ? nil : Wrapped.makeOptional(fromStored: value, in: context))
  }
}
