import CadastreModel
public import CadastrePredicate

extension Query where Value: Persistable {
  /// Matches values equal to a value.
  ///
  /// A managed object, also an embedded one, is equal only to itself. A deleted object or an unmanaged
  /// ``Object`` matches nothing. An unmanaged embedded object, and a value mapped to an embedded object,
  /// compare member by member; `equalsMemberwise(_:)` compares the members of a managed embedded object.
  public static func == (query: Query, value: Value) -> Query<Bool> {
    query.compared(.equal, value)
  }

  /// Matches values not equal to a value.
  public static func != (query: Query, value: Value) -> Query<Bool> {
    query.compared(.notEqual, value)
  }

  /// Matches values equal to another property.
  public static func == (query: Query, other: Query) -> Query<Bool> {
    query.compared(.equal, with: other)
  }

  /// Matches values not equal to another property.
  public static func != (query: Query, other: Query) -> Query<Bool> {
    query.compared(.notEqual, with: other)
  }

  /// Matches values equal to one of `values`; an empty sequence matches nothing.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
  where Values.Element == Value {
    among(values)
  }
}

extension Query where Value: QueryableCollection {
  /// Matches collections with an element equal to a value; a mapped embedded object compares member by
  /// member.
  public static func == (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(.equal, element)
  }

  /// Matches collections with an element not equal to a value.
  ///
  /// For a value mapped to an embedded object, matches nonempty collections without an equal element.
  public static func != (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(.notEqual, element)
  }

  /// Matches collections with an element equal to another property.
  public static func == (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.equal, with: other)
  }

  /// Matches collections with an element not equal to another property.
  public static func != (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.notEqual, with: other)
  }

  /// Matches collections with an element equal to one of `values`.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
  where Values.Element == Value.QueryElement {
    among(values)
  }
}

extension Sequence {
  /// Matches properties equal to an element, as `$0.property.in(values)`.
  ///
  ///     airports.where { codes.contains($0.code) }
  public func contains(_ query: Query<Element>) -> Query<Bool> where Element: Persistable {
    query.in(self)
  }

  /// Matches properties equal to an element, as `$0.property.in(values)`.
  public func contains(_ query: Query<Element?>) -> Query<Bool>
  where Element: OptionalPersistable { query.in(map(Optional.some)) }
}

/// Comparison of embedded objects by their members.
///
/// With `==` a managed embedded object is equal only to itself, and an unmanaged one compares member by
/// member. The following conditions compare the members of managed and unmanaged objects:
///
///     realm.objects(Person.self).where { $0.address.equalsMemberwise(person.address) }
///     realm.objects(Person.self).filter("address == %@", PredicateArgument.memberwise(home))
///
/// Members that are links or collections, except the coordinates of a point, stop the process, because they
/// have no equality.
extension Query where Value: EmbeddedObject {
  /// Matches embedded objects whose members are all equal to those of another one.
  public func equalsMemberwise(_ object: Value) -> Query<Bool> { holdsMemberwise(object) }
}

extension Query {
  /// Matches embedded objects whose members are all equal to those of another one; null matches nothing.
  public func equalsMemberwise<Embedded: EmbeddedObject>(_ object: Embedded) -> Query<Bool>
  where Value == Embedded? { holdsMemberwise(object) }

  fileprivate func holdsMemberwise(_ object: EmbeddedObject) -> Query<Bool> {
    Query<Bool>(queryPath.memberwise(.equal, QueryConstant.members(of: object)))
  }
}

extension Query where Value: QueryableCollection {
  /// Matches collections with an element whose members are all equal to those of another embedded object.
  public func equalsMemberwise<Embedded: EmbeddedObject>(_ object: Embedded) -> Query<Bool>
  where Value.QueryElement == Embedded { holdsMemberwise(object) }

  /// Matches collections with an element whose members are all equal to those of another embedded object.
  public func equalsMemberwise<Embedded: EmbeddedObject>(_ object: Embedded) -> Query<Bool>
  where Value.QueryElement == Embedded? { holdsMemberwise(object) }
}

extension PredicateArgument {
  /// Returns an argument that compares embedded objects member by member.
  public static func memberwise(_ object: EmbeddedObject) -> PredicateArgument {
    .members(QueryConstant.members(of: object))
  }
}

extension ClassInfo {
  /// Returns the members of an embedded object for a memberwise comparison.
  ///
  /// - Throws: `QueryPredicateError` for members without equality.
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
