import CadastreModel
import CadastrePredicate

/// What has been said in a type-safe condition so far.
enum QueryNode {
  /// The way to some values.
  case way(QueryWay)
  /// A number or a value that is worked out.
  case result(QuerySide)
  /// A whole condition.
  case condition(QueryCondition)
}

/// A type-safe condition in the making: a property, or a comparison of properties.
///
///     realm.objects(Airport.self).where { $0.elevation > 300 && $0.country == "FR" }
///
/// The closure runs once, on a value that stands for every object; it makes a predicate tree and
/// compares nothing itself.
///
/// A property of the objects in a collection stands for that of any of them:
///
///     realm.objects(Person.self).where { $0.dogs.age > 10 }
///
/// To ask several things of the same object, count those that match:
///
///     realm.objects(Person.self).where { ($0.dogs.age > 10 && $0.dogs.name == "Fido").count > 0 }
@dynamicMemberLookup
public struct Query<Value> {
  let node: QueryNode

  /// All that is asked, objects or values; the start of every condition.
  init() {
    let isObject =
      isClass(Value.self) || (Value.self as? any MappedPersistable.Type)?.storesObjects == true
    node = .way(isObject ? .start : .itself)
  }

  init(_ node: QueryNode) { self.node = node }

  /// The way that this stands for; anything else stops the process.
  var way: QueryWay {
    guard case .way(let way) = node else {
      Misuse.stop("Only properties lead on: a condition, a count or an aggregate has none.")
    }
    return way
  }

  /// What this is as one side of a comparison; a condition stops the process.
  var side: QuerySide {
    switch node {
    case .way(let way): way.side
    case .result(let side): side
    case .condition:
      Misuse.stop("A query compares properties of objects, not objects or conditions themselves.")
    }
  }

  /// A condition of the values that this stands for.
  func condition(_ make: (Operand) -> QueryPredicate) -> Query<Bool> {
    Query<Bool>(side.condition(make))
  }

  /// The way on to a property.
  func appending<Root: ObjectBase, Member: Persistable>(
    _ keyPath: KeyPath<Root, Member>
  ) -> Query<Member> {
    let name = PropertyNames.name(of: keyPath)
    return Query<Member>(
      .way(way.appending(name, of: Root.className(), Member.propertyShape)))
  }
}

extension Query where Value: ObjectBase {
  /// A property of the objects.
  public subscript<Member: Persistable>(
    dynamicMember keyPath: KeyPath<Value, Member>
  ) -> Query<Member> { appending(keyPath) }
}

extension Query {
  /// A property of the objects that a link or an embedded property leads to.
  public subscript<Wrapped: ObjectBase, Member: Persistable>(
    dynamicMember keyPath: KeyPath<Wrapped, Member>
  ) -> Query<Member> where Value == Wrapped? { appending(keyPath) }
}

extension Query where Value == Bool {
  init(_ condition: QueryCondition) { self.init(.condition(condition)) }

  /// The condition; a property alone must be true.
  var condition: QueryCondition {
    switch node {
    case .condition(let condition): condition
    case .way, .result: holds(true)
    }
  }

  /// The condition as a predicate tree.
  var predicate: QueryPredicate { condition.predicate }

  private func holds(_ value: Bool) -> QueryCondition {
    side.condition { .comparison(Comparison($0, .equal, .value(.bool(value)))) }
  }

  /// What does not match; of a property alone, where it is false.
  public static prefix func ! (query: Query<Bool>) -> Query<Bool> {
    switch query.node {
    case .way, .result: Query<Bool>(query.holds(false))
    case .condition(let condition): Query<Bool>(condition.negated)
    }
  }

  /// What matches both.
  public static func && (first: Query<Bool>, second: Query<Bool>) -> Query<Bool> {
    Query<Bool>(.joined(first.condition, second.condition, QueryPredicate.all))
  }

  /// What matches one or both.
  public static func || (first: Query<Bool>, second: Query<Bool>) -> Query<Bool> {
    Query<Bool>(.joined(first.condition, second.condition, QueryPredicate.any))
  }
}

/// The optional of a class of objects.
private protocol OptionalObject {}

extension Optional: OptionalObject where Wrapped: ObjectBase {}

extension MappedPersistable {
  /// Whether what is stored is an embedded object.
  fileprivate static var storesObjects: Bool { isClass(StoredType.self) }
}

/// Whether a type is a class of objects, or the optional of one.
private func isClass(_ type: Any.Type) -> Bool {
  type is ObjectBase.Type || type is any OptionalObject.Type
}
