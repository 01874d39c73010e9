import CadastreModel
import CadastrePredicate

// Disfavoured because an enumeration is ordered and mapped at once.
extension Query where Value: Persistable & MappedPersistable, Value.StoredType: OrderedPersistable {
  /// After a value.
  @_disfavoredOverload
  public static func > (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .greater, value)
  }
  /// After a value, or equal to it.
  @_disfavoredOverload
  public static func >= (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .greaterOrEqual, value)
  }
  /// Before a value.
  @_disfavoredOverload
  public static func < (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .less, value)
  }
  /// Before a value, or equal to it.
  @_disfavoredOverload
  public static func <= (query: Query, value: Value) -> Query<Bool> {
    query.compared(by: .lessOrEqual, value)
  }
  /// After another property.
  @_disfavoredOverload
  public static func > (query: Query, other: Query) -> Query<Bool> {
    query.compared(.greater, with: other)
  }
  /// After another property, or equal to it.
  @_disfavoredOverload
  public static func >= (query: Query, other: Query) -> Query<Bool> {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Before another property.
  @_disfavoredOverload
  public static func < (query: Query, other: Query) -> Query<Bool> {
    query.compared(.less, with: other)
  }
  /// Before another property, or equal to it.
  @_disfavoredOverload
  public static func <= (query: Query, other: Query) -> Query<Bool> {
    query.compared(.lessOrEqual, with: other)
  }
}

extension Query
where
  Value: QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: OrderedPersistable
{
  /// Has an element after a value.
  @_disfavoredOverload
  public static func > (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .greater, element)
  }
  /// Has an element after a value, or equal to it.
  @_disfavoredOverload
  public static func >= (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .greaterOrEqual, element)
  }
  /// Has an element before a value.
  @_disfavoredOverload
  public static func < (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .less, element)
  }
  /// Has an element before a value, or equal to it.
  @_disfavoredOverload
  public static func <= (query: Query, element: Value.QueryElement) -> Query<Bool> {
    query.compared(by: .lessOrEqual, element)
  }
  /// Has an element after another property.
  @_disfavoredOverload
  public static func > (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.greater, with: other)
  }
  /// Has an element after another property, or equal to it.
  @_disfavoredOverload
  public static func >= (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Has an element before another property.
  @_disfavoredOverload
  public static func < (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.less, with: other)
  }
  /// Has an element before another property, or equal to it.
  @_disfavoredOverload
  public static func <= (query: Query, other: Query<Value.QueryElement>) -> Query<Bool> {
    query.compared(.lessOrEqual, with: other)
  }
}

extension Query
where Value: Persistable & MappedPersistable & Comparable, Value.StoredType: OrderedPersistable {
  /// Between two values, both included, by the order of the stored values.
  @_disfavoredOverload
  public func contains(_ range: ClosedRange<Value>) -> Query<Bool> { lies(in: range) }

  /// Between two values, the upper one excluded, by the order of the stored values.
  @_disfavoredOverload
  public func contains(_ range: Range<Value>) -> Query<Bool> { lies(in: range) }
}

extension Query {
  /// Between two values, both included, by the order of the stored values.
  @_disfavoredOverload
  public func contains<Wrapped: Persistable & MappedPersistable & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where Value == Wrapped?, Wrapped.StoredType: OrderedPersistable {
    lies(in: range)
  }

  /// Between two values, the upper one excluded, by the order of the stored values.
  @_disfavoredOverload
  public func contains<Wrapped: Persistable & MappedPersistable & Comparable>(
    _ range: Range<Wrapped>
  ) -> Query<Bool> where Value == Wrapped?, Wrapped.StoredType: OrderedPersistable {
    lies(in: range)
  }
}

extension Query where Value: QueryableCollection {
  /// Holds elements, and all of them lie between two values, both included.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: ClosedRange<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .lessOrEqual, range.upperBound)
  }

  /// Holds elements, and all of them lie between two values, the upper one excluded.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: Range<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .less, range.upperBound)
  }

  /// Holds elements, and all that are not nil lie between two values, both included.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: ClosedRange<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound?, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .lessOrEqual, range.upperBound)
  }

  /// Holds elements, and all that are not nil lie between two values, the upper one excluded.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: Range<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound?, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .less, range.upperBound)
  }
}
