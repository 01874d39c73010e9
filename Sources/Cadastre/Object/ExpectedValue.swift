import CadastreModel

/// The values that a type of property takes, in words for messages.
enum ExpectedValue {
  /// The number of cases of an enumeration that are named.
  private static let maximumCases = 20

  /// Describes the values of the type of a property or an element.
  static func text(of type: Any.Type) -> String {
    if let optional = type as? any OptionalValue.Type {
      return text(of: optional.wrappedType) + ", or null"
    }
    if let type = type as? any PersistableEnum.Type { return cases(of: type) }
    if let type = type as? any IntegerPersistable.Type { return range(of: type) }
    if let type = type as? any FailableCustomPersistable.Type { return mapping(of: type) }
    if let type = type as? any Persistable.Type { return text(of: type.propertyShape) }
    return "\(type)"
  }

  private static func cases<Enumeration: PersistableEnum>(of type: Enumeration.Type) -> String {
    let values = type.allCases.map { value in
      if case .string(let text) = value.storedValue { "'\(text)'" } else { "\(value.rawValue)" }
    }
    let more = values.count > maximumCases ? " and \(values.count - maximumCases) more" : ""
    return "\(type), one of " + values.prefix(maximumCases).joined(separator: ", ") + more
  }

  private static func range<Integer: IntegerPersistable>(of type: Integer.Type) -> String {
    "\(type), a whole number from \(type.min) to \(type.max)"
  }

  private static func mapping<Mapped: FailableCustomPersistable>(of type: Mapped.Type) -> String {
    "\(type), which is stored as \(text(of: Mapped.PersistedType.self))"
  }

  private static func text(of shape: PropertyShape) -> String {
    let element = shape.objectType?.className() ?? shape.type.description
    switch shape.collection {
    case .list: return "an array, for a list of \(element)"
    case .set: return "an array of single values, for a set of \(element)"
    case .map:
      return "an object, for a map of \(element); its keys have no '.' and do not begin with '$'"
    case nil: break
    }
    if let type = shape.objectType { return object(type) }
    return "a value of type \(element)" + form(of: shape.type)
  }

  private static func object(_ type: ObjectBase.Type) -> String {
    let key = ClassInfo.of(type).schema.primaryKeyProperty
    return "an object of type '\(type.className())'" + (key == nil ? "" : ", or its primary key")
  }

  /// The form of a type that JSON does not have.
  private static func form(of type: PropertyType) -> String {
    switch type {
    case .date: ", such as a text in ISO 8601"
    case .data: ", such as a text in base64"
    case .objectId: ", such as a text of 24 hexadecimal digits"
    case .decimal128: ", such as a number or the text of one"
    case .geometry: ", as GeoJSON or the text of WKT"
    case .any:
      ": a single value, or at most \(Value.maximumDepth) levels of arrays, and of objects whose keys "
        + "have no '.' and do not begin with '$'"
    case .bool, .int, .float, .double, .string, .UUID, .object, .linkingObjects: ""
    }
  }
}
