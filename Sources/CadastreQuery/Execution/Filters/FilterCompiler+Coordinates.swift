import CadastreModel
import CadastrePredicate
import CadastreStore

/// Keeps rows by a coordinate of their point: by its column, and where the columns do not represent
/// the point exactly, by the point itself.
struct CoordinateFilter: BatchFilter {
  let point: ColumnRequest.PointSlots
  /// The index of the coordinate.
  let index: Int
  /// The filter of the column.
  let column: any BatchFilter
  /// The intervals of which one must contain the coordinate.
  let intervals: [Interval<Double>]

  var readsBatchOnly: Bool { column.readsBatchOnly }

  func keep(_ rows: inout RowSet, in batch: borrowing ColumnBatch) throws {
    var odd = rows
    batch.columns[point.odd].keep(&odd, areNull: false)
    guard !odd.isEmpty else { return try column.keep(&rows, in: batch) }
    rows.subtract(odd)
    try column.keep(&rows, in: batch)
    odd.keep { row in
      guard let coordinates = point.content(batch, row)?.coordinates,
        coordinates.indices.contains(index)
      else { return false }
      return intervals.contains { $0.contains(coordinates[index]) }
    }
    rows.formUnion(odd)
  }
}

/// Comparisons of coordinates of points with numbers.
extension FilterCompiler {
  /// A filter for a comparison such as `location.latitude > 50`; nil for other ones.
  mutating func coordinateFilter(_ comparison: BoundComparison) throws -> (any BatchFilter)? {
    guard case .elements(.any, let path) = comparison.left,
      case .element(.index(let index))? = path.hops.last, (0...2).contains(index),
      let intervals = Self.intervals(comparison)
    else { return nil }
    var properties: [BoundProperty] = []
    for hop in path.hops.dropLast() {
      guard case .property(let property) = hop else { return nil }
      properties.append(property)
    }
    guard properties.last?.property.name == ObjectSchema.pointCoordinatesName,
      case .pointCoordinates(let point) = try request.leaf(properties).leaf
    else { return nil }
    let slots = request.slots(of: point)
    let slot = [slots.longitude, slots.latitude, slots.altitude][index]
    return CoordinateFilter(
      point: slots, index: index,
      column: try columnFilter(comparison, at: slot, of: request.columns), intervals: intervals)
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
