import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose geometries are in a relation to a constant or to another geometry of the row.
struct RelationFilter: BatchFilter {
  /// The geometry on the right.
  enum Side {
    /// The same for all rows.
    case constant(LocatedGeometry)
    /// One of each row.
    case row(GeometrySource)
  }

  let relation: BoundRelation
  let left: GeometrySource
  let right: Side

  var readsBatchOnly: Bool {
    if case .row(let source) = right, !source.isInBatch { return false }
    return left.isInBatch
  }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    try rows.keep { row in
      let (lefts, isPartial) = try left.geometries(row, batch, relation.edges)
      // Of no geometries, NONE is true and ALL is false; a missing one is in no relation.
      guard !lefts.isEmpty, let right = try right(row, batch) else {
        return relation.quantifier == .none
      }
      if relation.quantifier == .all, isPartial { return false }
      return relation.quantifier.holds(lefts) {
        relation.kind.holds($0, right, edges: relation.edges)
      }
    }
  }

  private func right(_ row: Int, _ batch: borrowing ColumnBatch) throws -> LocatedGeometry? {
    switch right {
    case .constant(let constant): constant
    case .row(let source): try source.geometries(row, batch, relation.edges).geometries.first
    }
  }
}

extension FilterCompiler {
  /// A filter for a relation of geometries.
  mutating func filter(_ relation: BoundRelation) throws -> any BatchFilter {
    let right: RelationFilter.Side
    switch relation.right {
    case .region(let region): right = .constant(.shape(region.prepared))
    case .geometry(let geometry): right = .constant(.shape(geometry.prepared))
    case .path(let path): right = .row(try geometries(path))
    case .objects(let objects): return try filter(relation, objects)
    }
    return RelationFilter(relation: relation, left: try geometries(relation.left), right: right)
  }
}
