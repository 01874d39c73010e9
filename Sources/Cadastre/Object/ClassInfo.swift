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
      for property in ClassInfo.of(Swift.type(of: source)).fields {
        guard let index = schema.index(of: property.name) else { continue }
        named.insert(index)
        set(index, of: object, to: copied(property.value(of: source)))
      }
    case let values as [Any?]:
      guard values.count <= fields.count else {
        Misuse.stop(
          "Invalid array input: it holds \(values.count) values, and '\(schema.className)' has "
            + "only \(fields.count) properties.")
      }
      for (index, value) in values.enumerated() {
        named.insert(index)
        set(index, of: object, to: unowned(value))
      }
    default:
      Misuse.stop(
        "Invalid value '\(value)' to initialize object of type '\(schema.className)': give a "
          + "dictionary, an array or an object.")
    }
    return named
  }

  private func index(of name: String) -> Int {
    guard let index = schema.index(of: name) else {
      Misuse.stop("Invalid property name '\(name)' for class '\(schema.className)'.")
    }
    return index
  }

  /// A value, or a copy of an embedded object that has an owner already.
  private func unowned(_ value: Any?) -> Any? {
    (value as? EmbeddedObject)?.position == nil ? value : copied(value)
  }

  /// A value, or a copy of an embedded object: it lives in one place only.
  private func copied(_ value: Any?) -> Any? {
    guard let embedded = value as? EmbeddedObject else { return value }
    let type = Swift.type(of: embedded)
    let copy = type.init()
    ClassInfo.of(type).fill(copy, from: embedded)
    return copy
  }

  func set(_ index: Int, of object: ObjectBase, to value: Any?) {
    let field = fields[index]
    if object.position != nil, !field.property.holdsInteger,
      let stored = storedValue(value, schema.properties[index])
    {
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
