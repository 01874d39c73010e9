import CadastreModel
import CadastrePredicate
import CadastreStore

/// A coordinate of an embedded point, such as `location.latitude`: its column, and where the columns do not represent
/// the point exactly, the element of its coordinates.
struct PointCoordinate {
  let point: ColumnRequest.PointSlots
  /// The index in the coordinates, from 0 to 2.
  let index: Int

  /// The slot of the column.
  var slot: Int { [point.longitude, point.latitude, point.altitude][index] }

  /// Returns the rows of a selection whose points are not represented by the columns.
  func oddRows(_ batch: borrowing ColumnBatch, _ rows: RowSet) -> RowSet {
    var odd = rows
    batch.columns[point.odd].keep(&odd, areNull: false)
    return odd
  }

  /// Returns the coordinate of a row; nil where the point is null or has fewer coordinates.
  func value(_ batch: borrowing ColumnBatch, _ row: Int) -> Double? {
    if batch.columns[point.odd].isNull(row) {
      let column = batch.columns[slot]
      return column.isNull(row) ? nil : column.double(row)
    }
    guard let coordinates = point.content(batch, row)?.coordinates,
      coordinates.indices.contains(index)
    else { return nil }
    return coordinates[index]
  }

  /// Returns the coordinates of the rows of a batch; those of rows that are not selected are undefined.
  func column(_ batch: borrowing ColumnBatch, _ rows: RowSet) -> BatchColumn {
    let column = batch.columns[slot]
    if oddRows(batch, rows).isEmpty { return column }
    var values: [Double?] = []
    for row in 0..<column.count { values.append(rows.contains(row) ? value(batch, row) : nil) }
    return BatchColumn(values)
  }
}

extension ColumnRequest {
  /// Returns the coordinate of a point at the end of a path, and the slots of the columns that are null where a link on
  /// the path is null; nil for other paths.
  mutating func coordinate(
    _ path: BoundPath
  ) throws(StoreError) -> (coordinate: PointCoordinate, linkColumns: [Int])? {
    guard case .element(.index(let index))? = path.hops.last, (0...2).contains(index) else {
      return nil
    }
    var properties: [BoundProperty] = []
    for hop in path.hops.dropLast() {
      guard case .property(let property) = hop else { return nil }
      properties.append(property)
    }
    guard properties.last?.property.name == ObjectSchema.pointCoordinatesName,
      case (.pointCoordinates(let point), let linkColumns) = try leaf(properties)
    else { return nil }
    return (PointCoordinate(point: slots(of: point), index: index), linkColumns)
  }
}
