import CadastreModel
public import CadastrePredicate

extension Query where Value: Persistable {
  /// Matches values equal to a value.
  ///
  /// A managed object, also an embedded one, is equal only to itself. A deleted object or an unmanaged
  /// ``Object`` matches nothing. An unmanaged embedded object, and a value mapped to an embedded object,
  /// compare member by member; `equalsMemberwise(_:)` compares the members of a managed embedded object.
  public static func == (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(.equal, value)
  }

  /// Matches values not equal to a value.
  public static func != (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(.notEqual, value)
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
  public static func == <Element: Persistable>(query: Query, element: Element) -> Query<Bool>
  where Value.ElementQuery == Query<Element> {
    query.node.compared(.equal, element)
  }

  /// Matches collections with an element not equal to a value.
  ///
  /// For a value mapped to an embedded object, matches nonempty collections without an equal element.
  public static func != <Element: Persistable>(query: Query, element: Element) -> Query<Bool>
  where Value.ElementQuery == Query<Element> {
    query.node.compared(.notEqual, element)
  }

  /// Matches collections with an element equal to one of `values`.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
  where Values.Element == Value.QueryElement {
    among(values)
  }
}

/// The type ``Query``, with the operators that compare two properties.
///
/// The compiler prefers operators of a type to those of a protocol, which makes a comparison with a value the
/// first choice: for an unknown case in `$0.kind == .yacht` the error names the type of the property.
@_documentation(visibility: internal)
public protocol QueryProtocol {}

extension Query: QueryProtocol {}

extension QueryProtocol {
  /// Matches values equal to another property.
  public static func == <Value: Persistable>(query: Self, other: Self) -> Query<Bool>
  where Self == Query<Value> {
    query.compared(.equal, with: other)
  }

  /// Matches values not equal to another property.
  public static func != <Value: Persistable>(query: Self, other: Self) -> Query<Bool>
  where Self == Query<Value> {
    query.compared(.notEqual, with: other)
  }

  /// Matches collections with an element equal to another property.
  public static func == <Value: QueryableCollection>(
    query: Self, other: Query<Value.QueryElement>
  ) -> Query<Bool> where Self == Query<Value> {
    query.compared(.equal, with: other)
  }

  /// Matches collections with an element not equal to another property.
  public static func != <Value: QueryableCollection>(
    query: Self, other: Query<Value.QueryElement>
  ) -> Query<Bool> where Self == Query<Value> {
    query.compared(.notEqual, with: other)
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

extension Query where Value: ContentComparable {
  /// Matches lists with the elements of an array in the same order, and sets with the elements of an array.
  public static func == <Element>(query: Query, array: [Element]) -> Query<Bool>
  where Value.Content == [Element] {
    query.compared(.equal, content: array)
  }

  /// Matches lists and sets with other elements than an array.
  public static func != <Element>(query: Query, array: [Element]) -> Query<Bool>
  where Value.Content == [Element] {
    query.compared(.notEqual, content: array)
  }

  /// Matches maps with the entries of a dictionary.
  public static func == <Key, Element>(query: Query, dictionary: [Key: Element]) -> Query<Bool>
  where Value.Content == [Key: Element] {
    query.compared(.equal, content: dictionary)
  }

  /// Matches maps with other entries than a dictionary.
  public static func != <Key, Element>(query: Query, dictionary: [Key: Element]) -> Query<Bool>
  where Value.Content == [Key: Element] {
    query.compared(.notEqual, content: dictionary)
  }

  private func compared(
    _ operation: ComparisonOperator, content: Value.Content
  ) -> Query<Bool> {
    let argument = PredicateArgument(Value.propertyContent(content), isMemberwise: true)
    return Query<Bool>(queryPath.whole(operation, QueryConstant.operand(argument)))
  }
}

/// Comparison of embedded objects by their members.
///
/// With `==` a managed embedded object is equal only to itself, and an unmanaged one, or one in a whole
/// collection, compares member by member. The following conditions compare the members of managed and unmanaged objects:
///
///     realm.objects(Person.self).where { $0.address.equalsMemberwise(person.address) }
///     realm.objects(Person.self).filter("address == %@", PredicateArgument.memberwise(home))
///
/// Members that are collections are equal element by element, links by identity, and values of any type
/// with their lists and maps.
extension Query where Value: EmbeddedObject {
  /// Matches embedded objects whose members are all equal to those of another one.
  public func equalsMemberwise(_ object: Value) -> Query<Bool> { holdsMemberwise(object) }
}

extension Query {
  /// Matches embedded objects whose members are all equal to those of another one; null matches nothing.
  public func equalsMemberwise<Embedded: EmbeddedObject>(_ object: Embedded) -> Query<Bool>
  where Value == Embedded? { holdsMemberwise(object) }

  fileprivate func holdsMemberwise(_ object: EmbeddedObject) -> Query<Bool> {
    Query<Bool>(
      queryPath.whole(.equal, QueryConstant.operand(PredicateArgument.memberwise(object))))
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
    .members(ClassInfo.members(of: object))
  }

  /// Returns an argument that compares the embedded objects of whole collections member by member.
  public static func memberwise<Collection: QueryableCollection & Persistable>(
    _ collection: Collection
  ) -> PredicateArgument {
    PredicateArgument(Collection.content(of: collection), isMemberwise: true)
  }
}
