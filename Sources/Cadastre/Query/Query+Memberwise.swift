import CadastreModel
public import CadastrePredicate

/// Comparison of embedded objects by their members.
///
/// With `==` a managed embedded object is equal to itself only. These conditions compare its
/// members, also with an unmanaged object:
///
///     let home = Address(value: ["street": "Rue A", "city": "Orly"])
///     realm.objects(Person.self).where { $0.address.equalsMemberwise(home) }
///     realm.objects(Person.self).filter("address == %@", PredicateArgument.memberwise(home))
///
/// Members that are links, or collections other than the coordinates of a point, stop the process:
/// they have no equality.
extension Query where Value: EmbeddedObject {
  /// Holds an embedded object whose members are all equal to those of another one.
  public func equalsMemberwise(_ object: Value) -> Query<Bool> { holdsMemberwise(object) }
}

extension Query {
  /// Holds an embedded object whose members are all equal to those of another one; null does not.
  public func equalsMemberwise<Embedded: EmbeddedObject>(_ object: Embedded) -> Query<Bool>
  where Value == Embedded? { holdsMemberwise(object) }

  fileprivate func holdsMemberwise(_ object: EmbeddedObject) -> Query<Bool> {
    Query<Bool>(way.memberwise(.equal, ClassInfo.members(of: object)))
  }
}

extension Query where Value: QueryableCollection {
  /// Has an element whose members are all equal to those of another embedded object.
  public func equalsMemberwise<Embedded: EmbeddedObject>(_ object: Embedded) -> Query<Bool>
  where Value.QueryElement == Embedded { holdsMemberwise(object) }

  /// Has an element whose members are all equal to those of another embedded object.
  public func equalsMemberwise<Embedded: EmbeddedObject>(_ object: Embedded) -> Query<Bool>
  where Value.QueryElement == Embedded? { holdsMemberwise(object) }
}

extension PredicateArgument {
  /// The members of an embedded object, to be compared with those of others one by one.
  public static func memberwise(_ object: EmbeddedObject) -> PredicateArgument {
    .members(ClassInfo.members(of: object))
  }
}

extension ClassInfo {
  /// The members of an embedded object, to be compared one by one.
  static func members(of object: EmbeddedObject) -> [EmbeddedMember] {
    object.classInfo.fields.map { field in
      let content = field.property.content(at: field.address(in: object), of: object)
      return switch content {
      case .value(let value): EmbeddedMember(field.name, .value(value))
      case .elements(let elements)
      where object.objectSchema.isPointShaped && field.name == ObjectSchema.pointCoordinatesName:
        EmbeddedMember(field.name, .list(elements.compactMap(\.value)))
      case .elements, .entries:
        ProgrammingError.stop(
          "Embedded objects cannot be compared by '\(field.name)': equality on collections is not "
            + "implemented.")
      case .object(let inner as EmbeddedObject):
        EmbeddedMember(field.name, .members(members(of: inner)))
      case .object:
        ProgrammingError.stop(
          "Embedded objects cannot be compared by '\(field.name)': object links are not implemented."
        )
      }
    }
  }
}
