public import CadastreModel
import CadastrePredicate
import CadastreStore

/// The description of a model class: its schema, and the offsets of its properties in an instance.
final class ClassInfo: Sendable {
  /// One persisted property.
  struct Field: Sendable {
    let name: String
    /// The offset in bytes from the start of an instance.
    let offset: Int
    let property: any PersistedProperty.Type
    /// The class of linked or embedded objects; nil for values.
    let objectType: ObjectBase.Type?
    /// Whether the values are integers narrower than 64 bits.
    let holdsNarrowInteger: Bool
    /// Whether the values, optional or not, are common scalars, see `DynamicValue.isCommonScalar(_:)`.
    let holdsCommonScalars: Bool
    /// Whether the values are mapped to an embedded object.
    let mapsObject: Bool
    private let access: PropertyAccess

    init(name: String, offset: Int, property: any PersistedProperty.Type) {
      self.name = name
      self.offset = offset
      self.property = property
      objectType = property.shape.objectType
      holdsNarrowInteger = property.holdsNarrowInteger
      holdsCommonScalars = Self.commonScalarTypes.contains { $0 == property }
      let valueType = (property.valueType as? any OptionalValue.Type)?.wrappedType
      mapsObject =
        objectType != nil && (valueType ?? property.valueType) is any FailableCustomPersistable.Type
      access = property.access
    }

    private static let commonScalarTypes: [any PersistedProperty.Type] = [
      Persisted<Int>.self, Persisted<Int?>.self, Persisted<Double>.self, Persisted<Double?>.self,
      Persisted<Bool>.self, Persisted<Bool?>.self, Persisted<String>.self, Persisted<String?>.self,
    ]

    func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
      Unmanaged.passUnretained(object).toOpaque() + offset
    }

    /// Returns the content of the property of an object.
    func content(of object: ObjectBase) -> PropertyContent {
      access.content(address(in: object), object)
    }

    /// Returns the initial content of existing objects if a migration adds the property, from a new object;
    /// nil for the zero of the stored type.
    func initialContent(of object: ObjectBase) -> PropertyContent? {
      property.initialContent(at: address(in: object), of: object)
    }

    /// The value that replaces null in a collection whose elements become required; nil for the zero of the
    /// stored type.
    var initialElement: Value? {
      guard let collection = property.valueType as? any ElementCollection.Type,
        let element = collection.elementType as? any Persistable.Type
      else { return nil }
      return DynamicValue.zero(of: element)
    }

    /// Binds the property of an object to the store.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - index: The index of the property in the class.
    func attach(_ object: ObjectBase, at index: Int) {
      access.attach(address(in: object), object, index)
    }

    /// Sets the property of an object to a dynamic value; returns false for a value that does not fit.
    func set(_ object: ObjectBase, to value: Any?) -> Bool {
      access.set(address(in: object), object, value)
    }

    /// Marks the links of an unmanaged object as not loaded.
    func markNotLoaded(in object: ObjectBase) { property.markNotLoaded(at: address(in: object)) }

    /// Returns whether the links of an unmanaged object were neither loaded nor set.
    func isNotLoaded(in object: ObjectBase) -> Bool {
      property.isNotLoaded(at: address(in: object))
    }

    /// Returns the value with its Swift type.
    func swiftValue(of object: ObjectBase) -> Any {
      property.swiftValue(at: address(in: object), of: object)
    }

    /// Returns the value as `Any`; nil for null.
    func value(of object: ObjectBase) -> Any? {
      if property.shape.type == .any || property.shape.collection != nil {
        let value = swiftValue(of: object)
        return if let any = value as? AnyRealmValue { any.dynamicValue } else { value }
      }
      return switch content(of: object) {
      case .value(.int(let value)): property.integer(.int(value))
      case .value(let value): value.dynamicValue
      case .object(let object): object
      case .elements, .entries: nil
      }
    }
  }

  /// A property computed from links of other objects.
  struct ComputedField: Sendable {
    let name: String
    /// The offset in bytes from the start of an instance.
    let offset: Int
    let property: any PersistedProperty.Type

    func address(in object: ObjectBase) -> UnsafeMutableRawPointer {
      Unmanaged.passUnretained(object).toOpaque() + offset
    }

    /// Returns the linking objects.
    func value(of object: ObjectBase) -> Any? {
      property.swiftValue(at: address(in: object), of: object)
    }
  }

  let type: ObjectBase.Type
  let schema: ObjectSchema
  let fields: [Field]
  /// The classes of linked and embedded objects, by property.
  let objectTypes: [ObjectBase.Type?]
  /// The computed properties, in the order of the schema.
  let computed: [ComputedField]
  /// The layouts for unmanaged objects, made on first use.
  let unmanaged = Guarded<Catalogue?>(nil)
  private let template: InstanceTemplate?
  /// Whether the class is `Encodable`, so that its properties are encoded one by one.
  private let isEncodable: Bool

  private static let cache = Guarded<[ObjectIdentifier: ClassInfo]>([:])

  /// Returns the description of a class, created once per class.
  static func of(_ type: ObjectBase.Type) -> ClassInfo {
    if let info = cache.withLock({ $0[ObjectIdentifier(type)] }) { return info }
    // Outside of the lock, because the description runs the initializer of the class.
    let info = ClassInfo(type)
    return cache.withLock { cache in
      let first = cache[ObjectIdentifier(type)] ?? info
      cache[ObjectIdentifier(type)] = first
      return first
    }
  }

  /// Returns the described class with a schema; nil if there is none.
  static func type(describedBy schema: ObjectSchema) -> ObjectBase.Type? {
    cache.withLock { $0.values.first { $0.schema == schema }?.type }
  }

  /// Creates the description of a stored class that the program may not declare.
  init(stored schema: ObjectSchema) {
    type = DynamicObject.self
    self.schema = schema
    fields = []
    objectTypes = []
    computed = []
    template = nil
    isEncodable = false
  }

  private init(_ type: ObjectBase.Type) {
    self.type = type
    isEncodable = type is any Encodable.Type
    let sample = type.init()
    let mapping = type.propertiesMapping()
    let named = PropertyDeclarations(type)
    var fields: [Field] = []
    var properties: [Property] = []
    var computed: [ComputedField] = []
    var computedProperties: [Property] = []
    let declared = DeclaredProperties(of: type)
    for (name, offset, wrapper) in declared.all {
      let field = Field(name: name, offset: offset, property: wrapper)
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
    objectTypes = fields.map(\.objectType)
    self.computed = computed
    schema = ObjectSchema(
      className: type.className(), properties: properties, computedProperties: computedProperties,
      isEmbedded: type is EmbeddedObject.Type, compoundIndexes: type.compoundIndexes())
    guard declared.areAllFields, !fields.isEmpty else {
      template = nil
      return
    }
    Self.attach(sample, fields, computed)
    template = InstanceTemplate(sample)
  }

  /// Whether instances have only persisted properties, so that an instance can be reused for another row.
  var hasOnlyStoredProperties: Bool { template != nil }

  /// Returns a new instance of the class or of `DynamicObject` for a stored object.
  func makeInstance(of wanted: ObjectBase.Type, at position: ObjectPosition) -> ObjectBase {
    let (made, isAttached) = makeInstance(of: wanted)
    made.refer(to: position, self)
    if !isAttached { attach(made) }
    return made
  }

  /// Returns a new instance of the class or of `DynamicObject` for a row.
  func makeInstance(
    of wanted: ObjectBase.Type, _ table: consuming ManagedTable, _ key: ObjectKey
  ) -> ObjectBase {
    let (made, isAttached) = makeInstance(of: wanted)
    made.refer(to: key, in: table, self)
    if !isAttached { attach(made) }
    return made
  }

  /// Returns a new instance without a position, and whether its properties are bound to the store.
  @inline(__always)
  private func makeInstance(
    of wanted: ObjectBase.Type
  ) -> (made: ObjectBase, isAttached: Bool) {
    if wanted == DynamicObject.self { return (DynamicObject(), true) }
    if let made = template?.makeInstance() {
      if isEncodable { setOwner(made) }
      return (made, true)
    }
    let made = type.init()
    return (made, made is DynamicObject)
  }

  /// Returns the name of the class and of a property, for messages.
  func name(of property: Int) -> String {
    "\(schema.className).\(schema.properties[property].name)"
  }

  /// Returns the properties of an unmanaged object, except links that were neither loaded nor set.
  func loadedProperties(of object: ObjectBase) -> SpecifiedProperties {
    SpecifiedProperties(
      fields.indices.filter { !fields[$0].isNotLoaded(in: object) }, of: fields.count)
  }

  /// Whether the class is cache from the file only, so that its objects can only be read.
  var isStoredOnly: Bool { type == DynamicObject.self }

  /// Whether the class has persisted or computed properties.
  var hasProperties: Bool { !fields.isEmpty || !computed.isEmpty }

  /// Binds the properties of an instance to the store.
  func attach(_ object: ObjectBase) {
    Self.attach(object, fields, computed)
    if isEncodable { setOwner(object) }
  }

  private func setOwner(_ object: ObjectBase) {
    for field in fields { field.property.setOwner(object, at: field.address(in: object)) }
  }

  private static func attach(
    _ object: ObjectBase, _ fields: [Field], _ computed: [ComputedField]
  ) {
    for index in fields.indices { fields[index].attach(object, at: index) }
    for (index, field) in computed.enumerated() {
      field.property.attach(at: field.address(in: object), of: object, property: index)
    }
  }

  // MARK: Objects in memory

  /// Returns the class of linked or embedded objects of a property; nil for values.
  func target(of property: Property) -> ClassInfo? {
    let type = fields.lazy.compactMap(\.objectType)
      .first { $0.className() == property.objectClassName }
    return type.map(ClassInfo.of)
  }

  /// Turns a new instance into a recorder of the properties that are read from it.
  func record(_ recorder: ObjectBase) -> PropertyRecording {
    let recording = PropertyRecording()
    recorder.recording = recording
    attach(recorder)
    return recording
  }
}

extension ClassInfo {
  /// The schemas of the class and of all classes reachable through its properties.
  var reachableSchemas: [ObjectSchema] {
    var found: [ObjectSchema] = []
    var pending = [self]
    while let next = pending.popLast() {
      guard !found.contains(where: { $0.className == next.schema.className }) else { continue }
      found.append(next.schema)
      pending += next.fields.compactMap(\.objectType).map(ClassInfo.of)
    }
    return found
  }
}

extension ObjectSchema {
  /// The described Swift class; `DynamicObject` if the program does not declare the class.
  public var objectClass: AnyClass { ClassInfo.type(describedBy: self) ?? DynamicObject.self }

  /// Returns the property at the end of a path through to-one links and embedded objects, or the measure of a
  /// geometry or a date; nil for an invalid path.
  ///
  /// - Parameters:
  ///   - names: The names of the properties.
  ///   - target: Returns the schema of the class to which a property leads.
  /// - Returns: The property.
  func property(at names: [String], _ target: (Property) -> ObjectSchema?) -> Property? {
    var owner: ObjectSchema? = self
    var property: Property?
    for name in names {
      if let measured = property, measured.isMeasured {
        property = ValueMeasure(name, of: measured.type).map {
          Property(name: name, type: $0.type, isOptional: true)
        }
        continue
      }
      property = owner?[name]
      owner = property.flatMap { $0.collection == nil ? target($0) : nil }
    }
    return property
  }
}
