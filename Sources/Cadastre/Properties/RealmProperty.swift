import CadastreModel

/// A persisted property of an old model: an optional value, or one of any type.
///
///     class Team: Object {
///       let rank = RealmProperty<Int?>()
///       let anything = RealmProperty<AnyRealmValue>()
///     }
///
///     team.rank.value = 3
///
/// Declare it with `let`, in classes without `@Persisted` properties; new models have
/// `@Persisted var rank: Int?`. In a managed object it reads from and writes to the store.
public final class RealmProperty<Value: RealmPropertyType> {
  /// The value, while no Realm manages the object.
  private var unmanaged: Value
  private var boundProperty: BoundCollectionProperty?
  private var info: ClassInfo?
  /// Another instance of the same row.
  private lazy var rowInstance = makeRowInstance()

  /// Creates a property with a value.
  public init(_ value: Value) { unmanaged = value }

  /// Creates a property without a value.
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

/// An optional value of an old model.
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
  /// Equal values.
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
  /// Returns a property of an old model; nil if the key is missing or its value null.
  public func decode<Wrapped: ScalarPersistable & Decodable>(
    _ type: RealmProperty<Wrapped?>.Type, forKey key: Key
  ) throws -> RealmProperty<Wrapped?> {
    try decodeIfPresent(type, forKey: key) ?? RealmProperty()
  }
}

/// The managed property to which a collection of an unmanaged object was bound when the object was
/// added.
///
/// It refers to the stored object rather than to the instance, which may retain the collection.
struct BoundCollectionProperty {
  let property: Int
  let position: ObjectPosition?
  /// The recorder of key paths that the property belongs to instead.
  private weak var recorder: ObjectBase?

  /// Nil for an object that is neither managed nor a recorder.
  init?(_ property: Int, of object: ObjectBase) {
    guard object.position != nil || object.recording != nil else { return nil }
    self.property = property
    position = object.position
    recorder = position == nil ? object : nil
  }

  /// Where the elements of a collection are; nil in a recorder.
  var source: (any ElementSource)? {
    position?.elementSource(property, isChecked: false)
  }

  func noteRead() { recorder?.record(property) }

  func noteComputedRead() { recorder?.recordComputed(property) }
}
