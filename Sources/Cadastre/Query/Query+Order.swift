import CadastreModel
import CadastrePredicate
import Foundation

/// A type with comparison operators in queries.
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
/// Only values of one kind compare; numbers of all types are one kind.
extension AnyRealmValue: OrderedPersistable {}
extension Optional: OrderedPersistable where Wrapped: OrderedPersistable & OptionalPersistable {}

extension Query where Value: OrderedPersistable {
  /// Matches values greater than a value; null matches nothing.
  public static func > (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .greater, value)
  }
  /// Matches values greater than or equal to a value; null matches nothing.
  public static func >= (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .greaterOrEqual, value)
  }
  /// Matches values less than a value; null matches nothing.
  public static func < (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .less, value)
  }
  /// Matches values less than or equal to a value; null matches nothing.
  public static func <= (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .lessOrEqual, value)
  }
}

extension Query where Value: QueryableCollection {
  /// Matches collections with an element greater than a value.
  public static func > <Element: OrderedPersistable>(query: Query, element: Element) -> Query<Bool>
  where Value.ElementQuery == Query<Element> {
    query.node.compared(by: .greater, element)
  }
  /// Matches collections with an element greater than or equal to a value.
  public static func >= <Element: OrderedPersistable>(query: Query, element: Element) -> Query<Bool>
  where Value.ElementQuery == Query<Element> {
    query.node.compared(by: .greaterOrEqual, element)
  }
  /// Matches collections with an element less than a value.
  public static func < <Element: OrderedPersistable>(query: Query, element: Element) -> Query<Bool>
  where Value.ElementQuery == Query<Element> {
    query.node.compared(by: .less, element)
  }
  /// Matches collections with an element less than or equal to a value.
  public static func <= <Element: OrderedPersistable>(query: Query, element: Element) -> Query<Bool>
  where Value.ElementQuery == Query<Element> {
    query.node.compared(by: .lessOrEqual, element)
  }
}

extension QueryProtocol {
  /// Matches values greater than another property; null matches nothing.
  public static func > <Value: OrderedPersistable>(query: Self, other: Self) -> Query<Bool>
  where Self == Query<Value> {
    query.compared(.greater, with: other)
  }
  /// Matches values greater than or equal to another property; null matches nothing.
  public static func >= <Value: OrderedPersistable>(query: Self, other: Self) -> Query<Bool>
  where Self == Query<Value> {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Matches values less than another property; null matches nothing.
  public static func < <Value: OrderedPersistable>(query: Self, other: Self) -> Query<Bool>
  where Self == Query<Value> {
    query.compared(.less, with: other)
  }
  /// Matches values less than or equal to another property; null matches nothing.
  public static func <= <Value: OrderedPersistable>(query: Self, other: Self) -> Query<Bool>
  where Self == Query<Value> {
    query.compared(.lessOrEqual, with: other)
  }
  /// Matches collections with an element greater than another property.
  public static func > <Value: QueryableCollection>(
    query: Self, other: Query<Value.QueryElement>
  ) -> Query<Bool> where Self == Query<Value>, Value.QueryElement: OrderedPersistable {
    query.compared(.greater, with: other)
  }
  /// Matches collections with an element greater than or equal to another property.
  public static func >= <Value: QueryableCollection>(
    query: Self, other: Query<Value.QueryElement>
  ) -> Query<Bool> where Self == Query<Value>, Value.QueryElement: OrderedPersistable {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Matches collections with an element less than another property.
  public static func < <Value: QueryableCollection>(
    query: Self, other: Query<Value.QueryElement>
  ) -> Query<Bool> where Self == Query<Value>, Value.QueryElement: OrderedPersistable {
    query.compared(.less, with: other)
  }
  /// Matches collections with an element less than or equal to another property.
  public static func <= <Value: QueryableCollection>(
    query: Self, other: Query<Value.QueryElement>
  ) -> Query<Bool> where Self == Query<Value>, Value.QueryElement: OrderedPersistable {
    query.compared(.lessOrEqual, with: other)
  }
}

extension Query where Value: OrderedPersistable & Comparable {
  /// Matches values in a closed range.
  public func contains(_ range: ClosedRange<Value>) -> Query<Bool> { lies(in: range) }

  /// Matches values in a half-open range.
  public func contains(_ range: Range<Value>) -> Query<Bool> { lies(in: range) }
}

extension Query {
  /// Matches values in a closed range.
  public func contains<Wrapped: OrderedPersistable & OptionalPersistable & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where Value == Wrapped? { lies(in: range) }

  /// Matches values in a half-open range.
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
    // The same object of a collection must satisfy both bounds.
    guard case .objects(let collection, let predicate, _)? = condition.inside else {
      return Query<Bool>(condition)
    }
    return Query<Bool>(
      QueryCondition(
        .compareCount(of: collection, where: predicate, .greater, .int(0)), condition.inside))
  }
}

extension ClosedRange where Bound: OrderedPersistable {
  /// Matches properties whose value is in the range, as `$0.property.contains(range)`.
  public func contains(_ query: Query<Bound>) -> Query<Bool> { query.lies(in: self) }

  /// Matches properties whose value is in the range, as `$0.property.contains(range)`.
  public func contains(_ query: Query<Bound?>) -> Query<Bool> where Bound: OptionalPersistable {
    query.lies(in: self)
  }
}

extension Range where Bound: OrderedPersistable {
  /// Matches properties whose value is in the range, as `$0.property.contains(range)`.
  public func contains(_ query: Query<Bound>) -> Query<Bool> { query.lies(in: self) }

  /// Matches properties whose value is in the range, as `$0.property.contains(range)`.
  public func contains(_ query: Query<Bound?>) -> Query<Bool> where Bound: OptionalPersistable {
    query.lies(in: self)
  }
}

extension Query where Value: QueryableCollection {
  /// Matches nonempty collections whose elements are all in a closed range.
  public func contains<Bound: MinMaxType & Comparable>(_ range: ClosedRange<Bound>) -> Query<Bool>
  where Value.QueryElement == Bound { encloses(range.lowerBound, .lessOrEqual, range.upperBound) }

  /// Matches nonempty collections whose elements are all in a half-open range.
  public func contains<Bound: MinMaxType & Comparable>(_ range: Range<Bound>) -> Query<Bool>
  where Value.QueryElement == Bound { encloses(range.lowerBound, .less, range.upperBound) }

  /// Matches collections with non-nil elements that are all in a closed range.
  public func contains<Bound: MinMaxType & OptionalPersistable & Comparable>(
    _ range: ClosedRange<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound? {
    encloses(range.lowerBound, .lessOrEqual, range.upperBound)
  }

  /// Matches collections with non-nil elements that are all in a half-open range.
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
    return smallest.node.compared(by: .greaterOrEqual, lower)
      && largest.node.compared(by: operation, upper)
  }
}

// Disfavoured, because an enumeration is both ordered and mapped.
extension Query where Value: Persistable & MappedPersistable, Value.StoredType: OrderedPersistable {
  /// Matches values greater than a value; null matches nothing.
  @_disfavoredOverload
  public static func > (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .greater, value)
  }
  /// Matches values greater than or equal to a value; null matches nothing.
  @_disfavoredOverload
  public static func >= (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .greaterOrEqual, value)
  }
  /// Matches values less than a value; null matches nothing.
  @_disfavoredOverload
  public static func < (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .less, value)
  }
  /// Matches values less than or equal to a value; null matches nothing.
  @_disfavoredOverload
  public static func <= (query: Query, value: Value) -> Query<Bool> {
    query.node.compared(by: .lessOrEqual, value)
  }
  /// Matches values greater than another property; null matches nothing.
  @_disfavoredOverload
  public static func > (query: Query, other: Query) -> Query<Bool> {
    query.compared(.greater, with: other)
  }
  /// Matches values greater than or equal to another property; null matches nothing.
  @_disfavoredOverload
  public static func >= (query: Query, other: Query) -> Query<Bool> {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Matches values less than another property; null matches nothing.
  @_disfavoredOverload
  public static func < (query: Query, other: Query) -> Query<Bool> {
    query.compared(.less, with: other)
  }
  /// Matches values less than or equal to another property; null matches nothing.
  @_disfavoredOverload
  public static func <= (query: Query, other: Query) -> Query<Bool> {
    query.compared(.lessOrEqual, with: other)
  }
}

extension Query where Value: QueryableCollection {
  /// Matches collections with an element greater than a value.
  @_disfavoredOverload
  public static func > <Element: Persistable & MappedPersistable>(
    query: Query, element: Element
  ) -> Query<Bool>
  where Value.ElementQuery == Query<Element>, Element.StoredType: OrderedPersistable {
    query.node.compared(by: .greater, element)
  }
  /// Matches collections with an element greater than or equal to a value.
  @_disfavoredOverload
  public static func >= <Element: Persistable & MappedPersistable>(
    query: Query, element: Element
  ) -> Query<Bool>
  where Value.ElementQuery == Query<Element>, Element.StoredType: OrderedPersistable {
    query.node.compared(by: .greaterOrEqual, element)
  }
  /// Matches collections with an element less than a value.
  @_disfavoredOverload
  public static func < <Element: Persistable & MappedPersistable>(
    query: Query, element: Element
  ) -> Query<Bool>
  where Value.ElementQuery == Query<Element>, Element.StoredType: OrderedPersistable {
    query.node.compared(by: .less, element)
  }
  /// Matches collections with an element less than or equal to a value.
  @_disfavoredOverload
  public static func <= <Element: Persistable & MappedPersistable>(
    query: Query, element: Element
  ) -> Query<Bool>
  where Value.ElementQuery == Query<Element>, Element.StoredType: OrderedPersistable {
    query.node.compared(by: .lessOrEqual, element)
  }
  /// Matches collections with an element greater than another property.
  @_disfavoredOverload
  public static func > (query: Query, other: Query<Value.QueryElement>) -> Query<Bool>
  where Value.QueryElement: MappedPersistable, Value.QueryElement.StoredType: OrderedPersistable {
    query.compared(.greater, with: other)
  }
  /// Matches collections with an element greater than or equal to another property.
  @_disfavoredOverload
  public static func >= (query: Query, other: Query<Value.QueryElement>) -> Query<Bool>
  where Value.QueryElement: MappedPersistable, Value.QueryElement.StoredType: OrderedPersistable {
    query.compared(.greaterOrEqual, with: other)
  }
  /// Matches collections with an element less than another property.
  @_disfavoredOverload
  public static func < (query: Query, other: Query<Value.QueryElement>) -> Query<Bool>
  where Value.QueryElement: MappedPersistable, Value.QueryElement.StoredType: OrderedPersistable {
    query.compared(.less, with: other)
  }
  /// Matches collections with an element less than or equal to another property.
  @_disfavoredOverload
  public static func <= (query: Query, other: Query<Value.QueryElement>) -> Query<Bool>
  where Value.QueryElement: MappedPersistable, Value.QueryElement.StoredType: OrderedPersistable {
    query.compared(.lessOrEqual, with: other)
  }
}

extension Query
where Value: Persistable & MappedPersistable & Comparable, Value.StoredType: OrderedPersistable {
  /// Matches values whose stored values are in a closed range.
  @_disfavoredOverload
  public func contains(_ range: ClosedRange<Value>) -> Query<Bool> { lies(in: range) }

  /// Matches values whose stored values are in a half-open range.
  @_disfavoredOverload
  public func contains(_ range: Range<Value>) -> Query<Bool> { lies(in: range) }
}

extension Query {
  /// Matches values whose stored values are in a closed range.
  @_disfavoredOverload
  public func contains<Wrapped: Persistable & MappedPersistable & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where Value == Wrapped?, Wrapped.StoredType: OrderedPersistable {
    lies(in: range)
  }

  /// Matches values whose stored values are in a half-open range.
  @_disfavoredOverload
  public func contains<Wrapped: Persistable & MappedPersistable & Comparable>(
    _ range: Range<Wrapped>
  ) -> Query<Bool> where Value == Wrapped?, Wrapped.StoredType: OrderedPersistable {
    lies(in: range)
  }
}

extension Query where Value: QueryableCollection {
  /// Matches nonempty collections whose elements are all in a closed range.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: ClosedRange<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .lessOrEqual, range.upperBound)
  }

  /// Matches nonempty collections whose elements are all in a half-open range.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: Range<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .less, range.upperBound)
  }

  /// Matches collections with non-nil elements that are all in a closed range.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: ClosedRange<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound?, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .lessOrEqual, range.upperBound)
  }

  /// Matches collections with non-nil elements that are all in a half-open range.
  @_disfavoredOverload
  public func contains<Bound: Persistable & MappedPersistable & Comparable>(
    _ range: Range<Bound>
  ) -> Query<Bool> where Value.QueryElement == Bound?, Bound.StoredType: MinMaxType {
    encloses(range.lowerBound, .less, range.upperBound)
  }
}
