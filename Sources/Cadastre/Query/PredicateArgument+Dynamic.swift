import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

extension PredicateArgument {
  /// The argument that a value of any type stands for.
  ///
  /// - Throws: ``QueryPredicateError`` for a type that no property can be compared with.
  init(dynamic argument: Any?) throws(QueryPredicateError) {
    switch argument {
    case let region as any GeoRegion: self = .shape(region.shape)
    case let object as Object: self = .object(ObjectReference(to: object))
    case let object as EmbeddedObject: self = .members(try ClassInfo.members(of: object))
    case let argument as PredicateArgument: self = argument
    default:
      if let value = DynamicValue.value(argument) {
        self = .value(value)
      } else if let mapped = argument as? any Persistable,
        case .object(let embedded as EmbeddedObject) = DynamicValue.content(of: mapped)
      {
        self = .members(try ClassInfo.members(of: embedded))
      } else if let elements = Self.elements(argument) {
        self = try Self.several(elements)
      } else {
        throw QueryPredicateError(
          .invalidArgument,
          "an argument of type '\(argument.map { "\(type(of: $0))" } ?? "nil")' cannot be "
            + "compared with a property")
      }
    }
  }

  /// The elements of a collection of any kind.
  private static func elements(_ argument: Any?) -> [Any?]? {
    if let elements = argument as? [Any?] { return elements }
    guard let sequence = argument as? any Sequence else { return nil }
    return list(sequence)
  }

  private static func list(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 as Any? } }

  private static func several(_ elements: [Any?]) throws(QueryPredicateError) -> PredicateArgument {
    let objects = elements.compactMap { $0 as? Object }
    if !objects.isEmpty, objects.count == elements.count {
      return .objects(objects.map(ObjectReference.init(to:)))
    }
    return .list(try values(elements))
  }

  private static func values(_ elements: [Any?]) throws(QueryPredicateError) -> [Value] {
    var values: [Value] = []
    for element in elements {
      guard let value = DynamicValue.value(element) else {
        throw QueryPredicateError(
          .invalidArgument, "a list of arguments holds '\(element ?? "nil")', which is no value")
      }
      values.append(value)
    }
    return values
  }
}

extension ObjectReference {
  /// Refers to an object; one that no Realm manages is equal to nothing.
  init(to object: Object) {
    let isStored = object.position?.isValid == true
    self.init(
      className: type(of: object).className(),
      identity: isStored ? object.position.map { .key($0.row.key) } ?? .unmanaged : .unmanaged)
    store = object.position?.row.core.file.path
  }
}

extension ClassInfo {
  /// The members of an embedded object, to be compared one by one.
  ///
  /// - Throws: ``QueryPredicateError`` when a member is a collection, but for the coordinates of a
  ///   point.
  static func members(
    of object: EmbeddedObject
  ) throws(QueryPredicateError) -> [EmbeddedMember] {
    let schema = object.classInfo.schema
    var members: [EmbeddedMember] = []
    for field in object.classInfo.fields {
      let isCoordinates =
        schema.isPointShaped && field.name == ObjectSchema.pointCoordinatesName
      guard field.property.shape.collection == nil || isCoordinates else {
        throw QueryPredicateError(
          .invalidArgument,
          "Embedded objects of '\(schema.className)' cannot be compared by their member "
            + "'\(field.name)': equality on collections is not implemented.")
      }
      let content = field.property.content(at: field.address(in: object), of: object)
      members.append(EmbeddedMember(field.name, try argument(content)))
    }
    return members
  }

  private static func argument(
    _ content: PropertyContent
  ) throws(QueryPredicateError) -> PredicateArgument {
    switch content {
    case .value(let value): .value(value)
    case .elements(let elements): .list(elements.compactMap(\.value))
    case .entries: .list([])
    case .object(let inner as EmbeddedObject): .members(try members(of: inner))
    case .object(let linked):
      .object(
        ObjectReference(className: Swift.type(of: linked).className(), identity: .unmanaged))
    }
  }
}
