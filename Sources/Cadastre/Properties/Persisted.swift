import CadastreModel
import Foundation

/// Marks a property of an object class as stored.
///
///     class Airport: Object {
///       @Persisted(primaryKey: true) var icao: String
///       @Persisted(indexed: true) var country = ""
///       @Persisted var elevation: Double?
///     }
///
/// In an unmanaged object the property stores its value; in a managed object it reads from and writes to the
/// store.
@propertyWrapper
public struct Persisted<Value: Persistable> {
  @usableFromInline
  enum Storage {
    /// No value: the property has no declared default, and was neither set nor read.
    case untouched
    /// The value in an unmanaged object.
    case unmanaged(Value)
    /// The index of the property in its class, and the object if the class is encodable.
    case managed(property: Int, owner: Unmanaged<ObjectBase>?)
    /// The property that links here, in an unmanaged object.
    case linking(origin: String)
  }

  @usableFromInline
  var storage: Storage
  @usableFromInline
  let isPrimaryKey: Bool
  @usableFromInline
  let isIndexed: Bool
  @usableFromInline
  let isFullTextIndexed: Bool
  /// Whether the property is a link of an object of another database that was neither loaded nor set.
  // A separate property, because a further case of `storage` would slow down reads of managed properties.
  @usableFromInline
  var isNotLoaded = false

  /// Creates a property with the default of its type.
  @inlinable
  public init() { self.init(.untouched) }

  /// Creates a property with a default.
  @inlinable
  public init(wrappedValue: Value) { self.init(.unmanaged(wrappedValue)) }

  /// Creates a property with an ordered index.
  @inlinable
  public init(indexed: Bool) { self.init(.untouched, isIndexed: indexed) }

  /// Creates a property with an ordered index and a default.
  @inlinable
  public init(wrappedValue: Value, indexed: Bool) {
    self.init(.unmanaged(wrappedValue), isIndexed: indexed)
  }

  /// Creates a property with a full-text index, for TEXT in predicates.
  @inlinable
  public init(fullText: Bool) where Value: FullTextPersistable {
    self.init(.untouched, isFullTextIndexed: fullText)
  }

  /// Creates a property with a full-text index and a default.
  @inlinable
  public init(wrappedValue: Value, fullText: Bool) where Value: FullTextPersistable {
    self.init(.unmanaged(wrappedValue), isFullTextIndexed: fullText)
  }

  /// Declares a primary key.
  @inlinable
  public init(primaryKey: Bool) { self.init(.untouched, isPrimaryKey: primaryKey) }

  /// Declares a primary key with a default value.
  @inlinable
  public init(wrappedValue: Value, primaryKey: Bool) {
    self.init(.unmanaged(wrappedValue), isPrimaryKey: primaryKey)
  }

  /// Declares the objects that link here through a property.
  @inlinable
  public init(originProperty: String) where Value: LinkingObjectsProtocol {
    self.init(.linking(origin: originProperty))
  }

  @inlinable
  init(
    _ storage: Storage, isPrimaryKey: Bool = false, isIndexed: Bool = false,
    isFullTextIndexed: Bool = false
  ) {
    self.storage = storage
    self.isPrimaryKey = isPrimaryKey
    self.isIndexed = isIndexed
    self.isFullTextIndexed = isFullTextIndexed
  }

  /// Unavailable: a persisted property requires its object.
  @available(
    *, unavailable, message: "@Persisted works only in subclasses of Object and EmbeddedObject"
  )
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// The value of the property of an object.
  @_documentation(visibility: internal)
  @inlinable
  public static subscript<Owner: ObjectBase>(
    _enclosingInstance owner: Owner,
    wrapped _: ReferenceWritableKeyPath<Owner, Value>,
    storage path: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    // Inlined always: as a call it reads the storage through the key path at run time.
    @inline(__always) get {
      // A read of a managed property does not modify the storage, so threads may share a frozen object.
      switch owner[keyPath: path].storage {
      case .unmanaged(let value): value
      case .managed(let property, _): Value.read(from: owner, property: property)
      case .linking: Value.makeDefaultValue()
      case .untouched: owner[keyPath: path].firstValue()
      }
    }
    set {
      owner[keyPath: path].set(newValue, of: owner)
    }
  }

  /// Returns the value; nil if it was neither set nor read.
  func knownValue(of owner: ObjectBase) -> Value? {
    switch storage {
    case .unmanaged(let value): value
    case .managed(let property, _): Value.read(from: owner, property: property)
    case .linking: Value.makeDefaultValue()
    case .untouched: nil
    }
  }

  @inlinable
  mutating func firstValue() -> Value {
    let value = Value.makeDefaultValue()
    if case .untouched = storage { storage = .unmanaged(value) }
    return value
  }

  @inlinable
  mutating func set(_ value: Value, of owner: ObjectBase) {
    switch storage {
    case .managed(let property, _): Value.write(value, to: owner, property: property)
    case .unmanaged(let current):
      storage = .unmanaged(Value.assigned(value, over: current))
      isNotLoaded = false
    case .untouched:
      storage = .unmanaged(Value.assigned(value, over: Value.makeDefaultValue()))
      isNotLoaded = false
    case .linking: break
    }
  }
}

extension Persisted: PersistedProperty {
  static var shape: PropertyShape { Value.propertyShape }

  static var valueType: Any.Type { Value.self }

  static var holdsNarrowInteger: Bool { DynamicValue.isNarrowInteger(Value.self) }

  static func integer(_ value: CadastreModel.Value) -> Any? {
    DynamicValue.integer(value, as: Value.self)
  }

  static var hasMappedElements: Bool {
    (Value.self as? any ElementCollection.Type)?.hasMappedElements ?? false
  }

  static func options(at address: UnsafeRawPointer) -> PropertyOptions {
    let property = address.assumingMemoryBound(to: Self.self).pointee
    let origin: String? = if case .linking(let origin) = property.storage { origin } else { nil }
    return PropertyOptions(
      isPrimaryKey: property.isPrimaryKey, isIndexed: property.isIndexed,
      isFullTextIndexed: property.isFullTextIndexed, originProperty: origin)
  }

  static var access: PropertyAccess {
    // Concrete types avoid a lookup of metadata for each object.
    switch Value.self {
    case is Int.Type: PropertyAccess(Persisted<Int>.self)
    case is Int?.Type: PropertyAccess(Persisted<Int?>.self)
    case is Double.Type: PropertyAccess(Persisted<Double>.self)
    case is Double?.Type: PropertyAccess(Persisted<Double?>.self)
    case is Bool.Type: PropertyAccess(Persisted<Bool>.self)
    case is Bool?.Type: PropertyAccess(Persisted<Bool?>.self)
    case is String.Type: PropertyAccess(Persisted<String>.self)
    case is String?.Type: PropertyAccess(Persisted<String?>.self)
    case is Date.Type: PropertyAccess(Persisted<Date>.self)
    case is Date?.Type: PropertyAccess(Persisted<Date?>.self)
    case is List<Double>.Type: PropertyAccess(Persisted<List<Double>>.self)
    case is any OptionalObject.Type: PropertyAccess(ofObject: Self.self)
    default: PropertyAccess(Self.self)
    }
  }

  static func attach(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase, property: Int
  ) {
    withUnsafeMutablePointer(to: &address.assumingMemoryBound(to: Self.self).pointee.storage) {
      storage in
      // Moved, so that a collection to which nothing else refers is not bound.
      let unmanaged = storage.move()
      storage.initialize(to: .managed(property: property, owner: nil))
      guard case .unmanaged(let value) = consume unmanaged else { return }
      Value.attach(consume value, to: owner, property: property)
    }
  }

  static func setOwner(_ owner: ObjectBase, at address: UnsafeMutableRawPointer) {
    let pointer = address.assumingMemoryBound(to: Self.self)
    guard case .managed(let property, _) = pointer.pointee.storage else { return }
    pointer.pointee.storage = .managed(
      property: property, owner: Unmanaged.passUnretained(owner))
  }

  static func swiftValue(at address: UnsafeMutableRawPointer, of owner: ObjectBase) -> Any {
    let property = address.assumingMemoryBound(to: Self.self)
    return property.pointee.knownValue(of: owner) ?? property.pointee.firstValue()
  }

  static func content(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase
  ) -> PropertyContent {
    let pointer = address.assumingMemoryBound(to: Self.self)
    // Without an optional of the value, whose metadata would be looked up each time.
    return switch pointer.pointee.storage {
    case .unmanaged(let value): Value.content(of: value)
    case .managed(let property, _): Value.content(of: Value.read(from: owner, property: property))
    case .linking: Value.content(of: Value.makeDefaultValue())
    case .untouched: Value.content(of: pointer.pointee.firstValue())
    }
  }

  static func initialContent(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase
  ) -> PropertyContent? {
    guard case .untouched = address.assumingMemoryBound(to: Self.self).pointee.storage else {
      return content(at: address, of: owner)
    }
    return Value.makeZero().map(Value.content)
  }

  static func set(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase, to value: Any?
  ) -> Bool {
    guard let made = Value.make(fromDynamic: value) ?? newObject(insteadOf: value) else {
      return false
    }
    address.assumingMemoryBound(to: Self.self).pointee.set(made, of: owner)
    return true
  }

  /// Returns the mapping of a new embedded object for null in a required mapped property; nil for other
  /// properties, and if values from outside the program are checked.
  private static func newObject(insteadOf value: Any?) -> Value? {
    // Only mappings of embedded objects reject null although their columns allow it.
    guard shape.isOptional, shape.collection == nil, DynamicValue.isNull(value),
      !ObjectCreation.isChecking
    else { return nil }
    return Value.makeDefaultValue()
  }

  static func markNotLoaded(at address: UnsafeMutableRawPointer) {
    let property = address.assumingMemoryBound(to: Self.self)
    guard Value.self is any PlainCollection.Type else {
      property.pointee.storage = .untouched
      return property.pointee.isNotLoaded = true
    }
    // Creates the collection, so that elements added by the program are not lost.
    if case .untouched = property.pointee.storage { _ = property.pointee.firstValue() }
    property.pointee.collection?.isLoaded = false
  }

  static func isNotLoaded(at address: UnsafeMutableRawPointer) -> Bool {
    let property = address.assumingMemoryBound(to: Self.self).pointee
    if case .managed = property.storage { return false }
    return property.isNotLoaded || property.collection.map { !$0.isLoaded } ?? false
  }

  /// The collection value of an unmanaged object; nil for other properties.
  private var collection: (any PlainCollection)? {
    if case .unmanaged(let value) = storage { value as? any PlainCollection } else { nil }
  }
}

/// A property is encoded as its value.
///
///     class Airport: Object, Codable {
///       @Persisted(primaryKey: true) var icao: String
///       @Persisted var elevation: Double?
///     }
///
/// An optional property may be missing or null. A required property must be present, even if the model
/// declares a default for it.
extension Persisted: Decodable where Value: Decodable {
  /// Reads the value, by the strategies of the decoder.
  public init(from decoder: any Decoder) throws {
    self.init(.unmanaged(try decoder.singleValueContainer().decode(Value.self)))
  }
}

extension Persisted: Encodable where Value: Encodable {
  /// Encodes the value, by the strategies of the encoder; the default if the property was neither read nor
  /// set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch storage {
    case .unmanaged(let value): try container.encode(value)
    case .untouched, .managed(_, owner: nil):
      try container.encode(Value.makeDefaultValue())
    case .managed(let property, let owner?):
      // Safe because the object encodes its properties while it is alive.
      let object = owner.takeUnretainedValue()
      try container.encode(Value.read(from: object, property: property))
    case .linking: try container.encodeNil()
    }
  }
}

extension KeyedDecodingContainer {
  /// Decodes an optional property; nil for a missing key or null.
  public func decode<Wrapped: Decodable & OptionalPersistable>(
    _ type: Persisted<Wrapped?>.Type, forKey key: Key
  ) throws -> Persisted<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? Persisted()
  }
}
