import CadastreGeometry
import CadastrePredicate
import CadastreStore

/// Relations to objects of a class.
extension QuerySession {
  /// Runs the inner queries of a plan, and plans again with the geometries of few objects as constants.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - planner: The planner that made it.
  /// - Returns: The same plan if it has no inner queries; else the inner queries of the other one have the numbers of
  ///   objects that were found.
  /// - Throws: The error of a read.
  func resolved(_ plan: Plan, by planner: Planner) throws -> Plan {
    guard !plan.initPlans.isEmpty else { return plan }
    var initPlans = plan.initPlans
    var query = plan.query
    query.predicate = try query.predicate.replacingRelationsToObjects { relation, objects in
      guard let number = initPlans.firstIndex(where: { $0.relation == relation }) else {
        return nil
      }
      let keys = try executor.keys(self.resolved(initPlans[number].plan, by: planner)).keys
      initPlans[number].objects = keys.count
      return keys.count <= InitPlan.mostConstants ? try constants(relation, objects, keys) : nil
    }
    var resolved = planner.plan(query)
    resolved.initPlans = initPlans
    return resolved
  }

  /// The relations to the geometries of some objects.
  private func constants(
    _ relation: BoundRelation, _ objects: BoundObjectGeometries, _ keys: [Int64]
  ) throws -> BoundPredicate {
    var parts: [BoundPredicate] = []
    try executor.forEachGeometry(keys, at: objects.path, edges: relation.edges) {
      for geometry in $1 {
        parts.append(
          .relation(
            BoundRelation(relation.left, relation.kind, geometry, edges: relation.edges)))
      }
    }
    return .any(parts)
  }
}
