import CadastreModel

/// Values from outside the program whose keys must be complete and known.
extension ClassInfo {
  /// Sets properties from a dictionary that names all required ones, and no others; returns which it named.
  func fill(
    _ object: ObjectBase, strictlyFrom value: Any, _ creation: ObjectCreation
  ) -> Set<Int> {
    // An object has all properties of its class.
    if DynamicValue.object(value) != nil { return fill(object, leniently: value) }
    guard let values = value as? [String: Any?] else {
      creation.note(
        schema.className, nil, value, expected: "an object with the keys \(keyNames)")
      return []
    }
    for key in values.keys.sorted() where schema.index(of: key) == nil {
      creation.at(.property(key)) {
        creation.note(
          schema.className, key, nil, expected: "one of \(keyNames)", kind: .unknownKey)
      }
    }
    let named = fill(object, leniently: value)
    if creation.failure == nil { checkRequired(named, of: object, creation) }
    if creation.failure == nil, schema.isPointShaped { checkPoint(object, creation) }
    return named
  }

  private var keyNames: String { schema.properties.map(\.name).joined(separator: ", ") }

  /// Notes the first required property that was not named; an object that is updated keeps its value.
  private func checkRequired(_ named: Set<Int>, of object: ObjectBase, _ creation: ObjectCreation) {
    let missing = schema.properties.indices.first { index in
      !named.contains(index) && !schema.properties[index].mayBeMissing
    }
    guard let missing, !isUpdated(object, named, creation) else { return }
    let name = schema.properties[missing].name
    creation.at(.property(name)) {
      creation.note(
        schema.className, name, nil, expected: expected(missing), kind: .missingKey)
    }
  }

  private func isUpdated(
    _ object: ObjectBase, _ named: Set<Int>, _ creation: ObjectCreation
  ) -> Bool {
    guard let index = schema.properties.firstIndex(where: \.isPrimaryKey), named.contains(index),
      let key = fields[index].content(of: object).value
    else { return false }
    return creation.updates(schema.className, key)
  }

  /// Notes the properties of an embedded object in the shape of a GeoJSON point that are none.
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
  /// Whether a strict value may leave the property out: null is one of its values.
  fileprivate var mayBeMissing: Bool { collection == nil && (isOptional || type == .any) }
}
