import CadastreModel
import CadastrePredicate
import CadastreStore

/// Points in regions.
extension PlanRun {
  /// The number of points in regions; points that the index decides are counted without being
  /// listed.
  mutating func count(_ index: IndexReference, _ inside: PositionPredicate) throws -> Int {
    let matches = try find(index, inside, counting: true)
    return matches.acceptedCount + (try exact(matches.candidates, inside.predicate).count)
  }

  /// The points that the index accepts, and the candidates that need refinement.
  mutating func find(
    _ index: IndexReference, _ inside: PositionPredicate, counting: Bool = false
  ) throws -> RTreeTraversal.Matches {
    let matches = try traversal(of: index).find(
      RegionClassifier(inside.regions), counting: counting)
    note(matches)
    return matches
  }

  func traversal(of index: IndexReference) throws -> RTreeTraversal {
    try RTreeTraversal(layout.spatialIndexes[index.position], reader)
  }

  mutating func note(_ matches: RTreeTraversal.Matches) {
    statistics.nodesRead += matches.nodesRead
    statistics.boxesTested += matches.boxesTested
  }

  /// The number of geometries in a relation; those that the index decides are counted without being
  /// listed.
  mutating func count(_ index: IndexReference, _ relation: BoundRelation) throws -> Int {
    let matches = try find(index, relation, counting: true)
    return matches.acceptedCount + (try exact(matches.candidates, .relation(relation)).count)
  }

  /// The geometries that the index accepts, and the candidates that need refinement.
  mutating func find(
    _ index: IndexReference, _ relation: BoundRelation, counting: Bool = false
  ) throws -> RTreeTraversal.Matches {
    guard let classifier = RelationClassifier(relation) else { return RTreeTraversal.Matches() }
    let matches = try traversal(of: index).find(classifier, counting: counting)
    note(matches)
    return matches
  }

  /// Refines candidates by their exact coordinates.
  ///
  /// The only code that fetches the coordinates of many keys.
  mutating func exact(
    _ keys: [Int64], _ predicate: BoundPredicate
  ) throws -> [Int64] {
    guard !keys.isEmpty else { return [] }
    var compiler = FilterCompiler(layout, reader, schema)
    let filter = try compiler.filter(predicate)
    let reading = BatchReader(layout, compiler.request.columns, reader)
    var found: [Int64] = []
    try reading.forEachBatch(of: keys) { batch in
      batch.appendKeys(of: try filter.matching(batch, among: batch.allRows), to: &found)
    }
    statistics.exactTests += keys.count
    note(reading)
    return found
  }
}
