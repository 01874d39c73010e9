import CadastreModel
import CadastrePredicate

extension PredicateArgument {
  /// Converts the content of a property, or of an element, to an argument.
  ///
  /// - Parameters:
  ///   - content: The content.
  ///   - isMixed: Whether lists and maps are values of any type.
  ///   - isMemberwise: Whether managed embedded objects are compared member by member; otherwise they are
  ///     equal only to themselves.
  init(_ content: PropertyContent, isMixed: Bool = false, isMemberwise: Bool = false) {
    var conversion = ContentConversion()
    self = conversion.argument(content, isMixed: isMixed, isMemberwise: isMemberwise, level: 0)
  }
}

extension ClassInfo {
  /// Returns the members of an embedded object for a memberwise comparison.
  static func members(of object: EmbeddedObject) -> [EmbeddedMember] {
    var conversion = ContentConversion()
    return conversion.members(of: object, level: 0)
  }
}

/// The conversion of contents to arguments.
///
/// An unmanaged embedded object may contain itself. The conversion ends where the number of levels or of members exceeds
/// its limit, and binding refuses the argument.
private struct ContentConversion {
  /// The number of members of all embedded objects so far.
  private var memberCount = 0

  mutating func argument(
    _ content: PropertyContent, isMixed: Bool, isMemberwise: Bool, level: Int
  ) -> PredicateArgument {
    switch content {
    case .value(let value): return .value(value)
    case .object(let object as EmbeddedObject) where isMemberwise || object.position == nil:
      return .members(members(of: object, level: level))
    case .object(let object): return .object(ObjectReference(to: object))
    case .elements(let contents):
      var elements: [PredicateArgument] = []
      elements.reserveCapacity(contents.count)
      for content in contents {
        elements.append(
          argument(content, isMixed: true, isMemberwise: isMemberwise, level: level))
      }
      return isMixed ? PredicateArgument(list: elements) : PredicateArgument(elements: elements)
    case .entries(let contents):
      var entries: [EmbeddedMember] = []
      for (key, content) in contents {
        entries.append(
          EmbeddedMember(
            key, argument(content, isMixed: true, isMemberwise: isMemberwise, level: level)))
      }
      return PredicateArgument(entries: entries)
    }
  }

  /// Returns the members of an object inside `level` other ones; none beyond the limits.
  mutating func members(of object: EmbeddedObject, level: Int) -> [EmbeddedMember] {
    guard level < PredicateArgument.maximumLevels,
      memberCount <= PredicateArgument.maximumMembers
    else { return [] }
    let fields = object.classInfo.fields
    memberCount += fields.count
    var members: [EmbeddedMember] = []
    members.reserveCapacity(fields.count)
    for field in fields {
      let shape = field.property.shape
      members.append(
        EmbeddedMember(
          field.name,
          argument(
            field.content(of: object), isMixed: shape.type == .any && shape.collection == nil,
            isMemberwise: true, level: level + 1)))
    }
    return members
  }
}
