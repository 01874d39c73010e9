import CadastreModel

/// Sets properties from dynamic values.
extension ClassInfo {
  /// Returns whether a value has properties of the class.
  func canFill(from value: Any) -> Bool {
    if DynamicValue.isCommonContainer(value) { return true }
    if value is [String: Any?] || DynamicValue.object(value) != nil || value is [Any?] {
      return true
    }
    return hasProperty(in: ReflectedMembers(of: value))
  }

  private func hasProperty(in members: ReflectedMembers) -> Bool {
    members.names.contains { schema.index(of: $0) != nil }
  }

  /// Sets the properties of a new object from a value, for `Realm.create`, except its common scalars.
  ///
  /// - Returns: The specified properties, with the common scalars.
  func create(_ object: ObjectBase, from value: Any) -> SpecifiedProperties {
    create(object, from: value, ObjectCreation(target: object))
  }

  /// Sets the properties of a new object from a value from outside the program.
  ///
  /// - Returns: The specified properties.
  @discardableResult
  func create(
    _ object: ObjectBase, checking value: Any, _ check: ObjectCreation.Check
  ) throws(InvalidValueError) -> SpecifiedProperties {
    let creation = ObjectCreation(check)
    let specified = create(object, from: value, creation)
    if let failure = creation.failure { throw failure }
    return specified
  }

  private func create(
    _ object: ObjectBase, from value: Any, _ creation: ObjectCreation
  ) -> SpecifiedProperties {
    ObjectCreation.$current.withValue(creation) {
      defer { creation.fillCopies() }
      return fill(object, from: value, creation)
    }
  }

  /// Sets properties from a dictionary, an array, another object, or any value with members of the same
  /// names; returns the specified properties.
  ///
  /// Members of other names are ignored.
  @discardableResult
  func fill(
    _ object: ObjectBase, from value: Any, _ creation: ObjectCreation? = .current
  ) -> SpecifiedProperties {
    if let creation, creation.isStrict {
      return fill(object, strictlyFrom: value, creation)
    }
    return fill(object, leniently: value, creation)
  }

  /// Sets properties like ``fill(_:from:_:)``, without requirements on the keys.
  private func fill(
    _ object: ObjectBase, leniently value: Any, _ creation: ObjectCreation?
  ) -> SpecifiedProperties {
    // Before the cast to a dictionary of optionals, which converts all entries.
    if let values = DynamicValue.exactly(value, [String: Any].self) {
      return fill(object, creation) { name in values[name].map(Optional.some) }
    }
    if let source = DynamicValue.object(value) {
      let schema = source.objectSchema
      var specified = fill(object, creation, isShared: true) { name in
        schema.index(of: name).map { source.dynamicValue($0) }
      }
      if source.fetchedRow != nil {
        for index in markNotLoaded(object, as: source) { specified[index] = .nothing }
      }
      return specified
    }
    var specified = SpecifiedProperties(of: schema.properties.count)
    switch value {
    case let values as [String: Any?]:
      return fill(object, creation) { name in values[name] }
    case let values as [Any?]:
      guard values.count <= fields.count else {
        refuse(value, nil, expected: "\(fields.count) values at most") {
          "Invalid array input: it holds \(values.count) values, and '\(schema.className)' has "
            + "only \(fields.count) properties."
        }
        return specified
      }
      for (index, value) in values.enumerated() {
        specified[index] = set(index, of: object, to: value, creation)
      }
      return specified
    default:
      let members = ReflectedMembers(of: value)
      guard hasProperty(in: members) else {
        refuse(value, nil, expected: "a dictionary, an array or an object") {
          "Invalid value '\(value)' to initialize object of type '\(schema.className)': give a "
            + "dictionary, an array or an object."
        }
        return specified
      }
      return fill(object, creation) { name in members[name].map(Optional.some) }
    }
  }

  /// Marks the links of a copy as not loaded where the source has not loaded them; returns the
  /// marked properties.
  private func markNotLoaded(_ copy: ObjectBase, as source: ObjectBase) -> [Int] {
    let unknown = fields.indices.filter { index in
      source.field(named: fields[index].name)?.isNotLoaded(in: source) ?? false
    }
    for index in unknown { fields[index].markNotLoaded(in: copy) }
    return unknown
  }

  private func fill(
    _ object: ObjectBase, _ creation: ObjectCreation?, isShared: Bool = false,
    from value: (String) -> Any??
  ) -> SpecifiedProperties {
    let properties = schema.properties
    var specified = SpecifiedProperties(of: properties.count)
    for index in properties.indices {
      guard let value = value(properties[index].name) else { continue }
      specified[index] = set(index, of: object, to: value, isShared: isShared, creation)
    }
    return specified
  }

  /// Sets a property to a specified value, except a common scalar of the target of the creation.
  ///
  /// - Parameters:
  ///   - index: The property.
  ///   - object: The object.
  ///   - value: The value.
  ///   - isShared: Whether the value belongs to another object.
  ///   - creation: The call of `Realm.create` in which the object is created; nil outside of one.
  /// - Returns: What the value specifies of the property.
  private func set(
    _ index: Int, of object: ObjectBase, to value: Any?, isShared: Bool = false,
    _ creation: ObjectCreation?
  ) -> SpecifiedProperties.Content {
    if let creation, creation.target === object {
      if let value, let plain = plainValue(value, index) { return .value(plain) }
      // A mapped type may refuse the value, which the row stores nevertheless.
      if !creation.isChecking, !fields[index].holdsCommonScalars,
        let stored = storedValue(value, index)
      {
        return .value(stored)
      }
    }
    let value = given(value, index, isShared: isShared, creation)
    guard let creation, isMapped(index) else {
      setChecked(index, of: object, to: value, creation)
      return .set(members: nil)
    }
    return .set(members: creation.members { setChecked(index, of: object, to: value, creation) })
  }

  /// Sets a property, with the property's path if values are checked.
  private func setChecked(
    _ index: Int, of object: ObjectBase, to value: Any?, _ creation: ObjectCreation?
  ) {
    guard let creation, creation.isChecking else { return set(index, of: object, to: value) }
    let property = schema.properties[index]
    creation.at(.property(property.name)) {
      guard !creation.isStrict || property.collection == nil || !DynamicValue.isNull(value)
      else { return refuse(value, index) }
      set(index, of: object, to: value)
      creation.forgetUnfit()
    }
  }

  /// Whether the values of a property are mapped to an embedded object.
  private func isMapped(_ index: Int) -> Bool {
    fields.indices.contains(index) && fields[index].mapsObject
  }

  /// Whether a property is a link or an embedded object, mapped or not.
  private func isSingleObject(_ index: Int) -> Bool {
    fields.indices.contains(index) && fields[index].objectType != nil
      && schema.properties[index].collection == nil
  }

  /// Returns the stored form of a common scalar of exactly the type of a property; nil for other values.
  func plainValue(_ value: Any, _ index: Int) -> Value? {
    guard fields[index].holdsCommonScalars, let stored = DynamicValue.commonScalar(value),
      stored.type == schema.properties[index].type
    else { return nil }
    return stored
  }

  /// Returns the value of a property in which copies replace the objects that must not change.
  private func given(
    _ value: Any?, _ index: Int, isShared: Bool, _ creation: ObjectCreation?
  ) -> Any? {
    guard let value, !DynamicValue.isCommonScalar(value), !DynamicValue.isCommonArray(value) else {
      return value
    }
    creation?.beginValue()
    // Returns the converted dictionary, because each later cast of the original would convert its entries
    // again.
    let values = DynamicValue.commonDictionary(value)
    if let values, isSingleObject(index) { return values }
    if let object = DynamicValue.object(value) {
      return Self.copy(ifNeeded: object, isShared: isShared, creation)
    }
    // Before the casts to collections of optionals, which convert all elements.
    if !DynamicValue.isInstance(value), let values = values ?? value as? [String: Any] {
      guard values.values.contains(where: { DynamicValue.object($0) != nil }) else { return values }
    } else if let values = DynamicValue.exactly(value, [Any].self) {
      guard values.contains(where: { DynamicValue.object($0) != nil }) else { return value }
    }
    switch value {
    case let elements as [Any?]: return replaced(elements, isShared, creation) ?? value
    case let values as [String: Any?]: return replaced(Array(values), isShared, creation) ?? value
    case let map as any DynamicMap: return replaced(map.dynamicEntries, isShared, creation) ?? value
    case let collection as any RealmCollection:
      return replaced(DynamicValue.elements(of: collection), isShared, creation) ?? value
    default: return value
    }
  }

  /// Returns the elements with copies of objects; nil if no copy is needed.
  private func replaced(
    _ elements: [Any?], _ isShared: Bool, _ creation: ObjectCreation?
  ) -> [Any?]? {
    let objects = elements.map(DynamicValue.object)
    guard objects.contains(where: { $0.map { Self.needsCopy($0, isShared, creation) } ?? false })
    else { return nil }
    return zip(elements, objects).map { element, object in
      object.map { Self.copy(ifNeeded: $0, isShared: isShared, creation) } ?? element
    }
  }

  /// Returns the entries with copies of objects; nil if no copy is needed.
  private func replaced(
    _ entries: [(String, Any?)], _ isShared: Bool, _ creation: ObjectCreation?
  ) -> [String: Any?]? {
    replaced(entries.map(\.1), isShared, creation).map { values in
      Dictionary(zip(entries.map(\.0), values), uniquingKeysWith: { $1 })
    }
  }

  /// Returns whether an object is copied: an embedded object has only one owner, and `Realm.create` does not
  /// change unmanaged objects.
  private static func needsCopy(
    _ object: ObjectBase, _ isShared: Bool, _ creation: ObjectCreation?
  ) -> Bool {
    if object is EmbeddedObject, isShared || object.position != nil { return true }
    return creation != nil && object.position == nil
  }

  private static func copy(
    ifNeeded object: ObjectBase, isShared: Bool, _ creation: ObjectCreation?
  ) -> ObjectBase {
    guard needsCopy(object, isShared, creation) else { return object }
    if let creation { return creation.copy(of: object) }
    let type = Swift.type(of: object)
    let copy = type.init()
    ClassInfo.of(type).fill(copy, from: object)
    return copy
  }

  func set(_ index: Int, of object: ObjectBase, to value: Any?) {
    if object is DynamicObject {
      if !object.setDynamically(index, to: value) { refuse(value, index) }
      return
    }
    if object.rowTable != nil, let stored = storedValue(value, index) {
      object.setStoredValue(stored, index)
      return
    }
    guard !fields[index].set(object, to: value) else { return }
    // An optional property reads a value of the stored type that its mapping refuses as nil.
    guard !ObjectCreation.isChecking, schema.properties[index].isOptional,
      storedValue(value, index) != nil, fields[index].set(object, to: nil)
    else { return refuse(value, index) }
  }

  private func refuse(_ value: Any?, _ index: Int) {
    let property = schema.properties[index]
    refuse(value, property.name, expected: expected(index)) {
      let found = value.map { "'\($0)' of type '\(Swift.type(of: $0))'" } ?? "nil"
      return "Invalid value \(found) for '\(property.typeDescription)' property "
        + "'\(schema.className).\(property.name)'."
    }
  }

  /// Describes the values that a property accepts.
  func expected(_ index: Int) -> String {
    guard fields.indices.contains(index) else {
      return "a value of type \(schema.properties[index].typeDescription)"
    }
    return ExpectedValue.text(of: fields[index].property.valueType)
  }

  /// Records an invalid value from outside the program; an invalid value of the program stops the process.
  private func refuse(
    _ value: Any?, _ property: String?, expected: @autoclosure () -> String,
    _ sentence: () -> String
  ) {
    guard let creation = ObjectCreation.checking else { ProgrammingError.stop(sentence()) }
    creation.note(schema.className, property, value, expected: expected())
  }

  /// Returns a value that the column can store without conversion, even if the Swift type of the property
  /// rejects it; nil for other values.
  func storedValue(_ value: Any?, _ index: Int) -> Value? {
    let property = schema.properties[index]
    guard !fields[index].holdsNarrowInteger, property.type != .object, property.type != .any,
      property.collection == nil, let stored = DynamicValue.value(value),
      stored.isNull ? property.isOptional : stored.type == property.type
    else { return nil }
    return stored
  }
}

/// The members of a value of any type by name, inherited ones included.
private struct ReflectedMembers {
  private var values: [String: Any] = [:]

  init(of value: Any) {
    var mirror: Mirror? = Mirror(reflecting: value)
    while let current = mirror {
      for case (let label?, let member) in current.children where values[label] == nil {
        values[label] = member
      }
      mirror = current.superclassMirror
    }
  }

  var names: some Collection<String> { values.keys }

  subscript(name: String) -> Any? { values[name] }
}

/// Strict checks of dictionaries from outside the program.
extension ClassInfo {
  /// Sets properties from a dictionary with all required keys and no unknown ones; returns the specified
  /// properties.
  private func fill(
    _ object: ObjectBase, strictlyFrom value: Any, _ creation: ObjectCreation
  ) -> SpecifiedProperties {
    // An object has all properties of its class.
    if DynamicValue.object(value) != nil { return fill(object, leniently: value, creation) }
    guard let values = value as? [String: Any?] else {
      creation.note(
        schema.className, nil, value, expected: "an object with the keys \(keyNames)")
      return SpecifiedProperties(of: schema.properties.count)
    }
    for key in values.keys.sorted() where schema.index(of: key) == nil {
      creation.at(.property(key)) {
        creation.note(
          schema.className, key, nil, expected: "one of \(keyNames)", kind: .unknownKey)
      }
    }
    let specified = fill(object, leniently: value, creation)
    if creation.failure == nil { checkRequired(specified, of: object, creation) }
    if creation.failure == nil, schema.isPointShaped { checkPoint(object, creation) }
    return specified
  }

  private var keyNames: String { schema.properties.map(\.name).joined(separator: ", ") }

  /// Records the first missing required property; an updated object keeps its value.
  private func checkRequired(
    _ specified: SpecifiedProperties, of object: ObjectBase, _ creation: ObjectCreation
  ) {
    let missing = schema.properties.indices.first { index in
      !specified.contains(index) && !schema.properties[index].mayBeMissing
    }
    guard let missing, !isUpdated(object, specified, creation) else { return }
    let name = schema.properties[missing].name
    creation.at(.property(name)) {
      creation.note(
        schema.className, name, nil, expected: expected(missing), kind: .missingKey)
    }
  }

  private func isUpdated(
    _ object: ObjectBase, _ specified: SpecifiedProperties, _ creation: ObjectCreation
  ) -> Bool {
    guard let index = schema.properties.firstIndex(where: \.isPrimaryKey),
      specified.contains(index),
      let key = fields[index].content(of: object).value
    else { return false }
    return creation.updates(schema.className, key)
  }

  /// Records the invalid properties of an embedded object in the shape of a GeoJSON point.
  private func checkPoint(_ object: ObjectBase, _ creation: ObjectCreation) {
    let (typeName, coordinatesName) = (
      ObjectSchema.pointTypeName, ObjectSchema.pointCoordinatesName
    )
    guard case .value(.string(let type))? = object.content(of: typeName),
      type == PointShape.typeName
    else {
      return creation.at(.property(typeName)) {
        creation.note(
          schema.className, typeName, object.content(of: typeName)?.value?.dynamicValue,
          expected: "'\(PointShape.typeName)'")
      }
    }
    guard case .elements(let elements)? = object.content(of: coordinatesName) else { return }
    let coordinates = elements.compactMap { $0.value?.doubleValue }
    guard PointShape.location(type: type, coordinates: coordinates) == nil || coordinates.count > 3
    else { return }
    creation.at(.property(coordinatesName)) {
      creation.note(
        schema.className, coordinatesName, coordinates,
        expected: "a longitude from -180 to 180, a latitude from -90 to 90, and maybe an altitude")
    }
  }
}

extension Property {
  /// Whether a strict dictionary may omit the property, because null is a valid value.
  fileprivate var mayBeMissing: Bool { collection == nil && (isOptional || type == .any) }
}
