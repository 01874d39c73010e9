import CadastreModel
public import CadastrePredicate

extension Query where Value: Persistable {
  /// Equal to a value.
  ///
  /// Managed objects, embedded ones too, are equal to themselves only, so one that was deleted, or
  /// an ``Object`` that no Realm manages, is equal to nothing. An embedded object that no Realm
  /// manages, and a value that is mapped to an embedded object, are compared member by member; see
  /// `equalsMemberwise(_:)` for doing so with a managed embedded object.
  public static func == (query: Query, value: Value) -> Query<Bool> {
    query.compared(.equal, value)
  }

  /// Not equal to a value.
  public static func != (query: Query, value: Value) -> Query<Bool> {
    query.compared(.notEqual, value)
  }

  /// Equal to another property.
  public static func == (query: Query, other: Query) -> Query<Bool> {
    query.compared(.equal, with: other)
  }

  /// Not equal to another property.
  public static func != (query: Query, other: Query) -> Query<Bool> {
    query.compared(.notEqual, with: other)
  }

  /// Equal to one of some values; to none of no values.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
  where Values.Element == Value {
    among(values)
  }
}

extension Query where Value: QueryableCollection {
  /// Has an element that is equal to a value; beside a mapped embedded object, in all its members.
  public static func == (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(.equal, element)
  }

  /// Has an element that is not equal to a value.
  ///
  /// Beside a mapped value of an embedded class it means that there are elements, and that none of
  /// them is equal.
  public static func != (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(.notEqual, element)
  }

  /// Has an element that is equal to another property.
  public static func == (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.equal, with: other)
  }

  /// Has an element that is not equal to another property.
  public static func != (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.notEqual, with: other)
  }

  /// Has an element that is equal to one of some values.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
  where Values.Element == Value.QueryElement {
    among(values)
  }
}

/// Comparison of embedded objects by their members.
///
/// With `==` a managed embedded object is equal to itself only, and an unmanaged one, which has no
/// identity, is compared by its members. These conditions compare the members of both:
///
///     realm.objects(Person.self).where { $0.address.equalsMemberwise(person.address) }
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
    Query<Bool>(queryPath.memberwise(.equal, QueryConstant.members(of: object)))
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
  /// Returns the members of an embedded object, to be compared with those of others one by one.
  public static func memberwise(_ object: EmbeddedObject) -> PredicateArgument {
    .members(QueryConstant.members(of: object))
  }
}

extension ClassInfo {
  /// Returns the members of an embedded object, to be compared one by one.
  ///
  /// - Throws: `QueryPredicateError` for members that have no equality.
  static func members(
    of object: EmbeddedObject
  ) throws(QueryPredicateError) -> [EmbeddedMember] {
    var members: [EmbeddedMember] = []
    for field in object.classInfo.fields {
      members.append(EmbeddedMember(field.name, try operand(of: field, in: object)))
    }
    return members
  }

  private static func operand(
    of field: Field, in object: EmbeddedObject
  ) throws(QueryPredicateError) -> PredicateArgument {
    if let type = field.objectType, !(type is EmbeddedObject.Type) {
      throw refusal(field, "object links are not implemented")
    }
    switch field.content(of: object) {
    case .value(let value): return .value(value)
    case .elements(let elements)
    where object.objectSchema.isPointShaped && field.name == ObjectSchema.pointCoordinatesName:
      return .list(elements.compactMap(\.value))
    case .elements, .entries:
      throw refusal(field, "equality on collections is not implemented")
    case .object(let inner as EmbeddedObject): return .members(try members(of: inner))
    case .object: throw refusal(field, "objects in values of any type are not implemented")
    }
  }

  private static func refusal(_ field: Field, _ reason: String) -> QueryPredicateError {
    QueryPredicateError(
      .invalidArgument, "Embedded objects cannot be compared by '\(field.name)': \(reason).")
  }
}
