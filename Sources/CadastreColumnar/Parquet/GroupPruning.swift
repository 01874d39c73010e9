import CadastreModel

/// The decision by statistics whether a row group may have matching rows.
struct GroupPruning {
  private let parquet: ParquetFile
  private let group: RowGroupMetadata
  private let geometry: GeometryColumn?

  init(_ parquet: ParquetFile, _ group: RowGroupMetadata, _ geometry: GeometryColumn?) {
    self.parquet = parquet
    self.group = group
    self.geometry = geometry
  }

  /// Returns false if no row of the group can match.
  func mayMatch(_ selection: ParquetReader.Selection) -> Bool {
    guard group.rowCount > 0 else { return true }
    if let box = selection.box, let geometry, !mayTouch(box, geometry) { return false }
    return selection.intervals.allSatisfy(mayMatch)
  }

  // MARK: Boxes

  private func mayTouch(_ box: ColumnarBox, _ geometry: GeometryColumn) -> Bool {
    guard let bounds = bounds(geometry) else { return true }
    return box.touches(xMin: bounds[0], yMin: bounds[1], xMax: bounds[2], yMax: bounds[3])
  }

  /// Returns the bounds of the geometries: xmin, ymin, xmax, ymax; nil if they are unknown.
  private func bounds(_ geometry: GeometryColumn) -> [Double]? {
    if let covering = geometry.covering {
      let bounds = [
        number(covering[0], isMaximum: false), number(covering[1], isMaximum: false),
        number(covering[2], isMaximum: true), number(covering[3], isMaximum: true),
      ].compactMap { $0 }
      if bounds.count == 4 { return bounds }
    }
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

  /// Returns whether a value is certainly less than another; false if the types do not compare.
  private static func isLess(_ first: Value, _ second: Value) -> Bool {
    switch (first, second) {
    case (.int(let first), .int(let second)): first < second
    case (.string(let first), .string(let second)):
      first.utf8.lexicographicallyPrecedes(second.utf8)
    case (.date(let first), .date(let second)): first < second
    default:
      // Integers beyond 2⁵³ are rounded, so equal numbers may be different.
      if let first = first.doubleValue, let second = second.doubleValue {
        first < second
      } else {
        false
      }
    }
  }

  /// Returns a bound of the values of a leaf; nil if it is unknown or has no defined order.
  private func bound(_ index: Int, isMaximum: Bool) -> Value? {
    let leaf = parquet.columns.leaves[index]
    let orders = parquet.metadata.hasTypeDefinedOrder
    guard index < orders.count, orders[index], Self.isOrdered(leaf.content),
      let statistics = group.chunks[index].statistics,
      let bytes = isMaximum ? statistics.maximum : statistics.minimum
    else { return nil }
    var batch = LeafBatch()
    if let size = leaf.type.wordBytes {
      guard bytes.count == size else { return nil }
      var plain = ValueDecoder.plain(ByteReader(bytes))
      guard (try? plain.decode(1, leaf, into: &batch)) != nil else { return nil }
    } else {
      // A bound that was cut inside a character would be changed by decoding.
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
