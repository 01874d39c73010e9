import CadastreModel
import CadastrePredicate

/// The part of a type-safe condition that a `Query` represents.
enum QueryNode {
  /// A path to values.
  case path(QueryPath)
  /// A computed number or value.
  case result(QuerySide)
  /// A condition.
  case condition(QueryCondition)

  /// The path of a property; other nodes stop the process.
  var queryPath: QueryPath {
    guard case .path(let path) = self else {
      ProgrammingError.stop(
        "Only properties lead on: a condition, a count or an aggregate has none.")
    }
    return path
  }

  /// The node as one side of a comparison; a condition stops the process.
  var side: QuerySide {
    switch self {
    case .path(let path): path.side
    case .result(let side): side
    case .condition:
      ProgrammingError.stop(
        "A query compares properties of objects, not objects or conditions themselves.")
    }
  }

  /// Makes a condition from the operand of the node.
  func condition(_ make: (Operand) -> QueryPredicate) -> Query<Bool> {
    Query<Bool>(side.condition(make))
  }
}

/// A property, or a condition, in a type-safe query.
///
///     realm.objects(Airport.self).where { $0.elevation > 300 && $0.country == "FR" }
///
/// The closure runs once, on a value that represents all objects, and builds a predicate tree.
///
/// A property of the objects in a collection matches if any object matches:
///
///     realm.objects(Person.self).where { $0.dogs.age > 10 }
///
/// For several conditions on the same object, count the matching objects:
///
///     realm.objects(Person.self).where { ($0.dogs.age > 10 && $0.dogs.name == "Fido").count > 0 }
@dynamicMemberLookup
public struct Query<Value> {
  let node: QueryNode

  /// Creates the root of a condition: the queried objects or values.
  init() {
    let isObject =
      isClass(Value.self) || (Value.self as? any MappedPersistable.Type)?.storesObjects == true
    node = .path(isObject ? .start : .itself)
  }

  init(_ node: QueryNode) { self.node = node }

  /// The path of a property; other nodes stop the process.
  var queryPath: QueryPath { node.queryPath }

  /// The node as one side of a comparison; a condition stops the process.
  var side: QuerySide { node.side }

  /// Makes a condition from the operand of this node.
  func condition(_ make: (Operand) -> QueryPredicate) -> Query<Bool> { node.condition(make) }

  /// Returns the path extended by a property.
  func appending<Root: ObjectBase, Member: Persistable>(
    _ keyPath: KeyPath<Root, Member>
  ) -> Query<Member> {
    let steps = PropertyNames.steps(of: keyPath)
    return Query<Member>(
      .path(queryPath.appending(steps, of: Root.self, Member.propertyShape)))
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

  /// The condition; a Boolean property is compared with true.
  var condition: QueryCondition {
    switch node {
    case .condition(let condition): condition
    case .path, .result: holds(true)
    }
  }

  /// The condition as a predicate tree.
  var predicate: QueryPredicate { condition.predicate }

  private func holds(_ value: Bool) -> QueryCondition {
    side.condition { .comparison(Comparison($0, .equal, .value(.bool(value)))) }
  }

  /// Negates a condition; a Boolean property is compared with false.
  public static prefix func ! (query: Query<Bool>) -> Query<Bool> {
    switch query.node {
    case .path, .result: Query<Bool>(query.holds(false))
    case .condition(let condition): Query<Bool>(condition.negated)
    }
  }

  /// Matches if both conditions match.
  public static func && (first: Query<Bool>, second: Query<Bool>) -> Query<Bool> {
    Query<Bool>(.joined(first.condition, second.condition, QueryPredicate.all))
  }

  /// Matches if at least one of the conditions matches.
  public static func || (first: Query<Bool>, second: Query<Bool>) -> Query<Bool> {
    Query<Bool>(.joined(first.condition, second.condition, QueryPredicate.any))
  }
}

/// The optional of a class of objects.
@_documentation(visibility: internal)
public protocol OptionalObject {
  /// The class.
  associatedtype Wrapped: ObjectBase
}

extension Optional: OptionalObject where Wrapped: ObjectBase {}

extension MappedPersistable {
  /// Whether the stored type is a class of embedded objects.
  fileprivate static var storesObjects: Bool { isClass(StoredType.self) }
}

/// Returns whether a type is a class of objects, or the optional of one.
private func isClass(_ type: Any.Type) -> Bool {
  type is ObjectBase.Type || type is any OptionalObject.Type
}

extension Query where Value == Bool {
  /// The number of objects in a collection that match the condition.
  ///
  ///     people.where { ($0.dogs.age > 10 && $0.dogs.name.starts(with: "F")).count >= 2 }
  ///
  /// Properties in the condition belong to the objects of one collection, or are single values of the object itself:
  ///
  ///     people.where { ($0.dogs.name == $0.name).count == 0 }
  ///
  /// A nested condition may count objects of a collection of these objects, or of the object itself.
  public var count: Query<Int> {
    switch condition.inside {
    case .objects(let collection, let predicate, _)?:
      return Query<Int>(
        .result(
          QuerySide(
            operand: .subquery(Subquery(collection, predicate)), isToMany: false,
            inside: condition.inside?.count)))
    case .outside?, nil:
      ProgrammingError.stop("Subqueries must contain a keypath starting with a collection.")
    case .refused(let why)?: ProgrammingError.stop(why)
    }
  }
}
