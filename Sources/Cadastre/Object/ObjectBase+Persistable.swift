import CadastreModel
import CadastreStore

extension ObjectBase: Persistable, OptionalPersistable {
  /// A required link, which no schema allows.
  public static var propertyShape: PropertyShape { PropertyShape(type: .object, objectType: self) }
  /// A link, or an embedded object.
  public static var optionalShape: PropertyShape {
    PropertyShape(type: .object, isOptional: true, objectType: self)
  }
  /// A new object.
  public static func makeDefaultValue() -> Self { Self() }
  /// Reads a link that cannot be null; no schema allows one.
  public static func read(from object: ObjectBase, property: Int) -> Self {
    readOptional(from: object, property: property) ?? Self()
  }
  /// Sets a link.
  public static func write(_ value: ObjectBase, to object: ObjectBase, property: Int) {
    object.setObject(value, property)
  }
  /// The object.
  public static func content(of value: ObjectBase) -> PropertyContent { .object(value) }
  /// The object, or a new one with the given properties.
  public static func make(fromDynamic value: Any?) -> Self? {
    guard let value, !DynamicValue.isNothing(value) else { return nil }
    if let object = value as? Self { return object }
    guard ClassInfo.canFill(from: value) else { return nil }
    let object = Self()
    let named = ClassInfo.of(Self.self).fill(object, from: value)
    if ClassInfo.isCreating { object.namedProperties = named }
    return object
  }
  /// Reads a link or an embedded object.
  public static func readOptional(from object: ObjectBase, property: Int) -> Self? {
    object.linkedObject(property).flatMap { $0 as? Self }
  }
  /// Sets a link or an embedded object.
  public static func writeOptional(_ value: ObjectBase?, to object: ObjectBase, property: Int) {
    object.setObject(value, property)
  }
  /// The object, or null.
  public static func optionalContent(of value: ObjectBase?) -> PropertyContent {
    value.map(PropertyContent.object) ?? .value(.null)
  }
  /// The object, or a new one with the given properties.
  public static func makeOptional(fromDynamic value: Any) -> Self? { make(fromDynamic: value) }
}

extension ObjectBase {
  /// The object that a property of a managed object leads to.
  func linkedObject(_ property: Int) -> ObjectBase? {
    guard let position else { return recordLink(property) }
    guard let type = ClassInfo.of(type(of: self)).fields[property].objectType else { return nil }
    switch position.field(property) {
    case .link(let column):
      guard case .link(let key) = position.row.value(column) else { return nil }
      return position.row.core.object(type, key)
    case .embedded(let layout):
      guard !position.row.value(layout.presence).isNull else { return nil }
      let embedded = type.init()
      ClassInfo.of(type).attach(embedded)
      embedded.position = ObjectPosition(position.row, layout)
      return embedded
    case .scalar, .pointType, .pointCoordinates: return nil
    }
  }

  /// Makes a property of a managed object lead to an object.
  func setObject(_ value: ObjectBase?, _ property: Int) {
    guard let position else { return }
    let schema = ClassInfo.of(type(of: self)).schema
    position.row.requireWrite("\(schema.className).\(schema.properties[property].name)")
    ObjectWriter(position.row.core).set(value, property, of: self, at: position)
  }
}
