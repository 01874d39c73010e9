public import CadastreModel

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

/// What a property of an object that no Realm manages holds, once Swift's types are taken away.
public enum PropertyContent {
  /// A value.
  case value(Value)
  /// An object, linked or embedded.
  case object(ObjectBase)
  /// The coordinates of a point.
  case coordinates([Double])
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
}

extension Persistable {
  /// The new value.
  public static func assigned(_ value: Self, over current: @autoclosure () -> Self) -> Self {
    value
  }
}

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
}
