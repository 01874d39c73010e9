import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// The geometries at the end of a path, row by row.
enum GeometrySource {
  /// In a column.
  case column(Int)
  /// An embedded point.
  case point(ColumnRequest.PositionSlots)
  /// At the end of a path that must be traversed.
  case path(PathValues)

  /// Whether the columns of a batch have the geometries.
  var isInBatch: Bool { if case .path = self { false } else { true } }

  /// Returns the geometries of a row; those that are missing or empty are left out.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - batch: The batch.
  ///   - edges: How the edges run between positions.
  /// - Returns: The geometries, and whether one of them was left out.
  /// - Throws: The error of a read.
  func geometries(
    _ row: Int, _ batch: borrowing ColumnBatch, _ edges: EdgeModel
  ) throws -> (geometries: [LocatedGeometry], isPartial: Bool) {
    switch self {
    case .column(let column): return Self.list(geometry(batch.columns[column].value(row), edges))
    case .point(let point): return Self.list(point.geometry(row, batch))
    case .path(let values):
      let nodes = try values.nodes(batch.key(row))
      let geometries = try nodes.compactMap { (node) throws -> LocatedGeometry? in
        guard case .object(let object) = node else { return geometry(node.value, edges) }
        guard let columns = object.point, let row = try object.row(),
          let longitude = row[columns.longitude].doubleValue,
          let latitude = row[columns.latitude].doubleValue
        else { return nil }
        return LocatedGeometry(longitude: longitude, latitude: latitude)
      }
      return (geometries, geometries.count < nodes.count)
    }
  }

  private static func list(
    _ geometry: LocatedGeometry?
  ) -> (geometries: [LocatedGeometry], isPartial: Bool) {
    geometry.map { ([$0], false) } ?? ([], true)
  }

  private func geometry(_ value: Value, _ edges: EdgeModel) -> LocatedGeometry? {
    guard case .geometry(let geometry) = value else { return nil }
    return LocatedGeometry(geometry, edges: edges)
  }
}

extension FilterCompiler {
  /// The geometries at the end of a path.
  mutating func geometries(_ path: BoundPath) throws -> GeometrySource {
    if path.isSingleValue, let properties = path.properties {
      switch try request.leaf(properties).leaf {
      case .value(let slot): return .column(slot)
      case .point(let point): return .point(request.position(of: point))
      default: break
      }
    }
    return .path(values(path.entered.hops))
  }
}

extension ColumnRequest.PositionSlots {
  /// The point of a row; nil where it is missing or out of range.
  func geometry(_ row: Int, _ batch: borrowing ColumnBatch) -> LocatedGeometry? {
    let (longitudes, latitudes) = (batch.columns[longitude], batch.columns[latitude])
    guard !longitudes.isNull(row), !latitudes.isNull(row) else { return nil }
    return LocatedGeometry(longitude: longitudes.double(row), latitude: latitudes.double(row))
  }
}
