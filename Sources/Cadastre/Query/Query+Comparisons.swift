import CadastreModel
import CadastrePredicate

extension Query where Value: Persistable {
  /// Equal to a value; an embedded object member by member, a link by identity.
  public static func == (query: Query, value: Value) -> Query<Bool> {
    Query<Bool>(query.equality(value))
  }

  /// Not equal to a value.
  public static func != (query: Query, value: Value) -> Query<Bool> {
    Query<Bool>(.not(query.equality(value)))
  }

  /// Equal to another property.
  public static func == (query: Query, other: Query) -> Query<Bool> {
    query.comparison(.equal, other)
  }

  /// Not equal to another property.
  public static func != (query: Query, other: Query) -> Query<Bool> {
    query.comparison(.notEqual, other)
  }

  /// Equal to one of some values; to none of no values.
  public func `in`<Values: Sequence>(_ values: Values) -> Query<Bool>
  where Values.Element == Value {
    let equalities = values.map(equality)
    let constants = equalities.compactMap { equality -> CadastreModel.Value? in
      guard case .comparison(let comparison) = equality, case .value(let value) = comparison.right
      else { return nil }
      return value
    }
    guard constants.count == equalities.count else { return Query<Bool>(.any(equalities)) }
    return Query<Bool>(
      .comparison(Comparison(.property(path), .isIn, .list(constants))))
  }

  private func equality(_ value: Value) -> QueryPredicate {
    switch Value.content(of: value) {
    case .value(let value): return .compare(path, .equal, value)
    case .elements(let elements):
      return .comparison(
        Comparison(.property(path), .equal, .list(elements.compactMap(\.value))))
    case .entries: Misuse.stop("'\(path)' cannot be compared: equality on maps is not implemented.")
    case .object(let object as EmbeddedObject):
      do {
        return try .memberwiseEqual(path, ClassInfo.members(of: object))
      } catch {
        Misuse.stop("\(error)")
      }
    case .object(let object as Object):
      return .comparison(
        Comparison(.property(path), .equal, .object(ObjectReference(to: object))))
    case .object: Misuse.stop("'\(path)' can be compared with objects only.")
    }
  }

  func comparison(_ operation: ComparisonOperator, _ other: Query) -> Query<Bool> {
    Query<Bool>(.comparison(Comparison(.property(path), operation, .property(other.path))))
  }
}

/// A type whose values can be compared by size in a query.
public protocol OrderedPersistable: Persistable {}

extension Int: OrderedPersistable {}
extension Int8: OrderedPersistable {}
extension Int16: OrderedPersistable {}
extension Int32: OrderedPersistable {}
extension Int64: OrderedPersistable {}
extension Float: OrderedPersistable {}
extension Double: OrderedPersistable {}
extension String: OrderedPersistable {}
extension Optional: OrderedPersistable where Wrapped: OrderedPersistable & OptionalPersistable {}

extension Query where Value: OrderedPersistable {
  /// After a value.
  public static func > (query: Query, value: Value) -> Query<Bool> {
    query.comparison(.greater, value)
  }
  /// After a value, or equal to it.
  public static func >= (query: Query, value: Value) -> Query<Bool> {
    query.comparison(.greaterOrEqual, value)
  }
  /// Before a value.
  public static func < (query: Query, value: Value) -> Query<Bool> {
    query.comparison(.less, value)
  }
  /// Before a value, or equal to it.
  public static func <= (query: Query, value: Value) -> Query<Bool> {
    query.comparison(.lessOrEqual, value)
  }
  /// After another property.
  public static func > (query: Query, other: Query) -> Query<Bool> {
    query.comparison(.greater, other)
  }
  /// After another property, or equal to it.
  public static func >= (query: Query, other: Query) -> Query<Bool> {
    query.comparison(.greaterOrEqual, other)
  }
  /// Before another property.
  public static func < (query: Query, other: Query) -> Query<Bool> {
    query.comparison(.less, other)
  }
  /// Before another property, or equal to it.
  public static func <= (query: Query, other: Query) -> Query<Bool> {
    query.comparison(.lessOrEqual, other)
  }

  fileprivate func comparison(_ operation: ComparisonOperator, _ value: Value) -> Query<Bool> {
    guard case .value(let constant) = Value.content(of: value) else {
      Misuse.stop("'\(path)' cannot be compared by size.")
    }
    return Query<Bool>(.compare(path, operation, constant))
  }
}

extension Query where Value: OrderedPersistable & Comparable {
  /// Between two values, both included.
  public func contains(_ range: ClosedRange<Value>) -> Query<Bool> {
    self >= range.lowerBound && self <= range.upperBound
  }
  /// Between two values, the upper one excluded.
  public func contains(_ range: Range<Value>) -> Query<Bool> {
    self >= range.lowerBound && self < range.upperBound
  }
}

extension Query {
  /// Between two values, both included.
  public func contains<Wrapped: OrderedPersistable & OptionalPersistable & Comparable>(
    _ range: ClosedRange<Wrapped>
  ) -> Query<Bool> where Value == Wrapped? {
    self >= range.lowerBound && self <= range.upperBound
  }
  /// Between two values, the upper one excluded.
  public func contains<Wrapped: OrderedPersistable & OptionalPersistable & Comparable>(
    _ range: Range<Wrapped>
  ) -> Query<Bool> where Value == Wrapped? {
    self >= range.lowerBound && self < range.upperBound
  }
}
