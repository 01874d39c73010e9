import CadastrePredicate
public import Foundation

extension PredicateExpressions {
  /// Whether a geometry lies in another one, in a region, or in a set of geometries:
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
    /// - Throws: The errors of the parts.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let container = try container.evaluate(bindings)
      let member = DynamicValue.unwrapped(try member.evaluate(bindings))
      if let geometry = member as? Geometry { return container.contains(geometry) }
      return container.contains(member as? EmbeddedObject)
    }
  }

  /// Makes the expression of `region.contains($0.location)`; the macro `#Predicate` calls it.
  ///
  /// - Parameters:
  ///   - container: The region or geometry.
  ///   - member: The geometry that lies in it.
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

extension PredicateExpressions.GeometryContains: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    let container = try translation.term(container)
    let member = try translation.term(member)
    let current = translation
    return .condition(
      try current.condition(
        member.mapped { (member) throws(QueryPredicateError) in
          .condition(.regular(try current.relation(of: member, toMembersOf: container)))
        }))
  }
}

extension PredicateTranslation {
  /// The relation that members of a set, or those within a container, have to it.
  fileprivate func relation(
    of member: PredicateTerm, toMembersOf container: PredicateTerm
  ) throws(QueryPredicateError) -> GeometryRelation {
    guard case .constant(let set as GeometrySet) = container else {
      return GeometryRelation(try side(member), .within, try side(container))
    }
    return GeometryRelation(try side(member), set.kind, set.side, edges: set.edges)
  }

  /// A term as one side of a relation.
  func side(
    _ term: PredicateTerm
  ) throws(QueryPredicateError) -> GeometryRelation.Side {
    switch term {
    case .way(let way): return .path(try path(of: way))
    case .constant(let constant as any GeometryOperand): return constant.relationSide
    case .constant(nil): return .geometry(Geometry())
    default: throw .unsupported("a relation is between geometries, points and regions")
    }
  }
}
