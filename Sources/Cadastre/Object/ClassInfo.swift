import CadastreModel

/// The description of a model class: its schema, and the offsets of its properties in an instance.
final class ClassInfo: Sendable {
  /// One persisted property.
  struct Field: Sendable {
    let name: String
    /// Bytes from the start of an instance.
    let offset: Int
    let property: any PersistedProperty.Type
    /// The class that it links to or embeds.
    let objectType: ObjectBase.Type?

    func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
      Unmanaged.passUnretained(object).toOpaque() + offset
    }

    /// The value in its Swift type.
    func swiftValue(of object: ObjectBase) -> Any {
      property.swiftValue(at: address(in: object), of: object)
    }

    /// The value as `Any`; nil for null.
    func value(of object: ObjectBase) -> Any? {
      if property.shape.type == .any || property.shape.collection != nil {
        return swiftValue(of: object)
      }
      return switch property.content(at: address(in: object), of: object) {
      case .value(let value): value.dynamicValue
      case .object(let object): object
      case .elements, .entries: nil
      }
    }
  }

  /// A property computed from links of other objects.
  struct ComputedField: Sendable {
    let name: String
    /// Bytes from the start of an instance.
    let offset: Int
    let property: any PersistedProperty.Type

    func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
      Unmanaged.passUnretained(object).toOpaque() + offset
    }

    /// The linking objects.
    func value(of object: ObjectBase) -> Any? {
      property.swiftValue(at: address(in: object), of: object)
    }
  }

  let type: ObjectBase.Type
  let schema: ObjectSchema
  let fields: [Field]
  /// The computed properties, in the order of the schema.
  let computed: [ComputedField]
  private let template: InstanceTemplate?

  private static let known = Guarded<[ObjectIdentifier: ClassInfo]>([:])

  /// The description of a class, made once.
  static func of(_ type: ObjectBase.Type) -> ClassInfo {
    if let info = known.withLock({ $0[ObjectIdentifier(type)] }) { return info }
    // Outside the lock: making an instance runs the class's own initialiser.
    let info = ClassInfo(type)
    return known.withLock { known in
      let first = known[ObjectIdentifier(type)] ?? info
      known[ObjectIdentifier(type)] = first
      return first
    }
  }

  /// The class in use that has a schema; nil where there is none.
  static func type(describedBy schema: ObjectSchema) -> ObjectBase.Type? {
    known.withLock { $0.values.first { $0.schema == schema }?.type }
  }

  /// The description of a stored class that the program may not have.
  init(stored schema: ObjectSchema) {
    type = DynamicObject.self
    self.schema = schema
    fields = []
    computed = []
    template = nil
  }

  private init(_ type: ObjectBase.Type) {
    self.type = type
    let sample = type.init()
    let mapping = type.propertiesMapping()
    let named = NamedProperties(type)
    var fields: [Field] = []
    var properties: [Property] = []
    var computed: [ComputedField] = []
    var computedProperties: [Property] = []
    let declared = DeclaredProperties(of: type)
    for (name, offset, wrapper) in declared.all {
      let field = Field(
        name: name, offset: offset, property: wrapper, objectType: wrapper.shape.objectType)
      let options = wrapper.options(at: field.address(in: sample))
      let shape = wrapper.shape
      if shape.type == .linkingObjects {
        computed.append(ComputedField(name: field.name, offset: offset, property: wrapper))
        computedProperties.append(
          Property(
            name: field.name, type: .linkingObjects, objectClassName: shape.objectType?.className(),
            linkOriginPropertyName: options.originProperty))
        continue
      }
      fields.append(field)
      properties.append(
        Property(
          name: field.name, columnName: mapping[field.name], type: shape.type,
          isOptional: shape.isOptional,
          isPrimaryKey: options.isPrimaryKey || named.primaryKey == field.name,
          isIndexed: options.isIndexed || named.indexed.contains(field.name),
          isFullTextIndexed: options.isFullTextIndexed, collection: shape.collection,
          objectClassName: shape.objectType?.className()))
    }
    named.check(properties, of: type)
    self.fields = fields
    self.computed = computed
    schema = ObjectSchema(
      className: type.className(), properties: properties, computedProperties: computedProperties,
      isEmbedded: type is EmbeddedObject.Type)
    guard declared.areAllFields, !fields.isEmpty else {
      template = nil
      return
    }
    Self.attach(sample, fields, computed)
    template = InstanceTemplate(sample)
  }

  /// Returns a new instance for a stored object, of the class or of `DynamicObject`.
  func makeInstance(of wanted: ObjectBase.Type, at position: ObjectPosition) -> ObjectBase {
    if wanted == DynamicObject.self {
      let made = DynamicObject()
      made.stand(at: position, self)
      return made
    }
    if let made = template?.makeInstance() {
      made.stand(at: position, self)
      return made
    }
    let made = type.init()
    made.attach(to: position, self)
    return made
  }

  /// Makes the properties of an instance read from and write to the store.
  func attach(_ object: ObjectBase) { Self.attach(object, fields, computed) }

  private static func attach(
    _ object: ObjectBase, _ fields: [Field], _ computed: [ComputedField]
  ) {
    for (index, field) in fields.enumerated() {
      field.property.attach(at: field.address(in: object), of: object, property: index)
    }
    for (index, field) in computed.enumerated() {
      field.property.attach(at: field.address(in: object), of: object, property: index)
    }
  }

  // MARK: Dynamic values

  /// Whether objects are being made for `Realm.create`, which changes only the properties that the
  /// value names.
  @TaskLocal static var isCreating = false

  /// Whether properties can be set from a value.
  static func canFill(from value: Any) -> Bool {
    value is [String: Any?] || value is ObjectBase || value is [Any?]
  }

  /// Sets properties from a dictionary, an array or another object; says which.
  @discardableResult
  func fill(_ object: ObjectBase, from value: Any) -> Set<Int> {
    var named: Set<Int> = []
    switch value {
    case let values as [String: Any?]:
      for (name, value) in values {
        let index = index(of: name)
        named.insert(index)
        set(index, of: object, to: unowned(value))
      }
    case let source as ObjectBase:
      for (place, property) in source.objectSchema.properties.enumerated() {
        guard let index = schema.index(of: property.name) else { continue }
        named.insert(index)
        set(index, of: object, to: copied(source.dynamicValue(place)))
      }
    case let values as [Any?]:
      guard values.count <= fields.count else {
        ProgrammingError.stop(
          "Invalid array input: it holds \(values.count) values, and '\(schema.className)' has "
            + "only \(fields.count) properties.")
      }
      for (index, value) in values.enumerated() {
        named.insert(index)
        set(index, of: object, to: unowned(value))
      }
    default:
      ProgrammingError.stop(
        "Invalid value '\(value)' to initialize object of type '\(schema.className)': give a "
          + "dictionary, an array or an object.")
    }
    return named
  }

  private func index(of name: String) -> Int {
    guard let index = schema.index(of: name) else {
      ProgrammingError.stop("Invalid property name '\(name)' for class '\(schema.className)'.")
    }
    return index
  }

  /// A value, or a copy of an embedded object that has an owner already.
  private func unowned(_ value: Any?) -> Any? {
    (value as? EmbeddedObject)?.position == nil ? value : copied(value)
  }

  /// A value, or a copy of an embedded object, alone or in a collection: it has one owner only.
  private func copied(_ value: Any?) -> Any? {
    switch value {
    case let embedded as EmbeddedObject:
      let type = Swift.type(of: embedded)
      let copy = type.init()
      ClassInfo.of(type).fill(copy, from: embedded)
      return copy
    case let map as any DynamicMap where map.dynamicEntries.contains { Self.isEmbedded($0.1) }:
      return Dictionary(
        map.dynamicEntries.map { ($0.0, copied(Self.unwrapped($0.1))) }, uniquingKeysWith: { $1 })
    case let collection as any RealmCollection:
      let elements = Self.elements(of: collection)
      return elements.contains(where: Self.isEmbedded) ? elements.map(copied) : value
    default: return value
    }
  }

  private static func elements(of collection: some RealmCollection) -> [Any?] {
    collection.map { unwrapped($0) }
  }

  private static func isEmbedded(_ value: Any?) -> Bool { unwrapped(value) is EmbeddedObject }

  private static func unwrapped(_ value: Any?) -> Any? {
    (value as? any OptionalValue).map(\.unwrapped) ?? value
  }

  func set(_ index: Int, of object: ObjectBase, to value: Any?) {
    if object is DynamicObject {
      guard object.setDynamically(index, to: value) else { stopForMisfit(value, index) }
      return
    }
    let field = fields[index]
    if object.position != nil, !field.property.holdsInteger,
      let stored = storedValue(value, schema.properties[index])
    {
      object.setStoredValue(stored, index)
      return
    }
    guard field.property.set(at: field.address(in: object), of: object, to: value) else {
      stopForMisfit(value, index)
    }
  }

  private func stopForMisfit(_ value: Any?, _ index: Int) -> Never {
    let found = value.map { "'\($0)' of type '\(Swift.type(of: $0))'" } ?? "nil"
    let property = schema.properties[index]
    ProgrammingError.stop(
      "Invalid value \(found) for '\(property.typeDescription)' property "
        + "'\(schema.className).\(property.name)'.")
  }

  /// A value that a column takes as it is, also where the property's type in Swift could not.
  private func storedValue(_ value: Any?, _ property: Property) -> Value? {
    guard property.type != .object, property.type != .any, property.collection == nil,
      let stored = DynamicValue.value(value),
      stored.isNull ? property.isOptional : stored.type == property.type
    else { return nil }
    return stored
  }

  /// A recorder: an instance that notes which property is read from it.
  func makeRecorder() -> ObjectBase {
    let recorder = type.init()
    recorder.recording = PropertyRecording()
    attach(recorder)
    return recorder
  }
}
