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
    switch content {
    case .value(let value): self = .value(value)
    case .object(let object as EmbeddedObject) where isMemberwise || object.position == nil:
      self = .members(ClassInfo.members(of: object))
    case .object(let object): self = .object(ObjectReference(to: object))
    case .elements(let contents):
      let elements = contents.map {
        PredicateArgument($0, isMixed: true, isMemberwise: isMemberwise)
      }
      self = isMixed ? PredicateArgument(list: elements) : PredicateArgument(elements: elements)
    case .entries(let contents):
      self = PredicateArgument(
        entries: contents.map { key, content in
          EmbeddedMember(
            key, PredicateArgument(content, isMixed: true, isMemberwise: isMemberwise))
        })
    }
  }
}

extension ClassInfo {
  /// Returns the members of an embedded object for a memberwise comparison.
  static func members(of object: EmbeddedObject) -> [EmbeddedMember] {
    object.classInfo.fields.map { field in
      let shape = field.property.shape
      return EmbeddedMember(
        field.name,
        PredicateArgument(
          field.content(of: object), isMixed: shape.type == .any && shape.collection == nil,
          isMemberwise: true))
    }
  }
}
