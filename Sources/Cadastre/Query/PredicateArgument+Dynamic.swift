import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

extension PredicateArgument {
  /// Converts a value of any type to an argument.
  ///
  /// - Throws: `QueryPredicateError` for a type without a comparison.
  init(dynamic argument: Any?) throws(QueryPredicateError) {
    if let argument, let value = DynamicValue.commonScalar(argument) {
      self = .value(value)
      return
    }
    if let object = DynamicValue.object(argument) {
      if let embedded = object as? EmbeddedObject, embedded.position == nil {
        self = .members(try ClassInfo.members(of: embedded))
      } else {
        self = .object(ObjectReference(to: object))
      }
      return
    }
    switch argument {
    case let region as any GeoRegion: self = .shape(region.shape)
    case let argument as PredicateArgument: self = argument
    case .list as AnyRealmValue, .dictionary as AnyRealmValue:
      guard
        let value = (argument as? AnyRealmValue).flatMap({
          AnyRealmValue.stored(AnyRealmValue.content(of: $0))
        })
      else {
        throw QueryPredicateError(
          .invalidArgument, "a list or map that holds objects cannot be compared with a property")
      }
      self = .value(value)
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

  /// Converts values of any type to arguments.
  static func arguments(
    _ values: [Any?]
  ) throws(QueryPredicateError) -> [PredicateArgument] {
    var arguments: [PredicateArgument] = []
    arguments.reserveCapacity(values.count)
    for value in values { arguments.append(try PredicateArgument(dynamic: value)) }
    return arguments
  }

  /// Returns the elements of a collection of any kind.
  private static func elements(_ argument: Any?) -> [Any?]? {
    if let elements = argument as? [Any?] { return elements }
    guard let sequence = argument as? any Sequence else { return nil }
    return list(sequence)
  }

  private static func list(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 as Any? } }

  private static func several(_ elements: [Any?]) throws(QueryPredicateError) -> PredicateArgument {
    let objects = elements.compactMap(DynamicValue.object)
    if !objects.isEmpty, objects.count == elements.count {
      guard !objects.contains(where: { $0 is EmbeddedObject && $0.position == nil }) else {
        throw QueryPredicateError(
          .invalidArgument,
          "a list of arguments holds an unmanaged embedded object, which has no identity: compare "
            + "with each by == instead")
      }
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
  /// Creates a reference to an object; an unmanaged object is not equal to any object.
  init(to object: ObjectBase) {
    self.init(
      className: object.objectSchema.className,
      identity: object.position?.identity ?? .unmanaged)
    store = object.position?.row.core.file.path
  }
}
