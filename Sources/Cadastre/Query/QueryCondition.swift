import CadastreModel
import CadastrePredicate

/// The meaning of a part of a condition inside a subquery.
enum QueryInside<Part> {
  /// It begins at no collection.
  case outside
  /// It is evaluated for each object of a collection.
  case objects(PropertyPath, Part)
  /// It has no meaning there; the sentence says why.
  case refused(String)

  /// The same, made into something else.
  func asking<Other>(_ make: (Part) -> Other) -> QueryInside<Other> {
    switch self {
    case .outside: .outside
    case .objects(let collection, let part): .objects(collection, make(part))
    case .refused(let why): .refused(why)
    }
  }

  /// Both, where they are about the objects of the same collection.
  static func both(
    _ first: QueryInside, _ second: QueryInside, _ join: (Part, Part) -> Part
  ) -> QueryInside {
    switch (first, second) {
    case (.refused, _): return first
    case (_, .refused): return second
    case (.outside, .outside): return .outside
    case (.objects(let collection, let part), .objects(let other, let otherPart)):
      guard collection == other else {
        return .refused(
          "Subqueries look at the objects of one collection, found '\(collection)' and '\(other)'.")
      }
      return .objects(collection, join(part, otherPart))
    case (.objects(let collection, _), .outside), (.outside, .objects(let collection, _)):
      return .refused(
        "Subqueries see the properties of their objects only: compare those outside of "
          + "'\(collection)' beside the count.")
    }
  }
}

/// One side of a comparison in the making.
struct QuerySide {
  typealias Inside = QueryInside<Operand>

  let operand: Operand
  /// Whether it may be any number of values.
  let isToMany: Bool
  /// The meaning inside a subquery.
  let inside: Inside

  /// A condition of the values on this side.
  func condition(_ make: (Operand) -> QueryPredicate) -> QueryCondition {
    QueryCondition(make(operand), inside.asking(make))
  }

  /// A comparison with another side; two collections stop the process.
  func compared(
    _ operation: ComparisonOperator, _ other: QuerySide, _ options: StringOptions = []
  ) -> QueryCondition {
    if isToMany, other.isToMany {
      ProgrammingError.stop("Comparing two collection columns is not permitted.")
    }
    let inside = Inside.both(inside, other.inside) { first, _ in first }
    return QueryCondition(
      .comparison(Comparison(operand, operation, other.operand, options: options)),
      // Of two sides that are both inside, both would be collections.
      inside.asking { _ in .constant(true) })
  }
}

/// A condition, and its meaning inside a subquery.
struct QueryCondition {
  let predicate: QueryPredicate
  let inside: QueryInside<QueryPredicate>

  init(_ predicate: QueryPredicate, _ inside: QueryInside<QueryPredicate> = .outside) {
    self.predicate = predicate
    self.inside = inside
  }

  /// The complement.
  var negated: QueryCondition {
    QueryCondition(.not(predicate), inside.asking { .not($0) })
  }

  /// Two conditions joined, inside and outside of a subquery.
  static func joined(
    _ first: QueryCondition, _ second: QueryCondition,
    _ join: ([QueryPredicate]) -> QueryPredicate
  ) -> QueryCondition {
    QueryCondition(
      join([first.predicate, second.predicate]),
      QueryInside.both(first.inside, second.inside) { join([$0, $1]) })
  }
}
