import CadastreModel
import Foundation

/// Access to a persisted property by its address in an instance.
protocol PersistedProperty: SendableMetatype {
  static var shape: PropertyShape { get }
  /// The type of the values.
  static var valueType: Any.Type { get }
  /// Whether the values are integers narrower than 64 bits.
  static var holdsNarrowInteger: Bool { get }
  /// Converts a stored integer to the declared type; nil for null.
  static func integer(_ value: Value) -> Any?
  /// Whether the values are collections of mapped elements.
  static var hasMappedElements: Bool { get }
  /// Returns the options in the declaration of the property at an address.
  static func options(at address: UnsafeRawPointer) -> PropertyOptions
  /// Binds the property at an address to the store.
  static func attach(at address: UnsafeMutableRawPointer, of owner: ObjectBase, property: Int)
  /// Sets the owner of the property at an address, for objects whose properties are encoded one by one.
  static func setOwner(_ owner: ObjectBase, at address: UnsafeMutableRawPointer)
  /// Returns the value of the property at an address.
  static func swiftValue(at address: UnsafeMutableRawPointer, of owner: ObjectBase) -> Any
  /// Returns the content of the property at an address of an unmanaged object.
  static func content(at address: UnsafeMutableRawPointer, of owner: ObjectBase) -> PropertyContent
  /// Returns the initial content of existing objects if a migration adds the property, from a new object; nil
  /// for the zero of the stored type.
  static func initialContent(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase
  ) -> PropertyContent?
  /// Sets the property at an address to a dynamic value; returns false for a value that does not fit.
  static func set(at address: UnsafeMutableRawPointer, of owner: ObjectBase, to value: Any?) -> Bool
  /// Marks the link or collection of links at an address of an unmanaged object as not loaded.
  static func markNotLoaded(at address: UnsafeMutableRawPointer)
  /// Returns whether the property at an address was marked as not loaded, and not set since.
  static func isNotLoaded(at address: UnsafeMutableRawPointer) -> Bool
  /// The functions called for each object.
  static var access: PropertyAccess { get }
}

extension PersistedProperty {
  static var valueType: Any.Type { Self.self }
  static var access: PropertyAccess { PropertyAccess(Self.self) }

  static func initialContent(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase
  ) -> PropertyContent? { content(at: address, of: owner) }
}

/// The functions of a persisted property called for each object, as closures.
///
/// A call of a closure is faster than a call of a requirement of a generic type.
struct PropertyAccess: Sendable {
  let attach: @Sendable (UnsafeMutableRawPointer, ObjectBase, Int) -> Void
  let content: @Sendable (UnsafeMutableRawPointer, ObjectBase) -> PropertyContent
  let set: @Sendable (UnsafeMutableRawPointer, ObjectBase, Any?) -> Bool

  /// Creates the functions of a property type.
  init<Property: PersistedProperty>(_ type: Property.Type) {
    attach = { Property.attach(at: $0, of: $1, property: $2) }
    content = { Property.content(at: $0, of: $1) }
    set = { Property.set(at: $0, of: $1, to: $2) }
  }

  /// Creates the functions of a link or an embedded object.
  ///
  /// Binding and reading are independent of the class, and avoid a lookup of its metadata.
  init<Property: PersistedProperty>(ofObject type: Property.Type) {
    // Invariant: optional references to Swift objects of all classes have the same representation, and so do
    // persisted properties of these types.
    attach = { Persisted<ObjectBase?>.attach(at: $0, of: $1, property: $2) }
    content = { Persisted<ObjectBase?>.content(at: $0, of: $1) }
    set = { Property.set(at: $0, of: $1, to: $2) }
  }
}

/// The options in the declaration of a property.
struct PropertyOptions {
  var isPrimaryKey: Bool
  var isIndexed: Bool
  var isFullTextIndexed = false
  /// The property that links here; nil except for linking objects.
  var originProperty: String?
}

/// A persisted property without the wrapper `@Persisted`.
///
///     class Team: Object {
///       let members = List<Person>()
///       let rank = RealmProperty<Int?>()
///     }
///
/// Models older than `@Persisted` declare such properties. In a class with a property marked `@Persisted`,
/// plain properties are not persisted.
protocol PlainProperty: PersistedProperty {
  /// Records in a recorder that the property was read.
  func noteRead()
}

extension PlainProperty {
  static var holdsNarrowInteger: Bool { false }

  static func integer(_ value: Value) -> Any? { value.dynamicValue }

  /// Does nothing: the property has a reference to its object.
  static func setOwner(_ owner: ObjectBase, at address: UnsafeMutableRawPointer) {}

  static func options(at address: UnsafeRawPointer) -> PropertyOptions {
    PropertyOptions(isPrimaryKey: false, isIndexed: false)
  }

  static func markNotLoaded(at address: UnsafeMutableRawPointer) {}
  static func isNotLoaded(at address: UnsafeMutableRawPointer) -> Bool { false }

  /// Returns the property at an address.
  static func property(at address: UnsafeRawPointer) -> Self {
    address.assumingMemoryBound(to: Self.self).pointee
  }
}

/// A collection type of plain properties.
protocol PlainCollection: PlainProperty, ElementCollection, Persistable, AnyObject {
  /// Whether the elements of an unmanaged object's collection were loaded, or replaced by the program.
  var isLoaded: Bool { get set }
  /// Replaces the elements by those of another collection.
  func replaceElements(by other: Self)
}

extension PlainCollection {
  static var shape: PropertyShape { propertyShape }

  static func attach(at address: UnsafeMutableRawPointer, of owner: ObjectBase, property: Int) {
    attach(self.property(at: address), to: owner, property: property)
  }

  static func swiftValue(at address: UnsafeMutableRawPointer, of owner: ObjectBase) -> Any {
    property(at: address)
  }

  static func content(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase
  ) -> PropertyContent {
    content(of: property(at: address))
  }

  static func set(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase, to value: Any?
  ) -> Bool {
    guard let made = make(fromDynamic: value) else { return false }
    let collection = property(at: address)
    collection.replaceElements(by: made)
    collection.isLoaded = made.isLoaded
    return true
  }

  static func markNotLoaded(at address: UnsafeMutableRawPointer) {
    property(at: address).isLoaded = false
  }

  static func isNotLoaded(at address: UnsafeMutableRawPointer) -> Bool {
    !property(at: address).isLoaded
  }
}

extension List: PlainCollection {
  func replaceElements(by other: List) {
    if other != self { replaceSubrange(0..<count, with: Array(other)) }
  }
}

extension MutableSet: PlainCollection {
  func replaceElements(by other: MutableSet) {
    guard other != self else { return }
    let elements = Array(other)
    removeAll()
    insert(objectsIn: elements)
  }
}

extension Map: PlainCollection {
  func replaceElements(by other: Map) {
    guard other != self else { return }
    let entries = other.asKeyValueSequence()
    removeAll()
    for (key, value) in entries { updateValue(value, forKey: key) }
  }
}

extension LinkingObjects: PlainProperty {
  static var shape: PropertyShape { propertyShape }
  static var hasMappedElements: Bool { false }

  static func options(at address: UnsafeRawPointer) -> PropertyOptions {
    PropertyOptions(
      isPrimaryKey: false, isIndexed: false, originProperty: property(at: address).originProperty)
  }

  static func attach(at address: UnsafeMutableRawPointer, of owner: ObjectBase, property: Int) {
    self.property(at: address).bind(to: owner, property)
  }

  static func swiftValue(at address: UnsafeMutableRawPointer, of owner: ObjectBase) -> Any {
    property(at: address)
  }

  static func content(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase
  ) -> PropertyContent { .elements([]) }

  static func set(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase, to value: Any?
  ) -> Bool { false }
}
