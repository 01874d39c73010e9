import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose geometries are in a relation to a constant or to another geometry of the row.
struct RelationFilter: BatchFilter {
  /// The geometries of one side.
  enum Side {
    /// In a column.
    case column(Int)
    /// An embedded point.
    case point(ColumnRequest.PointSlots)
    /// At the end of a path that must be traversed.
    case path(PathValues)
    /// The same for all rows.
    case constant(PreparedGeometry)
  }

  let relation: BoundRelation
  let left: Side
  let right: Side

  var readsBatchOnly: Bool { left.isInBatch && right.isInBatch }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    try rows.keep { row in
      let lefts = try left.geometries(row, batch, relation.edges)
      // Of no geometries, NONE is true and ALL is false.
      if lefts.isEmpty { return relation.quantifier == .none }
      guard let right = try right.geometries(row, batch, relation.edges).first ?? nil else {
        return relation.quantifier == .none
      }
      return relation.quantifier.holds(lefts) { left in
        left.map { relation.holds($0, right) } ?? false
      }
    }
  }
}

extension RelationFilter.Side {
  fileprivate var isInBatch: Bool { if case .path = self { false } else { true } }

  /// The geometries of a row; nil for each that is missing.
  fileprivate func geometries(
    _ row: Int, _ batch: borrowing ColumnBatch, _ edges: EdgeModel
  ) throws -> [PreparedGeometry?] {
    switch self {
    case .constant(let geometry): return [geometry]
    case .column(let column): return [Self.prepared(batch.columns[column].value(row), edges)]
    case .point(let point):
      let (longitudes, latitudes) = (batch.columns[point.longitude], batch.columns[point.latitude])
      guard !longitudes.isNull(row), !latitudes.isNull(row) else { return [nil] }
      return [Self.prepared(longitudes.double(row), latitudes.double(row), edges)]
    case .path(let values):
      return try values.nodes(batch.key(row)).map { (node) throws in
        guard case .object(let object) = node else { return Self.prepared(node.value, edges) }
        guard let point = object.point, let row = try object.row(),
          let longitude = row[point.longitude].doubleValue,
          let latitude = row[point.latitude].doubleValue
        else { return nil }
        return Self.prepared(longitude, latitude, edges)
      }
    }
  }

  private static func prepared(_ value: Value, _ edges: EdgeModel) -> PreparedGeometry? {
    if case .geometry(let geometry) = value {
      PreparedGeometry(geometry, edges: edges)
    } else {
      nil
    }
  }

  private static func prepared(
    _ longitude: Double, _ latitude: Double, _ edges: EdgeModel
  ) -> PreparedGeometry? {
    GeoPoint(latitude: latitude, longitude: longitude).map {
      PreparedGeometry(Geometry($0), edges: edges)
    }
  }
}

extension FilterCompiler {
  /// A filter for a relation of geometries.
  mutating func filter(_ relation: BoundRelation) throws -> any BatchFilter {
    let right: RelationFilter.Side =
      switch relation.right {
      case .constant(_, let constant): .constant(constant)
      case .path(let path): try side(path)
      }
    return RelationFilter(relation: relation, left: try side(relation.path), right: right)
  }

  private mutating func side(_ path: BoundPath) throws -> RelationFilter.Side {
    if path.isSingleValue, let properties = path.properties {
      switch try request.leaf(properties).leaf {
      case .value(let place): return .column(place)
      case .point(let point): return .point(point)
      default: break
      }
    }
    return .path(values(path.entered.hops))
  }
}
