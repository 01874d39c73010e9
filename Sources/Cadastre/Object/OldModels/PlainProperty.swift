import CadastreModel

/// A persisted property that an object holds as it is, without a wrapper.
///
///     class Team: Object {
///       let members = List<Person>()
///       let rank = RealmProperty<Int?>()
///     }
///
/// Models older than `@Persisted` are declared so. A class that has one property marked
/// `@Persisted` ignores all others.
protocol PlainProperty: PersistedProperty {
  /// Notifies the recorder that the property was read, which the object cannot observe.
  func noteRead()
}

extension PlainProperty {
  static var holdsNarrowInteger: Bool { false }

  static func integer(_ value: Value) -> Any? { value.dynamicValue }

  /// Does nothing: the property knows its object.
  static func setOwner(_ owner: ObjectBase, at address: UnsafeMutableRawPointer) {}

  static func options(at address: UnsafeRawPointer) -> PropertyOptions {
    PropertyOptions(isPrimaryKey: false, isIndexed: false)
  }

  static func markNotLoaded(at address: UnsafeMutableRawPointer) {}
  static func isNotLoaded(at address: UnsafeMutableRawPointer) -> Bool { false }

  /// The property at an address.
  static func property(at address: UnsafeRawPointer) -> Self {
    address.assumingMemoryBound(to: Self.self).pointee
  }
}

/// A collection that can be a plain property.
protocol PlainCollection: PlainProperty, ElementCollection, Persistable, AnyObject {
  /// Whether the elements of an unmanaged object's collection are known: they were loaded, or all of them set.
  var isLoaded: Bool { get set }
  /// Replaces its elements by those of another collection.
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
    self.property(at: address).follow(owner, property)
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
