import CadastreModel
@_spi(Reflection) import Swift
import Synchronization

/// What is known of a model class: its schema, and where its properties are in an instance.
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

    /// The value as `Any`; nil for null.
    func value(of object: ObjectBase) -> Any? {
      switch property.content(at: address(in: object), of: object) {
      case .value(let value): value.dynamicValue
      case .object(let object): object
      case .coordinates(let coordinates): coordinates
      }
    }
  }

  let type: ObjectBase.Type
  let schema: ObjectSchema
  let fields: [Field]

  private static let known = Mutex<[ObjectIdentifier: ClassInfo]>([:])

  /// What is known of a class; worked out once.
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

  /// Asks for the fields of a class, those it inherits included.
  private static let classFields = _EachFieldOptions(rawValue: 1)

  private init(_ type: ObjectBase.Type) {
    self.type = type
    let sample = type.init()
    var fields: [Field] = []
    var properties: [Property] = []
    _ = _forEachField(of: type, options: Self.classFields) { name, offset, fieldType, _ in
      guard let wrapper = fieldType as? any PersistedProperty.Type else { return true }
      let field = Field(
        // The storage of a wrapped property has its name after an underscore.
        name: String(String(cString: name).dropFirst()), offset: offset, property: wrapper,
        objectType: wrapper.shape.objectType)
      let options = wrapper.options(at: UnsafeRawPointer(field.address(in: sample)))
      let shape = wrapper.shape
      fields.append(field)
      properties.append(
        Property(
          name: field.name, type: shape.type, isOptional: shape.isOptional,
          isPrimaryKey: options.isPrimaryKey, isIndexed: options.isIndexed,
          collection: shape.collection, objectClassName: shape.objectType?.className()))
      return true
    }
    self.fields = fields
    schema = ObjectSchema(
      className: type.className(), properties: properties,
      isEmbedded: type is EmbeddedObject.Type)
  }

  /// Makes the properties of an instance read from and write to the store.
  func attach(_ object: ObjectBase) {
    for (index, field) in fields.enumerated() {
      field.property.attach(at: field.address(in: object), property: index)
    }
  }

  // MARK: Dynamic values

  /// Sets properties from a dictionary, an array or another object.
  func fill(_ object: ObjectBase, from value: Any) {
    switch value {
    case let values as [String: Any?]:
      for (name, value) in values { set(named: name, of: object, to: value) }
    case let source as ObjectBase:
      for property in ClassInfo.of(Swift.type(of: source)).fields {
        if let index = schema.index(of: property.name) {
          set(index, of: object, to: property.value(of: source))
        }
      }
    case let values as [Any?]:
      guard values.count <= fields.count else {
        Misuse.stop(
          "Invalid array input: it holds \(values.count) values, and '\(schema.className)' has "
            + "only \(fields.count) properties.")
      }
      for (index, value) in values.enumerated() { set(index, of: object, to: value) }
    default:
      Misuse.stop(
        "Invalid value '\(value)' to initialize object of type '\(schema.className)': give a "
          + "dictionary, an array or an object.")
    }
  }

  private func set(named name: String, of object: ObjectBase, to value: Any?) {
    guard let index = schema.index(of: name) else {
      Misuse.stop("Invalid property name '\(name)' for class '\(schema.className)'.")
    }
    set(index, of: object, to: value)
  }

  func set(_ index: Int, of object: ObjectBase, to value: Any?) {
    let field = fields[index]
    if object.position != nil, let stored = storedValue(value, schema.properties[index]) {
      object.setStoredValue(stored, index)
      return
    }
    guard field.property.set(at: field.address(in: object), of: object, to: value) else {
      let found = value.map { "'\($0)' of type '\(Swift.type(of: $0))'" } ?? "nil"
      Misuse.stop(
        "Invalid value \(found) for '\(schema.properties[index].typeDescription)' property "
          + "'\(schema.className).\(field.name)'.")
    }
  }

  /// A value that a column takes as it is, also where the property's type in Swift could not.
  private func storedValue(_ value: Any?, _ property: Property) -> Value? {
    guard property.type != .object, property.collection == nil,
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

extension Value {
  /// The value as an application sees it without types; nil for null.
  var dynamicValue: Any? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): Int(value)
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value.date
    case .objectId(let value): value
    case .uuid(let value): value
    case .link(let key): key
    }
  }
}
