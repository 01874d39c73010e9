import CadastreModel
import CadastrePredicate

extension Query where Value: QueryableCollection, Value.QueryElement: MinMaxType {
  /// The smallest of the values; null of none.
  public var min: Query<Value.QueryElement> { .aggregate(.min, of: way) }

  /// The largest of the values; null of none.
  public var max: Query<Value.QueryElement> { .aggregate(.max, of: way) }
}

extension Query where Value: QueryableCollection, Value.QueryElement: AddableType {
  /// The sum of the values; 0 of none.
  public var sum: Query<Value.QueryElement> { .aggregate(.sum, of: way) }

  /// The average of the values; null of none.
  public var avg: Query<Value.QueryElement> { .aggregate(.average, of: way) }
}

extension Query
where Value: QueryableCollection, Value.QueryElement: AddableType & MinMaxType {
  /// The average of the values as a number with a fraction.
  @_disfavoredOverload
  public var avg: Query<Double?> { .aggregate(.average, of: way) }
}

/// Aggregates of a property of the objects in a collection; a property that is not behind a
/// collection stops the process.
extension Query where Value: MinMaxType {
  /// The smallest value of the property; null of no objects.
  public var min: Query { .aggregate(.min, of: way) }

  /// The largest value of the property; null of no objects.
  public var max: Query { .aggregate(.max, of: way) }
}

extension Query where Value: AddableType {
  /// The sum of the property's values; 0 of no objects.
  public var sum: Query { .aggregate(.sum, of: way) }

  /// The average of the property's values; null of no objects.
  public var avg: Query { .aggregate(.average, of: way) }
}

extension Query where Value: AddableType & MinMaxType {
  /// The average of the property's values as a number with a fraction.
  @_disfavoredOverload
  public var avg: Query<Double?> { .aggregate(.average, of: way) }
}

/// Mapped types, whose stored values are aggregated.
extension Query
where
  Value: QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: MinMaxType
{
  /// The smallest of the values; null of none.
  @_disfavoredOverload
  public var min: Query<Value.QueryElement> { .aggregate(.min, of: way) }

  /// The largest of the values; null of none.
  @_disfavoredOverload
  public var max: Query<Value.QueryElement> { .aggregate(.max, of: way) }
}

extension Query
where
  Value: QueryableCollection, Value.QueryElement: MappedPersistable,
  Value.QueryElement.StoredType: AddableType
{
  /// The sum of the values; 0 of none.
  @_disfavoredOverload
  public var sum: Query<Value.QueryElement> { .aggregate(.sum, of: way) }

  /// The average of the values; null of none.
  @_disfavoredOverload
  public var avg: Query<Value.QueryElement> { .aggregate(.average, of: way) }
}

extension Query where Value: MappedPersistable, Value.StoredType: MinMaxType {
  /// The smallest value of the property; null of no objects.
  @_disfavoredOverload
  public var min: Query { .aggregate(.min, of: way) }

  /// The largest value of the property; null of no objects.
  @_disfavoredOverload
  public var max: Query { .aggregate(.max, of: way) }
}

extension Query where Value: MappedPersistable, Value.StoredType: AddableType {
  /// The sum of the property's values; 0 of no objects.
  @_disfavoredOverload
  public var sum: Query { .aggregate(.sum, of: way) }

  /// The average of the property's values; null of no objects.
  @_disfavoredOverload
  public var avg: Query { .aggregate(.average, of: way) }
}

extension Query {
  fileprivate static func aggregate(
    _ operation: Aggregate.Operation, of way: QueryPath
  ) -> Query { Query(.result(way.aggregate(operation))) }
}
