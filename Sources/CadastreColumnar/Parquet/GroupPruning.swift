import CadastreModel

/// The pruning of a row group and its pages by statistics.
struct GroupPruning {
  private let parquet: ParquetFile
  private let group: RowGroupMetadata
  private let geometry: GeometryColumn?

  init(_ parquet: ParquetFile, _ group: RowGroupMetadata, _ geometry: GeometryColumn?) {
    self.parquet = parquet
    self.group = group
    self.geometry = geometry
  }

  /// Returns whether a row of the group may match a selection, by the statistics of the group.
  func mayMatch(_ selection: ParquetReader.Selection) -> Bool {
    guard group.rowCount > 0 else { return true }
    if let box = selection.box, let geometry, !mayTouch(box, geometry) { return false }
    return selection.intervals.allSatisfy(mayMatch)
  }

  // MARK: Boxes

  private func mayTouch(_ box: ColumnarBox, _ geometry: GeometryColumn) -> Bool {
    if let covering = coveringBounds(geometry) { return covering.mayTouch(box) }
    guard let bounds = bounds(geometry) else { return true }
    return box.touches(xMin: bounds[0], yMin: bounds[1], xMax: bounds[2], yMax: bounds[3])
  }

  /// Returns the bounds of the covering column; nil if the statistics lack one.
  private func coveringBounds(_ geometry: GeometryColumn) -> CoveringBounds? {
    guard let covering = geometry.covering, let west = range(covering[0]),
      let east = range(covering[2]), let south = number(covering[1], isMaximum: false),
      let north = number(covering[3], isMaximum: true)
    else { return nil }
    return CoveringBounds(west: west, south: south, east: east, north: north)
  }

  private func range(_ leaf: Int) -> ClosedRange<Double>? {
    guard let minimum = number(leaf, isMaximum: false), let maximum = number(leaf, isMaximum: true),
      minimum <= maximum
    else { return nil }
    return minimum...maximum
  }

  /// Returns the bounds of the geometries, xmin, ymin, xmax and ymax; nil if the statistics lack one.
  private func bounds(_ geometry: GeometryColumn) -> [Double]? {
    switch geometry.encoding {
    case .coordinates(let x, let y, _): return bounds(x, y)
    case .nested(let native): return bounds(native.leaves.x, native.leaves.y)
    case .wellKnownBinary(let leaf):
      guard let box = group.chunks[leaf].boundingBox, let xMin = box[0], let xMax = box[1],
        let yMin = box[2], let yMax = box[3], xMin <= xMax
      else { return nil }
      return [xMin, yMin, xMax, yMax]
    }
  }

  private func bounds(_ x: Int, _ y: Int) -> [Double]? {
    let bounds = [
      number(x, isMaximum: false), number(y, isMaximum: false), number(x, isMaximum: true),
      number(y, isMaximum: true),
    ].compactMap { $0 }
    return bounds.count == 4 ? bounds : nil
  }

  private func number(_ leaf: Int, isMaximum: Bool) -> Double? {
    guard let value = bound(leaf, isMaximum: isMaximum)?.doubleValue, !value.isNaN else {
      return nil
    }
    return value
  }

  // MARK: Pages

  /// A closed interval of the values of a leaf; it is unbounded where a bound is nil.
  private struct Condition {
    let leaf: Int
    var lower: Value?
    var upper: Value?
  }

  /// Returns the ranges of rows that may match, by the page indexes, in ascending order with gaps between them.
  func rows(_ selection: ParquetReader.Selection) -> [Range<Int>] {
    var rows = [0..<group.rowCount]
    for condition in conditions(selection) {
      guard let matching = matchingRows(condition) else { continue }
      rows = Self.intersection(rows, matching)
    }
    return rows
  }

  private func conditions(_ selection: ParquetReader.Selection) -> [Condition] {
    var conditions: [Condition] = []
    for interval in selection.intervals {
      if let root = parquet.columns.roots.first(where: { $0.name == interval.column }),
        case .leaf(let leaf) = root.node
      {
        conditions.append(
          Condition(leaf: leaf.index, lower: interval.lower, upper: interval.upper))
      }
    }
    guard let box = selection.box, let geometry else { return conditions }
    var sides = geometry.covering
    if sides == nil, case .coordinates(let x, let y, _) = geometry.encoding {
      sides = [x, y, x, y]
    }
    guard let sides else { return conditions }
    conditions.append(Condition(leaf: sides[1], upper: .double(box.north)))
    conditions.append(Condition(leaf: sides[3], lower: .double(box.south)))
    // Only the statistics of the group prune bounding boxes that may cross ±180°.
    let mayCross =
      geometry.covering != nil && coveringBounds(geometry)?.mayCross ?? true
    guard box.west <= box.east, !mayCross else { return conditions }
    conditions.append(Condition(leaf: sides[0], upper: .double(box.east)))
    conditions.append(Condition(leaf: sides[2], lower: .double(box.west)))
    return conditions
  }

  /// Returns the rows of the pages that may match a condition; nil if the chunk has no indexes.
  private func matchingRows(_ condition: Condition) -> [Range<Int>]? {
    let chunk = group.chunks[condition.leaf]
    guard parquet.columns.leaves[condition.leaf].maximumRepetition == 0,
      chunk.columnIndex != nil,
      let locations = PageIndex.locations(parquet.file, chunk, rowCount: group.rowCount),
      let statistics = PageIndex.statistics(parquet.file, chunk),
      statistics.count == locations.count
    else { return nil }
    var rows: [Range<Int>] = []
    for (index, page) in statistics.enumerated() where mayMatch(page, condition) {
      let start = locations[index].firstRow
      let end =
        index + 1 < locations.count ? locations[index + 1].firstRow : group.rowCount
      if let last = rows.last, last.upperBound == start {
        rows[rows.count - 1] = last.lowerBound..<end
      } else {
        rows.append(start..<end)
      }
    }
    return rows
  }

  private func mayMatch(_ page: PageStatistics, _ condition: Condition) -> Bool {
    if page.isNull { return false }
    if let lower = condition.lower, let maximum = value(page.maximum, condition.leaf),
      Self.isLess(maximum, lower)
    {
      return false
    }
    if let upper = condition.upper, let minimum = value(page.minimum, condition.leaf),
      Self.isLess(upper, minimum)
    {
      return false
    }
    return true
  }

  /// Returns the intersection of two ascending lists of row ranges.
  private static func intersection(
    _ first: [Range<Int>], _ second: [Range<Int>]
  ) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var (i, j) = (0, 0)
    while i < first.count, j < second.count {
      let common = first[i].clamped(to: second[j])
      if !common.isEmpty { result.append(common) }
      if first[i].upperBound < second[j].upperBound { i += 1 } else { j += 1 }
    }
    return result
  }

  // MARK: Intervals

  private func mayMatch(_ interval: ColumnarInterval) -> Bool {
    guard let root = parquet.columns.roots.first(where: { $0.name == interval.column }),
      case .leaf(let leaf) = root.node
    else { return true }
    if group.chunks[leaf.index].statistics?.nullCount == group.rowCount { return false }
    if let lower = interval.lower, let maximum = bound(leaf.index, isMaximum: true),
      Self.isLess(maximum, lower)
    {
      return false
    }
    if let upper = interval.upper, let minimum = bound(leaf.index, isMaximum: false),
      Self.isLess(upper, minimum)
    {
      return false
    }
    return true
  }

  /// Returns whether a value is less than another; false if rounding or the types leave that open.
  private static func isLess(_ first: Value, _ second: Value) -> Bool {
    switch (first, second) {
    case (.int(let first), .int(let second)): first < second
    case (.string(let first), .string(let second)):
      first.utf8.lexicographicallyPrecedes(second.utf8)
    case (.date(let first), .date(let second)): first < second
    default:
      // Integers beyond 2⁵³ are rounded, so that different ones may be equal here.
      if let first = first.doubleValue, let second = second.doubleValue {
        first < second
      } else {
        false
      }
    }
  }

  /// Returns a bound of the values of a leaf; nil if it is unknown or has no defined order.
  private func bound(_ index: Int, isMaximum: Bool) -> Value? {
    guard let statistics = group.chunks[index].statistics,
      let bytes = isMaximum ? statistics.maximum : statistics.minimum
    else { return nil }
    return value(bytes, index)
  }

  /// Returns the value of a bound as stored; nil if it has no defined order.
  private func value(_ bytes: [UInt8], _ index: Int) -> Value? {
    let leaf = parquet.columns.leaves[index]
    let orders = parquet.metadata.hasTypeDefinedOrder
    guard index < orders.count, orders[index], Self.isOrdered(leaf.content) else { return nil }
    var batch = LeafBatch()
    if let size = leaf.type.wordBytes {
      guard bytes.count == size else { return nil }
      var plain = PageValueDecoder.plain(ByteReader(bytes))
      guard (try? plain.decode(1, leaf, into: &batch)) != nil else { return nil }
    } else {
      // Decoding would change a bound that ends within a character.
      guard leaf.content != .text || String(validating: bytes, as: UTF8.self) != nil else {
        return nil
      }
      batch.storage = bytes
      batch.starts = [0]
      batch.lengths = [Int32(clamping: bytes.count)]
    }
    return LeafConversion(leaf).value(0, batch)
  }

  private static func isOrdered(_ content: LeafContent) -> Bool {
    switch content {
    case .integer(_, let isSigned): isSigned
    case .float, .double, .text, .date, .timestamp: true
    default: false
    }
  }
}
