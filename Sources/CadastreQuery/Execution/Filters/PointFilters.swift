import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows whose point lies in a region.
struct RegionFilter: BatchFilter {
  let position: ColumnRequest.PositionSlots
  let region: PreparedRegion

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let longitudes = batch.columns[position.longitude]
    let latitudes = batch.columns[position.latitude]
    longitudes.keep(&rows, areNull: false)
    latitudes.keep(&rows, areNull: false)
    let candidates = Array(rows)
    var inside = Array(0..<Int32(candidates.count))
    candidates.map(longitudes.double).withUnsafeBufferPointer { longitudes in
      candidates.map(latitudes.double).withUnsafeBufferPointer { latitudes in
        region.refine(&inside, longitudes: longitudes, latitudes: latitudes)
      }
    }
    rows = RowSet(inside.lazy.map { candidates[Int($0)] })
  }
}

/// Keeps rows whose embedded point has exactly some coordinates, or others than them.
struct CoordinatesFilter: BatchFilter {
  let point: ColumnRequest.PointSlots
  let expected: [Value]
  let isEqual: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    let regular = regularNumbers
    rows.keep { row in
      if let regular, let same = isRegular(regular, batch, row) { return same == isEqual }
      let found = point.content(batch, row)?.coordinates ?? []
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
    guard batch.columns[point.odd].isNull(row), !batch.columns[point.longitude].isNull(row),
      !batch.columns[point.latitude].isNull(row), batch.columns[point.altitude].isNull(row),
      point.presence.map({ !batch.columns[$0].isNull(row) }) ?? true
    else { return nil }
    return batch.columns[point.longitude].double(row) == numbers.0
      && batch.columns[point.latitude].double(row) == numbers.1
  }
}

/// Keeps rows whose embedded point has a type whose name passes a test.
struct PointTypeFilter: BatchFilter {
  let point: ColumnRequest.PointSlots
  let test: BytesTest
  let options: StringOptions
  let nulls: Bool

  var readsBatchOnly: Bool { true }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) {
    rows.keep { row in
      guard let content = point.content(batch, row) else { return nulls }
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
    if let presence, batch.columns[presence].isNull(row) { return nil }
    return PointColumns(longitude: longitude, latitude: latitude, altitude: altitude, odd: odd)
      .content(batch, row)
  }
}
