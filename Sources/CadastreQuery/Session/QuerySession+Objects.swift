import CadastreGeometry
import CadastrePredicate
import CadastreStore

/// Relations to objects of a class.
extension QuerySession {
  /// The greatest number of objects whose geometries become constants, each found by a search of a
  /// spatial index; more are found by a tree in memory while the rows are scanned.
  private static let mostConstants = 16

  /// The query with relations to few objects of a class as relations to their geometries.
  ///
  /// - Parameter query: The query.
  /// - Returns: The same query if it has no such relation.
  /// - Throws: The error of a read.
  func withConstants(_ query: BoundQuery) throws -> BoundQuery {
    var query = query
    query.predicate = try query.predicate.replacingRelationsToObjects { relation, objects in
      relation.quantifier == .any ? try constants(relation, objects) : nil
    }
    return query
  }

  /// Relations to the geometries of few objects; nil where there are many.
  private func constants(
    _ relation: BoundRelation, _ objects: BoundObjectGeometries
  ) throws -> BoundPredicate? {
    var few = objects.query
    few.limit = Self.mostConstants + 1
    let keys = try keys(few).keys
    guard keys.count <= Self.mostConstants else { return nil }
    var parts: [BoundPredicate] = []
    try executor().forEachGeometry(keys, at: objects.path, edges: relation.edges) {
      for geometry in $1 {
        parts.append(
          .relation(
            BoundRelation(relation.left, relation.kind, geometry, edges: relation.edges)))
      }
    }
    return .any(parts)
  }
}
