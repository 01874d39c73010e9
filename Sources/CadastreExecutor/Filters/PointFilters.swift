import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose point lies in a region.
struct RegionFilter: BatchFilter {
  let longitude: Int
  let latitude: Int
  let region: PreparedRegion

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let longitudes = batch.columns[longitude]
    let latitudes = batch.columns[latitude]
    var selection = Selection.rows(rows, in: longitudes, areNull: false)
    selection = Selection.rows(selection, in: latitudes, areNull: false)
    longitudes.doubles.withUnsafeBufferPointer { longitudes in
      latitudes.doubles.withUnsafeBufferPointer { latitudes in
        region.refine(&selection, longitudes: longitudes, latitudes: latitudes)
      }
    }
    return selection
  }
}

/// Keeps rows whose embedded point has exactly some coordinates, or others than them.
struct CoordinatesFilter: BatchFilter {
  let point: ColumnRequest.PointSlots
  let expected: [Value]
  let isEqual: Bool

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    let regular = regularNumbers
    return rows.filter { row in
      if let regular, let same = isRegular(regular, batch, Int(row)) { return same == isEqual }
      let found = point.content(batch, Int(row))?.coordinates ?? []
      let same =
        found.count == expected.count
        && zip(found, expected).allSatisfy { coordinate, value in
          Interval<Double>.holding(.equal, value)?.contains(coordinate) ?? false
        }
      return same == isEqual
    }
  }

  /// The longitude and latitude that are expected; nil where there is more or less to compare.
  private var regularNumbers: (Double, Double)? {
    guard expected.count == 2, case .double(let longitude) = expected[0],
      case .double(let latitude) = expected[1]
    else { return nil }
    return (longitude, latitude)
  }

  /// Whether a row's point, if its columns say all of it, has two coordinates; nil for other
  /// points.
  private func isRegular(
    _ numbers: (Double, Double), _ batch: borrowing ColumnBatch, _ row: Int
  ) -> Bool? {
    guard batch.columns[point.odd].isNull[row], !batch.columns[point.longitude].isNull[row],
      !batch.columns[point.latitude].isNull[row], batch.columns[point.altitude].isNull[row],
      point.presence.map({ !batch.columns[$0].isNull[row] }) ?? true
    else { return nil }
    return batch.columns[point.longitude].doubles[row] == numbers.0
      && batch.columns[point.latitude].doubles[row] == numbers.1
  }
}

/// Keeps rows whose embedded point has a type whose name passes a test.
struct PointTypeFilter: BatchFilter {
  let point: ColumnRequest.PointSlots
  let test: BytesTest
  let options: StringOptions
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func matching(_ batch: borrowing ColumnBatch, among rows: [Int32]) -> [Int32] {
    rows.filter { row in
      guard let content = point.content(batch, Int(row)) else { return nulls }
      var type = content.type
      return type.withUTF8 { bytes in
        options.isEmpty
          ? test.passes(bytes)
          : BytesFilter.folded(bytes, options, isText: true).withUnsafeBufferPointer(test.passes)
      }
    }
  }
}

extension ColumnRequest.PointSlots {
  /// The members of the point of a row; nil where it is null.
  func content(_ batch: borrowing ColumnBatch, _ row: Int) -> PointColumns.Content? {
    if let presence, batch.columns[presence].isNull[row] { return nil }
    let columns = PointColumns(longitude: 0, latitude: 1, altitude: 2, odd: 3)
    return columns.content([
      batch.columns[longitude].value(row), batch.columns[latitude].value(row),
      batch.columns[altitude].value(row), batch.columns[odd].value(row),
    ])
  }
}
