import CadastreModel
import CadastrePredicate

/// The form of a part of a condition inside a subquery.
indirect enum SubqueryForm<Part> {
  /// The part does not depend on a collection, so it has no form in a subquery.
  case outside
  /// The part is evaluated for each object of a collection, and may itself contain a subquery.
  case objects(PropertyPath, Part, inside: SubqueryForm)
  /// The part cannot be used in a subquery, for a reason.
  case refused(String)

  /// Returns the form with transformed parts.
  func mapped<Other>(_ make: (Part) -> Other) -> SubqueryForm<Other> {
    switch self {
    case .outside: .outside
    case .objects(let collection, let part, let inside):
      .objects(collection, make(part), inside: inside.mapped(make))
    case .refused(let why): .refused(why)
    }
  }

  /// Joins two forms, if both depend on the objects of the same collection.
  static func both<Other>(
    _ first: SubqueryForm, _ second: SubqueryForm, _ join: (Part, Part) -> Other
  ) -> SubqueryForm<Other> {
    switch (first, second) {
    case (.refused(let why), _), (_, .refused(let why)): return .refused(why)
    case (.outside, .outside): return .outside
    case (
      .objects(let collection, let part, let inside),
      .objects(let other, let otherPart, let otherInside)
    ):
      guard collection == other else {
        return .refused(
          "Subqueries look at the objects of one collection, found '\(collection)' and '\(other)'.")
      }
      return .objects(collection, join(part, otherPart), inside: both(inside, otherInside, join))
    case (.objects(let collection, _, _), .outside), (.outside, .objects(let collection, _, _)):
      return .refused(
        "Subqueries see the properties of their objects only: compare those outside of "
          + "'\(collection)' beside the count.")
    }
  }
}

extension SubqueryForm<QueryPredicate> {
  /// The form of the number of matching objects.
  var count: SubqueryForm<Operand> {
    switch self {
    case .outside: .outside
    case .objects(let collection, _, .outside):
      .refused(
        "Subqueries see the properties of their objects only: '\(collection)' is outside of the subquery "
          + "in which its objects are counted.")
    case .objects(let collection, _, .objects(let members, let predicate, let inside)):
      .objects(
        collection, .subquery(Subquery(members, predicate)),
        inside: Self.objects(members, predicate, inside: inside).count)
    case .objects(_, _, .refused(let why)), .refused(let why): .refused(why)
    }
  }
}

/// One side of a comparison.
struct QuerySide {
  typealias Inside = SubqueryForm<Operand>

  let operand: Operand
  /// Whether the side may have any number of values.
  let isToMany: Bool
  /// The form inside a subquery.
  let inside: Inside

  /// Makes a condition from this side.
  func condition(_ make: (Operand) -> QueryPredicate) -> QueryCondition {
    QueryCondition(make(operand), inside.mapped(make))
  }

  /// Returns the side with a transformed operand.
  func mapped(_ make: (Operand) -> Operand) -> QuerySide {
    QuerySide(operand: make(operand), isToMany: isToMany, inside: inside.mapped(make))
  }

  /// Returns the side computed from this one and from another side with a single value.
  func joined(_ other: QuerySide, _ make: (Operand, Operand) -> Operand) -> QuerySide {
    QuerySide(
      operand: make(operand, other.operand), isToMany: isToMany,
      inside: Inside.both(inside, other.inside, make))
  }

  /// Compares with another side; two collections stop the process.
  func compared(
    _ operation: ComparisonOperator, _ other: QuerySide, _ options: StringOptions = []
  ) -> QueryCondition {
    if isToMany, other.isToMany {
      ProgrammingError.stop("Comparing two collection columns is not permitted.")
    }
    func comparison(_ left: Operand, _ right: Operand) -> QueryPredicate {
      .comparison(Comparison(left, operation, right, options: options))
    }
    return QueryCondition(
      comparison(operand, other.operand), Inside.both(inside, other.inside, comparison))
  }
}

/// A condition, and its form inside a subquery.
struct QueryCondition {
  let predicate: QueryPredicate
  let inside: SubqueryForm<QueryPredicate>

  init(_ predicate: QueryPredicate, _ inside: SubqueryForm<QueryPredicate> = .outside) {
    self.predicate = predicate
    self.inside = inside
  }

  /// The negated condition.
  var negated: QueryCondition {
    QueryCondition(predicate.negated, inside.mapped(\.negated))
  }

  /// Two conditions joined, inside and outside of a subquery.
  static func joined(
    _ first: QueryCondition, _ second: QueryCondition,
    _ join: ([QueryPredicate]) -> QueryPredicate
  ) -> QueryCondition {
    QueryCondition(
      join([first.predicate, second.predicate]),
      SubqueryForm.both(first.inside, second.inside) { join([$0, $1]) })
  }
}
