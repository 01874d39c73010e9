import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows by a coordinate of their point: by its column, and where the columns do not represent
/// the point exactly, by the point itself.
struct CoordinateFilter: BatchFilter {
  let coordinate: PointCoordinate
  /// The filter of the column.
  let column: any BatchFilter
  /// The intervals of which one must contain the coordinate.
  let intervals: [Interval<Double>]

  var readsBatchOnly: Bool { column.readsBatchOnly }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    var odd = coordinate.oddRows(batch, rows)
    guard !odd.isEmpty else { return try column.keep(&rows, in: batch) }
    rows.subtract(odd)
    try column.keep(&rows, in: batch)
    odd.keep { row in
      guard let number = coordinate.value(batch, row) else { return false }
      return intervals.contains { $0.contains(number) }
    }
    rows.formUnion(odd)
  }
}

/// Comparisons of coordinates of points with numbers.
extension FilterCompiler {
  /// A filter for a comparison such as `location.latitude > 50`; nil for other ones.
  mutating func coordinateFilter(_ comparison: BoundComparison) throws -> (any BatchFilter)? {
    guard case .elements(.any, let path) = comparison.left,
      let intervals = Self.intervals(comparison),
      let coordinate = try request.coordinate(path)?.coordinate
    else { return nil }
    return CoordinateFilter(
      coordinate: coordinate,
      column: try columnFilter(comparison, at: coordinate.slot, of: request.columns),
      intervals: intervals)
  }

  /// The intervals of numbers for which a comparison with constants holds; nil where null or other
  /// values take part.
  private static func intervals(_ comparison: BoundComparison) -> [Interval<Double>]? {
    let operation = comparison.operation
    func numbers(_ values: [Value]) -> Bool { values.allSatisfy { $0.doubleValue?.isNaN == false } }
    switch comparison.right {
    case .value(let value)
    where numbers([value]) && (operation == .equal || operation.isOrdered):
      return [Interval<Double>.holding(operation, value)].compactMap(\.self)
    case .list(let values) where operation == .between && numbers(values) && values.count == 2:
      guard let lower = Interval<Double>.holding(.greaterOrEqual, values[0]),
        let upper = Interval<Double>.holding(.lessOrEqual, values[1])
      else { return [] }
      return [Interval(lower: lower.lower, upper: upper.upper)]
    case .list(let values) where operation == .isIn && numbers(values):
      return values.compactMap { Interval<Double>.holding(.equal, $0) }
    default: return nil
    }
  }
}
