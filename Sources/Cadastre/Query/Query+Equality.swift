import CadastreModel
import CadastrePredicate

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
