import CadastreModel
import CadastrePredicate
import Foundation

/// The meaning of an expression of `#Predicate`.
indirect enum PredicateTerm {
  /// The end of a path.
  case way(PredicatePath)
  /// A computed number.
  case operand(Operand)
  /// A constant; nil is null.
  case constant(Any?)
  /// Whether something holds.
  case condition(QueryPredicate)
  /// The objects in a collection that match.
  case filtered(PredicatePath, QueryPredicate)
  /// The distance of two geometries in metres.
  case distance(GeometryRelation.Side, GeometryRelation.Side)
  /// From one bound to another.
  case range(PredicateTerm, PredicateTerm, isClosed: Bool)
  /// The term whose condition holds, of conditions that exclude each other; where none holds, no
  /// comparison of it does.
  case cases([(QueryPredicate, PredicateTerm)])
}

/// A path from an object that a closure is given.
struct PredicatePath: Equatable {
  /// The closures round the one whose object it is.
  var level: Int
  var steps: [PropertyPath.Step] = []
  /// How many of the values at its end must fit; nil where there is one.
  var quantifier: Quantifier?
  /// Whether the values are never null, so that a comparison with null is refused.
  var isNeverNull = false

  func appending(_ step: PropertyPath.Step) -> PredicatePath {
    var way = self
    way.isNeverNull = false
    way.steps.append(step)
    return way
  }

  /// Whether it is the object itself.
  var isObject: Bool { steps.isEmpty }

  var path: PropertyPath { PropertyPath(steps: steps) }
}

extension PredicateTerm {
  /// The term made into another; of several cases, each.
  func mapped(
    _ change: (PredicateTerm) throws(QueryPredicateError) -> PredicateTerm
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .cases(let cases) = self else { return try change(self) }
    var changed: [(QueryPredicate, PredicateTerm)] = []
    for (condition, term) in cases { changed.append((condition, try term.mapped(change))) }
    return .cases(changed)
  }
}

extension QueryPredicateError {
  /// The error for an expression that has no meaning here.
  static func unsupported(_ what: String) -> QueryPredicateError {
    QueryPredicateError(.invalidQuery, "#Predicate cannot be translated here: \(what)")
  }

  /// The error for a kind of expression that has no meaning here.
  static func unsupported(_ expression: any PredicateExpression) -> QueryPredicateError {
    let name = "\(type(of: expression))".prefix { $0 != "<" }
    return unsupported("'\(name)' has no meaning in a query")
  }
}
