import CadastreModel
import CadastrePredicate

extension Query where Value: OrderedPersistable {
  /// After a value.
  public static func > (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .greater, value)
  }
  /// After a value, or equal to it.
  public static func >= (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .greaterOrEqual, value)
  }
  /// Before a value.
  public static func < (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .less, value)
  }
  /// Before a value, or equal to it.
  public static func <= (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .lessOrEqual, value)
  }
  /// After another property.
  public static func > (query: Query, other: Query) -> Query<Bool> {
    query.compared(.greater, with: other)
  }
  /// After another property, or equal to it.
  public static func >= (query: Query, other: Query) -> Query<Bool> {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Before another property.
  public static func < (query: Query, other: Query) -> Query<Bool> {
    query.compared(.less, with: other)
  }
  /// Before another property, or equal to it.
  public static func <= (query: Query, other: Query) -> Query<Bool> {
    query.compared(.lessOrEqual, with: other)
  }
}

extension Query where Value: QueryableCollection, Value.QueryElement: OrderedPersistable {
  /// Has an element after a value.
  public static func > (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .greater, element)
  }
  /// Has an element after a value, or equal to it.
  public static func >= (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .greaterOrEqual, element)
  }
  /// Has an element before a value.
  public static func < (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .less, element)
  }
  /// Has an element before a value, or equal to it.
  public static func <= (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .lessOrEqual, element)
  }
  /// Has an element after another property.
  public static func > (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.greater, with: other)
  }
  /// Has an element after another property, or equal to it.
  public static func >= (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Has an element before another property.
  public static func < (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.less, with: other)
  }
  /// Has an element before another property, or equal to it.
  public static func <= (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.lessOrEqual, with: other)
  }
}
