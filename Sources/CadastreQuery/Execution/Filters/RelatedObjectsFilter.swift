import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose geometries are in a relation to the geometry of any object of a class.
struct RelatedObjectsFilter: BatchFilter {
  /// The geometries of the objects, which are read again if they do not fit the memory.
  final class Objects {
    /// Nil where there are no objects.
    var index: JoinIndex?

    init(_ index: JoinIndex?) { self.index = index }
  }

  let relation: BoundRelation
  let left: GeometrySource
  let objects: Objects

  var readsBatchOnly: Bool { false }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    try rows.keep { row in
      let (lefts, isPartial) = try left.geometries(row, batch, relation.edges)
      // Of no geometries, NONE is true and ALL is false; a missing one is in no relation.
      if lefts.isEmpty { return relation.quantifier == .none }
      if relation.quantifier == .all, isPartial { return false }
      return try relation.quantifier.holds(lefts) { left in
        try objects.index?.partners(of: nil, [left], .relation(relation.kind)).isEmpty == false
      }
    }
  }
}

extension FilterCompiler {
  /// A filter for a relation to objects of a class, whose geometries are read once.
  mutating func filter(
    _ relation: BoundRelation, _ objects: BoundObjectGeometries
  ) throws -> any BatchFilter {
    let index = try rows.geometries(objects, of: relation, traversal.schema)
    return RelatedObjectsFilter(
      relation: relation, left: try geometries(relation.left),
      objects: RelatedObjectsFilter.Objects(index))
  }
}
