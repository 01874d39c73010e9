import CadastreModel

/// A persisted property in a model without `@Persisted`: an optional value, or a value of any type.
///
///     class Team: Object {
///       let rank = RealmProperty<Int?>()
///       let anything = RealmProperty<AnyRealmValue>()
///     }
///
///     team.rank.value = 3
///
/// Declare the property with `let`, in a class without `@Persisted` properties; new models declare
/// `@Persisted var rank: Int?`. In a managed object the property reads from and writes to the store.
public final class RealmProperty<Value: RealmPropertyType> {
  /// The value in an unmanaged object.
  private var unmanaged: Value
  private var boundProperty: BoundCollectionProperty?
  private var info: ClassInfo?
  /// Another instance for the same row, through which the value is read and written.
  private lazy var rowInstance = makeRowInstance()

  /// Creates a property with a value.
  public init(_ value: Value) { unmanaged = value }

  /// Creates a property with the default of its type.
  public convenience init() { self.init(Value.makeDefaultValue()) }

  /// The value.
  public var value: Value {
    get {
      guard let boundProperty else { return unmanaged }
      guard boundProperty.position != nil else {
        boundProperty.noteRead()
        return unmanaged
      }
      return Value.read(from: rowInstance, property: boundProperty.property)
    }
    set {
      guard let boundProperty, boundProperty.position != nil else { return unmanaged = newValue }
      Value.write(newValue, to: rowInstance, property: boundProperty.property)
    }
  }

  private func makeRowInstance() -> ObjectBase {
    let object = DynamicObject()
    if let position = boundProperty?.position, let info { object.attach(to: position, info) }
    return object
  }
}

/// A type of the values of ``RealmProperty``: an optional, or `AnyRealmValue`.
public protocol RealmPropertyType: Persistable, Equatable {}

extension AnyRealmValue: RealmPropertyType {}
extension Optional: RealmPropertyType where Wrapped: ScalarPersistable {}

/// An optional value in a model without `@Persisted`.
@available(*, deprecated, message: "Use RealmProperty<Value?>, or @Persisted var in new models.")
public typealias RealmOptional<Value: ScalarPersistable> = RealmProperty<Value?>

extension RealmProperty: PlainProperty {
  static var shape: PropertyShape { Value.propertyShape }
  static var valueType: Any.Type { Value.self }
  static var holdsNarrowInteger: Bool { DynamicValue.isNarrowInteger(Value.self) }
  static var hasMappedElements: Bool { false }

  static func integer(_ value: CadastreModel.Value) -> Any? {
    DynamicValue.integer(value, as: Value.self)
  }

  static func attach(at address: UnsafeMutableRawPointer, of owner: ObjectBase, property: Int) {
    let place = self.property(at: address)
    place.boundProperty = BoundCollectionProperty(property, of: owner)
    place.info = owner.classInfo
  }

  static func swiftValue(at address: UnsafeMutableRawPointer, of owner: ObjectBase) -> Any {
    property(at: address).value
  }

  static func content(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase
  ) -> PropertyContent {
    Value.content(of: property(at: address).value)
  }

  static func set(
    at address: UnsafeMutableRawPointer, of owner: ObjectBase, to value: Any?
  ) -> Bool {
    guard let made = Value.make(fromDynamic: value) else { return false }
    property(at: address).value = made
    return true
  }

  func noteRead() { boundProperty?.noteRead() }
}

extension RealmProperty: Equatable {
  /// Returns whether the values are equal.
  public static func == (first: RealmProperty, second: RealmProperty) -> Bool {
    first.value == second.value
  }
}

extension RealmProperty: CustomStringConvertible {
  /// The value.
  public var description: String { "\(value)" }
}

extension RealmProperty: Encodable where Value: Encodable {
  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension RealmProperty: Decodable where Value: Decodable {
  /// Reads the value.
  public convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Value.self))
  }
}

extension KeyedDecodingContainer {
  /// Decodes a property of a model without `@Persisted`; nil for a missing key or null.
  public func decode<Wrapped: ScalarPersistable & Decodable>(
    _ type: RealmProperty<Wrapped?>.Type, forKey key: Key
  ) throws -> RealmProperty<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? RealmProperty()
  }
}

/// The managed property to which a collection is bound when its unmanaged object is added.
///
/// Refers to the position of the object, because the instance may retain the collection.
struct BoundCollectionProperty {
  let property: Int
  let position: ObjectPosition?
  /// The recorder of key paths, if the property belongs to a recorder.
  private weak var recorder: ObjectBase?

  /// Creates the property; nil for an object that is neither managed nor a recorder.
  init?(_ property: Int, of object: ObjectBase) {
    guard object.position != nil || object.recording != nil else { return nil }
    self.property = property
    position = object.position
    recorder = position == nil ? object : nil
  }

  /// The source of the elements of the collection; nil in a recorder.
  var source: (any ElementSource)? {
    position?.elementSource(property, isChecked: false)
  }

  func noteRead() { recorder?.record(property) }

  func noteComputedRead() { recorder?.recordComputed(property) }

  /// Returns a recorder of the objects in the collection, or a value; nil if the property belongs to no recorder.
  ///
  /// A key path such as `\.toys[0].name` leads through it.
  func recordedElement<Element: Persistable>(
    _ type: Element.Type, ofComputed isComputed: Bool = false
  ) -> Element? {
    guard let recorder else { return nil }
    if isComputed { recorder.recordComputed(property) } else { recorder.record(property) }
    guard let objectType = type.propertyShape.objectType else { return type.makeDefaultValue() }
    return recorder.recordElement(objectType) as? Element
  }
}
