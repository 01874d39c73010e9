import CadastreGeometry
import CadastrePredicate
public import Foundation

extension PredicateExpressions {
  /// The distance of a geometry in metres: `region.distances[$0.location]`.
  public struct GeometryDistance<Distances: PredicateExpression, Member: PredicateExpression>:
    PredicateExpression
  where Distances.Output == GeometryDistances, Member.Output: GeometryProperty {
    let distances: Distances
    let member: Member

    /// Returns the distance.
    ///
    /// - Parameter bindings: The values of the variables.
    /// - Returns: The distance in metres; NaN without a geometry.
    /// - Throws: The errors of the parts.
    public func evaluate(_ bindings: PredicateBindings) throws -> Double {
      let distances = try distances.evaluate(bindings)
      let member = DynamicValue.unwrapped(try member.evaluate(bindings))
      if let geometry = member as? Geometry { return distances[geometry] }
      return distances[member as? EmbeddedObject]
    }
  }

  /// Makes the expression of `region.distances[$0.location]`; the macro `#Predicate` calls it.
  ///
  /// - Parameters:
  ///   - distances: The distances.
  ///   - member: The geometry whose distance it is.
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

extension PredicateExpressions.GeometryDistance: TranslatableExpression {
  func term(
    in translation: inout PredicateTranslation
  ) throws(QueryPredicateError) -> PredicateTerm {
    guard case .constant(let distances as GeometryDistances) = try translation.term(distances)
    else { throw .unsupported(self) }
    let member = try translation.term(member)
    let current = translation
    return try member.mapped { (member) throws(QueryPredicateError) in
      .distance(try current.side(member), distances.side)
    }
  }
}

extension PredicateTranslation {
  /// The relation of two geometries whose distance compares with a number of metres.
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
