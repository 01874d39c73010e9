import CadastreModel
import CadastrePredicate

/// What has been said in a type-safe condition so far.
enum QueryNode {
  /// The names on the way to a property; none at the start.
  case path([String])
  /// A whole condition.
  case condition(QueryPredicate)
}

/// A type-safe condition in the making: a property, or a comparison of properties.
///
///     realm.objects(Airport.self).where { $0.elevation > 300 && $0.country == "FR" }
///
/// The closure runs once, on a value that stands for every object; it makes a predicate tree and
/// compares nothing itself.
@dynamicMemberLookup
public struct Query<Value> {
  let node: QueryNode

  init() { node = .path([]) }

  init(_ node: QueryNode) { self.node = node }

  /// The path to the property that this stands for.
  var path: PropertyPath {
    guard case .path(let names) = node, !names.isEmpty else {
      Misuse.stop("A query compares properties of objects, not objects or conditions themselves.")
    }
    return PropertyPath(names)
  }

  private func appending<Root: ObjectBase, Member>(
    _ keyPath: KeyPath<Root, Member>
  ) -> Query<Member> {
    guard case .path(let names) = node else {
      Misuse.stop("A condition has no properties.")
    }
    let way = PropertyNames.name(of: keyPath).split(separator: ".").map(String.init)
    return Query<Member>(.path(names + way))
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
  /// The condition as a predicate tree; a property alone must be true.
  var predicate: QueryPredicate {
    switch node {
    case .condition(let predicate): predicate
    case .path: .compare(path, .equal, .bool(true))
    }
  }

  init(_ predicate: QueryPredicate) { self.init(.condition(predicate)) }

  /// What does not match; of a property alone, where it is false.
  public static prefix func ! (query: Query<Bool>) -> Query<Bool> {
    switch query.node {
    case .path: Query<Bool>(.compare(query.path, .equal, .bool(false)))
    case .condition(let predicate): Query<Bool>(.not(predicate))
    }
  }

  /// What matches both.
  public static func && (first: Query<Bool>, second: Query<Bool>) -> Query<Bool> {
    Query<Bool>(.all([first.predicate, second.predicate]))
  }

  /// What matches one or both.
  public static func || (first: Query<Bool>, second: Query<Bool>) -> Query<Bool> {
    Query<Bool>(.any([first.predicate, second.predicate]))
  }
}
