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
    case let object as EmbeddedObject: self = .members(ClassInfo.members(of: object))
    case let argument as PredicateArgument: self = argument
    default:
      if let value = DynamicValue.value(argument) {
        self = .value(value)
      } else if let mapped = argument as? any Persistable,
        case .object(let embedded as EmbeddedObject) = DynamicValue.content(of: mapped)
      {
        self = .members(ClassInfo.members(of: embedded))
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
    (argument as? [Any?]) ?? (argument as? any Sequence).map { $0.map { $0 as Any? } }
  }

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
  static func members(of object: EmbeddedObject) -> [EmbeddedMember] {
    ClassInfo.of(Swift.type(of: object)).fields.map { field in
      let content = field.property.content(at: field.address(in: object), of: object)
      return switch content {
      case .value(let value): EmbeddedMember(field.name, .value(value))
      case .coordinates(let values): EmbeddedMember(field.name, .list(values.map(Value.double)))
      case .object(let inner as EmbeddedObject):
        EmbeddedMember(field.name, .members(members(of: inner)))
      case .object(let linked):
        EmbeddedMember(
          field.name,
          .object(
            ObjectReference(className: Swift.type(of: linked).className(), identity: .unmanaged)))
      }
    }
  }
}
