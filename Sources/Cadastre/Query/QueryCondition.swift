import CadastreModel
import CadastrePredicate

/// A part of a condition: an operand or a predicate.
protocol ConditionPart {
  /// The part inside a subquery, where its object is the one with the collection; nil where it cannot be used there.
  var asOuter: Self? { get }
}

/// The form of a part of a condition inside a subquery.
indirect enum SubqueryForm<Part: ConditionPart> {
  /// The part does not depend on a collection.
  case outside(Part)
  /// The part is evaluated for each object of a collection, and may itself contain a subquery.
  case objects(PropertyPath, Part, inside: SubqueryForm)
  /// The part cannot be used in a subquery, for a reason.
  case refused(String)

  /// Returns the form with transformed parts.
  func mapped<Other>(_ make: (Part) -> Other) -> SubqueryForm<Other> {
    switch self {
    case .outside(let part): .outside(make(part))
    case .objects(let collection, let part, let inside):
      .objects(collection, make(part), inside: inside.mapped(make))
    case .refused(let why): .refused(why)
    }
  }

  /// Joins the forms of two parts; nil if neither depends on a collection.
  static func both<Other>(
    _ first: (part: Part, form: SubqueryForm?), _ second: (part: Part, form: SubqueryForm?),
    _ join: (Part, Part) -> Other
  ) -> SubqueryForm<Other>? {
    if first.form == nil, second.form == nil { return nil }
    return both(
      first.form ?? .outside(first.part), second.form ?? .outside(second.part), join)
  }

  /// Joins two forms, if both depend on the objects of the same collection.
  private static func both<Other>(
    _ first: SubqueryForm, _ second: SubqueryForm, _ join: (Part, Part) -> Other
  ) -> SubqueryForm<Other> {
    switch (first, second) {
    case (.refused(let why), _), (_, .refused(let why)): return .refused(why)
    case (.outside(let part), .outside(let otherPart)): return .outside(join(part, otherPart))
    case (
      .objects(let collection, let part, let inside),
      .objects(let other, let otherPart, let otherInside)
    ):
      guard collection == other else {
        return .refused(
          "Subqueries look at the objects of one collection, found '\(collection)' and '\(other)'.")
      }
      return .objects(collection, join(part, otherPart), inside: both(inside, otherInside, join))
    case (.objects(let collection, let part, let inside), .outside(let other)):
      guard let outer = other.asOuter else { return .refused(Self.outside(of: collection)) }
      return .objects(
        collection, join(part, outer), inside: both(inside, .outside(outer), join))
    case (.outside(let other), .objects(let collection, let part, let inside)):
      guard let outer = other.asOuter else { return .refused(Self.outside(of: collection)) }
      return .objects(
        collection, join(outer, part), inside: both(.outside(outer), inside, join))
    }
  }

  private static func outside(of collection: PropertyPath) -> String {
    "Subqueries compare numbers, dates and texts of the object with '\(collection)': write conditions on its geometry "
      + "beside the count."
  }
}

extension Operand: ConditionPart {
  /// The operand of an outer object; a constant stays as it is.
  var asOuter: Operand? {
    switch self {
    case .value, .list, .constants, .object, .objects, .content, .now, .pattern: self
    case .property, .elements, .aggregate, .subquery: .outer(Outer(self))
    case .outer(let outer): .outer(Outer(outer.operand, level: outer.level + 1))
    case .arithmetic(let arithmetic):
      if let left = arithmetic.left.asOuter, let right = arithmetic.right.asOuter {
        .arithmetic(Arithmetic(left, arithmetic.operation, right))
      } else {
        nil
      }
    case .distance: nil
    }
  }
}

extension QueryPredicate: ConditionPart {
  /// The predicate on an outer object; nil for conditions on its geometry.
  var asOuter: QueryPredicate? {
    switch self {
    case .constant: return self
    case .comparison(let comparison):
      guard let left = comparison.left.asOuter, let right = comparison.right.asOuter else {
        return nil
      }
      return .comparison(
        Comparison(left, comparison.operation, right, options: comparison.options))
    case .not(let inner): return inner.asOuter.map { .not($0) }
    case .and(let parts): return Self.outer(parts).map { .and($0) }
    case .or(let parts): return Self.outer(parts).map { .or($0) }
    case .geoWithin, .relation: return nil
    }
  }

  private static func outer(_ parts: [QueryPredicate]) -> [QueryPredicate]? {
    let outer = parts.compactMap(\.asOuter)
    return outer.count == parts.count ? outer : nil
  }
}

extension SubqueryForm<QueryPredicate> {
  /// The form of the number of matching objects.
  var count: SubqueryForm<Operand> {
    switch self {
    case .outside: .refused("Subqueries must contain a keypath starting with a collection.")
    case .objects(let collection, let predicate, .outside):
      // The collection of an outer object.
      .outside(.subquery(Subquery(collection, predicate)))
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
  /// The form inside a subquery; nil if it does not depend on a collection.
  let inside: Inside?

  /// Makes a condition from this side.
  func condition(_ make: (Operand) -> QueryPredicate) -> QueryCondition {
    QueryCondition(make(operand), inside?.mapped(make))
  }

  /// Returns the side with a transformed operand.
  func mapped(_ make: (Operand) -> Operand) -> QuerySide {
    QuerySide(operand: make(operand), isToMany: isToMany, inside: inside?.mapped(make))
  }

  /// Returns the side computed from this one and from another side with a single value.
  func joined(_ other: QuerySide, _ make: (Operand, Operand) -> Operand) -> QuerySide {
    QuerySide(
      operand: make(operand, other.operand), isToMany: isToMany,
      inside: Inside.both((operand, inside), (other.operand, other.inside), make))
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
      comparison(operand, other.operand),
      Inside.both((operand, inside), (other.operand, other.inside), comparison))
  }
}

/// A condition, and its form inside a subquery.
struct QueryCondition {
  let predicate: QueryPredicate
  /// The form inside a subquery; nil if it does not depend on a collection.
  let inside: SubqueryForm<QueryPredicate>?

  init(_ predicate: QueryPredicate, _ inside: SubqueryForm<QueryPredicate>? = nil) {
    self.predicate = predicate
    self.inside = inside
  }

  /// The negated condition.
  var negated: QueryCondition {
    QueryCondition(predicate.negated, inside?.mapped(\.negated))
  }

  /// Two conditions joined, inside and outside of a subquery.
  static func joined(
    _ first: QueryCondition, _ second: QueryCondition,
    _ join: ([QueryPredicate]) -> QueryPredicate
  ) -> QueryCondition {
    QueryCondition(
      join([first.predicate, second.predicate]),
      SubqueryForm.both((first.predicate, first.inside), (second.predicate, second.inside)) {
        join([$0, $1])
      })
  }
}
