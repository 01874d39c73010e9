import CadastreGeometry
import CadastrePredicate
public import Foundation

extension PredicateExpressions {
  /// The test whether a geometry lies in another geometry, in a region, or in a set of geometries:
  /// `region.contains($0.location)`, `region.intersecting.contains($0.border)`.
  public struct GeometryContains<Container: PredicateExpression, Member: PredicateExpression>:
    PredicateExpression
  where Container.Output: GeometryMembers, Member.Output: GeometryProperty {
    let container: Container
    let member: Member

    /// Returns whether the geometry lies in the other one.
    ///
    /// - Parameter bindings: The values of the variables.
    /// - Returns: False also for nil and for an empty geometry.
    /// - Throws: The errors of the operands.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let container = try container.evaluate(bindings)
      let member = DynamicValue.unwrapped(try member.evaluate(bindings))
      if let geometry = member as? Geometry { return container.contains(geometry) }
      return container.contains(member as? EmbeddedObject)
    }
  }

  /// Creates the expression `region.contains($0.location)`, for the macro `#Predicate`.
  ///
  /// - Parameters:
  ///   - container: The region or geometry.
  ///   - member: The tested geometry.
  /// - Returns: The expression.
  public static func build_contains<Container, Member>(
    _ container: Container, _ member: Member
  ) -> GeometryContains<Container, Member> {
    GeometryContains(container: container, member: member)
  }
}

extension PredicateExpressions.GeometryContains: StandardPredicateExpression
where Container: StandardPredicateExpression, Member: StandardPredicateExpression {}
extension PredicateExpressions.GeometryContains: Codable
where Container: Codable, Member: Codable {}
extension PredicateExpressions.GeometryContains: Sendable
where Container: Sendable, Member: Sendable {}

extension PredicateExpressions.GeometryContains: TranslatableExpression
where Container: TranslatableExpression, Member: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let container = try container.term(in: &translation)
    let member = try member.term(in: &translation)
    let current = translation
    return .condition(
      try current.condition(
        member.mapped { (member) throws(QueryPredicateError) in
          .condition(.regular(try current.relation(of: member, toMembersOf: container)))
        }))
  }
}

extension PredicateTranslation {
  /// Returns the relation of a member to a geometry set or a container.
  fileprivate func relation(
    of member: PredicateTerm, toMembersOf container: PredicateTerm
  ) throws(QueryPredicateError) -> GeometryRelation {
    guard case .constant(let set as GeometrySet) = container else {
      return GeometryRelation(try side(member), .within, try side(container))
    }
    return GeometryRelation(try side(member), set.kind, set.side, edges: set.edges)
  }

  /// Converts a term to one side of a relation.
  func side(
    _ term: PredicateTerm
  ) throws(QueryPredicateError) -> GeometryRelation.Side {
    switch term {
    case .path(let path): return .path(try propertyPath(of: path))
    case .constant(let constant as any GeometryOperand): return constant.relationSide
    case .constant(nil): return .geometry(Geometry())
    default: throw .unsupported("a relation is between geometries, points and regions")
    }
  }
}

extension PredicateExpressions {
  /// The distance of a geometry in metres: `region.distancesInMeters[$0.location]`.
  public struct GeometryDistance<Distances: PredicateExpression, Member: PredicateExpression>:
    PredicateExpression
  where Distances.Output == GeometryDistances, Member.Output: GeometryProperty {
    let distances: Distances
    let member: Member

    /// Returns the distance.
    ///
    /// - Parameter bindings: The values of the variables.
    /// - Returns: The distance in metres; NaN without a geometry.
    /// - Throws: The errors of the operands.
    public func evaluate(_ bindings: PredicateBindings) throws -> Double {
      let distances = try distances.evaluate(bindings)
      let member = DynamicValue.unwrapped(try member.evaluate(bindings))
      if let geometry = member as? Geometry { return distances[geometry] }
      return distances[member as? EmbeddedObject]
    }
  }

  /// Creates the expression `region.distancesInMeters[$0.location]`, for the macro `#Predicate`.
  ///
  /// - Parameters:
  ///   - distances: The distances.
  ///   - member: The geometry.
  /// - Returns: The expression.
  public static func build_subscript<Distances, Member>(
    _ distances: Distances, _ member: Member
  ) -> GeometryDistance<Distances, Member> {
    GeometryDistance(distances: distances, member: member)
  }
}

extension PredicateExpressions.GeometryDistance: StandardPredicateExpression
where Distances: StandardPredicateExpression, Member: StandardPredicateExpression {}
extension PredicateExpressions.GeometryDistance: Codable
where Distances: Codable, Member: Codable {}
extension PredicateExpressions.GeometryDistance: Sendable
where Distances: Sendable, Member: Sendable {}

extension PredicateExpressions.GeometryDistance: TranslatableExpression
where Distances: TranslatableExpression, Member: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .constant(let distances as GeometryDistances) = try distances.term(in: &translation)
    else { throw .unsupported(self) }
    let member = try member.term(in: &translation)
    let current = translation
    return try member.mapped { (member) throws(QueryPredicateError) in
      .distance(try current.side(member), distances.side)
    }
  }
}

extension PredicateTranslation {
  /// Returns the relation for a comparison of a distance with a number of metres.
  func relation(
    _ left: GeometryRelation.Side, _ operation: ComparisonOperator?, _ metres: Any?,
    _ right: GeometryRelation.Side
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard let operation, [.less, .lessOrEqual, .greater, .greaterOrEqual].contains(operation),
      let metres = metres as? Double, let limit = Distance.kilometers(metres / 1000)
    else {
      throw .unsupported("a distance is compared by <, <=, > or >= with metres from 0")
    }
    return .regular(GeometryRelation(left, .distance(operation, limit), right))
  }
}
