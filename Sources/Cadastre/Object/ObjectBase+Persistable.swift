import CadastreModel
import CadastreStore

@_documentation(visibility: internal)
extension ObjectBase: Persistable, OptionalPersistable {
  /// The shape of a required link, which no schema allows.
  public static var propertyShape: PropertyShape { PropertyShape(type: .object, objectType: self) }
  /// The shape of a link or an embedded object.
  public static var optionalShape: PropertyShape {
    PropertyShape(type: .object, isOptional: true, objectType: self)
  }
  /// Returns a new object.
  public static func makeDefaultValue() -> Self { Self() }
  /// Reads a required link, which no schema allows.
  public static func read(from object: ObjectBase, property: Int) -> Self {
    readOptional(from: object, property: property) ?? Self()
  }
  /// Sets a link.
  public static func write(_ value: ObjectBase, to object: ObjectBase, property: Int) {
    object.setObject(value, property)
  }
  /// Returns the object.
  public static func content(of value: ObjectBase) -> PropertyContent { .object(value) }
  /// Returns the object in a dynamic value, or a new object with the properties of the value.
  public static func make(fromDynamic value: Any?) -> Self? {
    guard let value = DynamicValue.unwrapped(value), !DynamicValue.isNull(value) else {
      return nil
    }
    if DynamicValue.isInstance(value) {
      if let object = value as? Self { return object }
      if let object = value as? DynamicObject, self is Object.Type,
        let typed = object.typedInstance as? Self
      {
        return typed
      }
    }
    let creation = ObjectCreation.current
    if self is Object.Type, let object = creation?.object(Self.self, forKey: value) as? Self {
      return object
    }
    let info = ClassInfo.of(Self.self)
    guard info.canFill(from: value) else { return nil }
    let object = Self()
    let specified = info.fill(object, from: value, creation)
    if creation != nil { object.specifiedProperties = specified }
    return object
  }
  /// Reads a link or an embedded object.
  public static func readOptional(from object: ObjectBase, property: Int) -> Self? {
    guard let linked = object.linkedObject(property) else { return nil }
    return linked as? Self
  }
  /// Sets a link or an embedded object.
  public static func writeOptional(_ value: ObjectBase?, to object: ObjectBase, property: Int) {
    object.setObject(value, property)
  }
  /// Returns the object, or null.
  public static func optionalContent(of value: ObjectBase?) -> PropertyContent {
    value.map(PropertyContent.object) ?? .value(.null)
  }
  /// Returns the object in a dynamic value, or a new object with the properties of the value.
  public static func makeOptional(fromDynamic value: Any) -> Self? { make(fromDynamic: value) }
  /// Returns the target of a link.
  public static func make(fromStored value: Value, in context: StoredContext) -> Self? {
    guard case .link(let key) = value, let table = context.table else { return nil }
    guard let embedded = context.embedded else {
      return context.core.object(Self.self, table, key)
    }
    let position = ObjectPosition(ManagedRow(table, key), embedded)
    return context.core.object(Self.self, at: position) as? Self
  }
  /// Returns the target of a link.
  public static func makeOptional(fromStored value: Value, in context: StoredContext) -> Self? {
    make(fromStored: value, in: context)
  }
}

extension ObjectBase {
  /// Returns the linked or embedded object of a property of a managed object.
  func linkedObject(_ property: Int) -> ObjectBase? {
    // Cached numbers imply that one thread reads the object, which has a row of its own.
    if let key = number(property), let rowTable, rowTable.isLink(property) {
      return rowTable.target(of: property).map {
        $0.info.makeInstance(of: linkedType(property), $0, ObjectKey(key))
      }
    }
    guard let core else { return recordLink(property) }
    switch storedValue(property) {
    case .null: return nil
    case .link(let key): return linkedObject(property, key, in: core)
    default:
      guard let position, case .embedded(let layout) = position.fields[property] else { return nil }
      return core.object(linkedType(property), at: ObjectPosition(position.row, layout))
    }
  }

  private func linkedObject(_ property: Int, _ key: ObjectKey, in core: RealmCore) -> ObjectBase? {
    guard let target = targetTable(of: property, in: core) else { return nil }
    return target.info.makeInstance(of: linkedType(property), target, key)
  }

  /// Returns the Swift class of the linked or embedded objects of a property.
  private func linkedType(_ property: Int) -> ObjectBase.Type {
    guard !classInfo.isStoredOnly,
      type(of: self) != DynamicObject.self || core?.hasOnlyDynamicObjects != true
    else { return DynamicObject.self }
    return classInfo.objectTypes[property] ?? DynamicObject.self
  }

  /// Returns the table of the linked objects of a property; nil for values.
  func targetTable(of property: Int, in core: RealmCore) -> ManagedTable? {
    if let table, core.sharing == nil { return table.target(of: property) }
    return classInfo.schema.properties[property].objectClassName.flatMap(core.table(named:))
  }

  /// Sets the linked or embedded object of a property of a managed object.
  func setObject(_ value: ObjectBase?, _ property: Int) {
    guard let position else { return }
    position.row.requireWrite(classInfo.name(of: property))
    ObjectWriter(position.row.core).set(value, property, of: self, at: position)
  }
}
