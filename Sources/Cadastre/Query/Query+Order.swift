import CadastreModel
import CadastrePredicate
import Foundation

/// A type whose values can be compared by size in a query.
@_documentation(visibility: internal)
public protocol OrderedPersistable: Persistable {}

extension Int: OrderedPersistable {}
extension Int8: OrderedPersistable {}
extension Int16: OrderedPersistable {}
extension Int32: OrderedPersistable {}
extension Int64: OrderedPersistable {}
extension Float: OrderedPersistable {}
extension Double: OrderedPersistable {}
extension Decimal128: OrderedPersistable {}
extension String: OrderedPersistable {}
extension Date: OrderedPersistable {}
extension Data: OrderedPersistable {}
extension UUID: OrderedPersistable {}
extension ObjectId: OrderedPersistable {}
/// Values of one kind only, numbers of all types together, are before or after each other.
extension AnyRealmValue: OrderedPersistable {}
extension Optional: OrderedPersistable where Wrapped: OrderedPersistable & OptionalPersistable {}

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

extension Query where Value: OrderedPersistable & Comparable {
  /// Between two values, both included.
  public func contains(_ range: ClosedRange<Value>) -> Query<Bool> { lies(in: range) }

  /// Between two values, the upper one excluded.
  public func contains(_ range: Range<Value>) -> Query<Bool> { lies(in: range) }
}

extension Query {
  /// Between two values, both included.
  public func contains<Wrapped: OrderedPersistable & OptionalPersistable & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where Value == Wrapped? { lies(in: range) }

  /// Between two values, the upper one excluded.
  public func contains<Wrapped: OrderedPersistable & OptionalPersistable & Comparable>(
    _ range: Range<Wrapped>
  ) -> Query<Bool> where Value == Wrapped? { lies(in: range) }

  func lies<Bound: Persistable>(in range: ClosedRange<Bound>) -> Query<Bool> {
    let bounds = [QueryConstant.value(range.lowerBound), QueryConstant.value(range.upperBound)]
    return condition { .comparison(Comparison($0, .between, .list(bounds))) }
  }

  func lies<Bound: Persistable>(in range: Range<Bound>) -> Query<Bool> {
    let lower = QueryConstant.value(range.lowerBound)
    let upper = QueryConstant.value(range.upperBound)
    let condition = side.condition { side in
      .and([
        .comparison(Comparison(side, .greaterOrEqual, .value(lower))),
        .comparison(Comparison(side, .less, .value(upper))),
      ])
    }
    // One object of a collection must lie between both.
    guard case .objects(let collection, let predicate, _) = condition.inside else {
      return Query<Bool>(condition)
    }
    return Query<Bool>(
      QueryCondition(
        .compareCount(of: collection, where: predicate, .greater, .int(0)), condition.inside))
  }
}

extension Query where Value: QueryableCollection {
  /// Holds elements, and all of them lie between two values, both included.
  public func contains<Bound: MinMaxType & Comparable>(_ range: ClosedRange<Bound>) -> Query<Bool>
  where Value.QueryElement == Bound { encloses(range.lowerBound, .lessOrEqual, range.upperBound) }

  /// Holds elements, and all of them lie between two values, the upper one excluded.
  public func contains<Bound: MinMaxType & Comparable>(_ range: Range<Bound>) -> Query<Bool>
  where Value.QueryElement == Bound { encloses(range.lowerBound, .less, range.upperBound) }

  /// Holds elements, and all that are not nil lie between two values, both included.
  public func contains<Bound: MinMaxType & OptionalPersistable & Comparable>(
    _ range: ClosedRange<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound? {
    encloses(range.lowerBound, .lessOrEqual, range.upperBound)
  }

  /// Holds elements, and all that are not nil lie between two values, the upper one excluded.
  public func contains<Bound: MinMaxType & OptionalPersistable & Comparable>(
    _ range: Range<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound? {
    encloses(range.lowerBound, .less, range.upperBound)
  }

  func encloses<Bound: Persistable>(
    _ lower: Bound, _ operation: ComparisonOperator, _ upper: Bound
  ) -> Query<Bool> {
    let smallest = Query<Bound>(.result(queryPath.aggregate(.min)))
    let largest = Query<Bound>(.result(queryPath.aggregate(.max)))
    return smallest.compared(by: .greaterOrEqual, lower) && largest.compared(by: operation, upper)
  }
}

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
