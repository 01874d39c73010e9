import CadastreModel
import CadastrePredicate

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
    let smallest = Query<Bound>(.result(way.aggregate(.min)))
    let largest = Query<Bound>(.result(way.aggregate(.max)))
    return smallest.compared(by: .greaterOrEqual, lower) && largest.compared(by: operation, upper)
  }
}
