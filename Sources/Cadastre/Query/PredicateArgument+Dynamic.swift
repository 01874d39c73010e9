import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

extension PredicateArgument {
  /// Converts a value of any type to an argument.
  ///
  /// - Throws: `QueryPredicateError` for a type without a comparison.
  init(dynamic argument: Any?) throws(QueryPredicateError) {
    if let object = DynamicValue.object(argument) {
      self = PredicateArgument(.object(object))
      return
    }
    switch argument {
    case let region as any GeoRegion: self = .shape(region.shape)
    case let argument as PredicateArgument: self = argument
    case let value as AnyRealmValue:
      self = PredicateArgument(AnyRealmValue.content(of: value), isMixed: true)
    default:
      if let value = DynamicValue.value(argument) {
        self = .value(value)
      } else if let mapped = argument as? any Persistable,
        case .object(let embedded as EmbeddedObject) = DynamicValue.content(of: mapped)
      {
        self = .members(ClassInfo.members(of: embedded))
      } else if let entries = try Self.entries(argument) {
        self = PredicateArgument(entries: entries)
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
    for index in values.indices {
      // Most arguments are scalars, and each further copy takes as long as their conversion.
      if let value = values[index], let scalar = DynamicValue.commonScalar(value) {
        arguments.append(.value(scalar))
      } else {
        arguments.append(try PredicateArgument(dynamic: values[index]))
      }
    }
    return arguments
  }

  /// Returns the elements of a collection of any kind.
  private static func elements(_ argument: Any?) -> [Any?]? {
    if let elements = argument as? [Any?] { return elements }
    guard let sequence = argument as? any Sequence else { return nil }
    return list(sequence)
  }

  private static func list(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 as Any? } }

  /// Returns the entries of a dictionary or a map; nil for other arguments.
  private static func entries(_ argument: Any?) throws(QueryPredicateError) -> [EmbeddedMember]? {
    let pairs: [(String, Any?)]
    if let dictionary = argument as? [String: Any?] {
      pairs = dictionary.map { ($0.key, $0.value) }
    } else if let map = argument as? any DynamicMap {
      pairs = map.dynamicEntries
    } else {
      return nil
    }
    var entries: [EmbeddedMember] = []
    for (key, value) in pairs {
      if let embedded = DynamicValue.object(value) as? EmbeddedObject {
        entries.append(EmbeddedMember(key, .memberwise(embedded)))
      } else {
        entries.append(EmbeddedMember(key, try PredicateArgument(dynamic: value)))
      }
    }
    return entries
  }

  private static func several(_ elements: [Any?]) throws(QueryPredicateError) -> PredicateArgument {
    if let values = values(elements) { return .list(values) }
    var arguments: [PredicateArgument] = []
    arguments.reserveCapacity(elements.count)
    for element in elements {
      guard
        DynamicValue.value(element) != nil || DynamicValue.object(element) != nil
          || element is any Persistable || element is PredicateArgument
      else {
        throw QueryPredicateError(
          .invalidArgument, "a list of arguments holds '\(element ?? "nil")', which is no value")
      }
      arguments.append(try PredicateArgument(dynamic: element))
    }
    return PredicateArgument(elements: arguments)
  }

  /// Returns elements as values; nil if one of them is no value.
  private static func values(_ elements: [Any?]) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      guard let value = DynamicValue.value(element) else { return nil }
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
