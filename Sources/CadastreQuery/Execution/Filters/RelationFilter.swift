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

    /// Whether the columns of a batch have the geometry.
    var isInBatch: Bool { if case .row(let source) = self { source.isInBatch } else { true } }

    /// Returns the geometry for a row; nil where it is missing or empty.
    func geometry(
      _ row: Int, _ batch: borrowing ColumnBatch, _ edges: EdgeModel
    ) throws -> LocatedGeometry? {
      switch self {
      case .constant(let constant): constant
      case .row(let source): try source.geometries(row, batch, edges).geometries.first
      }
    }
  }

  let relation: BoundRelation
  let left: GeometrySource
  let right: Side

  var readsBatchOnly: Bool { left.isInBatch && right.isInBatch }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    try rows.keep { row in
      let (lefts, isPartial) = try left.geometries(row, batch, relation.edges)
      // Of no geometries, NONE is true and ALL is false; a missing one is in no relation.
      guard !lefts.isEmpty, let right = try right.geometry(row, batch, relation.edges) else {
        return relation.quantifier == .none
      }
      if relation.quantifier == .all, isPartial { return false }
      return relation.quantifier.holds(lefts) {
        relation.kind.holds($0, right, edges: relation.edges)
      }
    }
  }
}

extension FilterCompiler {
  /// A filter for a relation of geometries.
  mutating func filter(_ relation: BoundRelation) throws -> any BatchFilter {
    if case .objects(let objects) = relation.right { return try filter(relation, objects) }
    return RelationFilter(
      relation: relation, left: try geometries(relation.left),
      right: try geometry(relation.right))
  }

  /// The geometry on the right of a relation or of a distance.
  mutating func geometry(_ side: BoundRelation.Side) throws -> RelationFilter.Side {
    switch side {
    case .path(let path): .row(try geometries(path))
    case .region(let region): .constant(.shape(region.prepared))
    case .geometry(let geometry): .constant(.shape(geometry.prepared))
    case .objects: .constant(.shape(PreparedGeometry(Geometry(), edges: .spherical)))
    }
  }
}
