import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreStore

/// Sorts rows by some criteria; ties are in order of key, or in the order in which they were added.
///
/// Null sorts first, then NaN, then values; rows behind a null link sort last. Descending order is
/// the mirror image. A key may place null and rows behind a null link together before or after the values.
struct RowOrder {
  private struct Key {
    let source: Source
    /// The slots of the columns that are null where a link on the path is null.
    let linkColumns: [Int]
    let rule: SortRule

    /// The criterion as a column whose values need no boxing; nil for others.
    func column(_ columns: [ColumnReference]) -> SortColumn? {
      guard rule.isPlain, case .value(.column(let slot)) = source else { return nil }
      return SortColumn(
        slot, of: columns[slot].type, linkColumns: linkColumns, isAscending: rule.isAscending)
    }
  }

  /// The source of a criterion's value.
  private enum Source {
    case value(RowValue)
    case coordinate(PointCoordinate)
    case distance(ColumnRequest.PositionSlots, from: GeoPoint)
    case geometryDistance(Int, from: LocatedGeometry)
    /// The relevance by key; higher values sort first.
    case relevance([Int64: Double])
    /// The end of a path that leads through more than links and embedded objects.
    case path(PathValues)

    /// The value of a row; nil where it has no point or geometry, or is behind a null link.
    func value(_ batch: borrowing ColumnBatch, _ row: Int) throws -> Value? {
      switch self {
      case .value(let value): value.value(batch, row)
      case .coordinate(let coordinate): coordinate.value(batch, row).map(Value.double)
      case .relevance(let relevance): relevance[batch.key(row)].map { .double(-$0) }
      case .path(let path):
        switch try path.nodes(batch.key(row)).first {
        case nil, .behindNull?: nil
        case let node?: node.value
        }
      case .geometryDistance(let slot, let origin):
        if case .geometry(let geometry) = batch.columns[slot].value(row) {
          LocatedGeometry(geometry, edges: .spherical).map {
            .double($0.distance(to: origin, edges: .spherical).radians)
          }
        } else {
          nil
        }
      case .distance(let point, let origin):
        batch.columns[point.longitude].isNull(row) || batch.columns[point.latitude].isNull(row)
          ? nil
          : .double(
            greatCircleAngle(
              fromLongitude: origin.longitude, latitude: origin.latitude,
              toLongitude: batch.columns[point.longitude].double(row),
              latitude: batch.columns[point.latitude].double(row)))
      }
    }
  }

  /// A row with its sort values.
  private struct Entry {
    let rowKey: Int64
    /// The number of rows that were added before.
    let position: UInt32
    let values: [Value?]
  }

  private let keys: [Key]
  private let keep: Int?
  private let ties: Ties
  private let threads: QueryThreads
  private var added: UInt32 = 0
  /// The rows; after the first cut, the first `keep` of them in order, and those that were added since.
  private var entries: [Entry] = []
  /// The first sort value of the last row that the last cut kept; nil before, and behind a null link.
  private var bound: Value?
  /// The sort by columns; nil for other orders.
  private var sort: ColumnSort?
  /// The keys of its rows by position, after it has finished.
  private var rowKeys: [Int64] = []

  /// The order of ties.
  enum Ties {
    case key
    case position
  }

  /// An order.
  ///
  /// Only the first `keep` rows are needed; all rows if it is nil.
  init(
    _ order: [BoundSortKey], keep: Int?, ties: Ties = .key,
    threads: QueryThreads = QueryThreads(maximum: 1), _ compiler: inout FilterCompiler
  ) throws {
    self.keep = keep
    self.ties = ties
    self.threads = threads
    var keys: [Key] = []
    for sortKey in order {
      let (source, linkColumns) = try Self.source(sortKey, &compiler)
      keys.append(Key(source: source, linkColumns: linkColumns, rule: sortKey.rule))
    }
    self.keys = keys
    // Where only a few rows are needed, they are compared as they are added.
    let columns = keep == nil ? keys.compactMap { $0.column(compiler.request.columns) } : []
    if !columns.isEmpty, columns.count == keys.count { sort = ColumnSort(columns) }
  }

  private static func source(
    _ key: BoundSortKey, _ compiler: inout FilterCompiler
  ) throws -> (Source, linkColumns: [Int]) {
    if case .relevance(let words) = key.criterion {
      return (.relevance(try compiler.relevance(of: key.path, to: words)), [])
    }
    if case .distance(let origin) = key.criterion, key.path.isPlain,
      let properties = key.path.properties
    {
      let (leaf, linkColumns) = try compiler.request.leaf(properties)
      if case .point(let point) = leaf {
        return (.distance(compiler.request.position(of: point), from: origin), linkColumns)
      }
      if case .value(let slot) = leaf {
        let place = LocatedGeometry.point(
          longitude: origin.longitude, latitude: origin.latitude)
        return (.geometryDistance(slot, from: place), linkColumns)
      }
    }
    if let (value, linkColumns) = try compiler.rowValue(key.path) {
      return (.value(value), linkColumns)
    }
    if let (coordinate, linkColumns) = try compiler.request.coordinate(key.path) {
      return (.coordinate(coordinate), linkColumns)
    }
    return (.path(compiler.values(key.path.hops)), [])
  }

  /// The sort to whose copies other threads may add rows, while it is empty; nil for other orders.
  var part: ColumnSort? { sort }

  /// The part of the rows that is sorted; nil for all rows, and for other orders than those by columns.
  var partition: SortPartition? {
    get { sort?.partition }
    set { sort?.partition = newValue }
  }

  /// Reserves memory for a number of rows, where each of them is kept.
  mutating func reserve(_ count: Int) { sort?.reserve(count) }

  /// Adds the rows that another thread has added to a copy of ``part``.
  mutating func add(_ part: ColumnSort) { sort?.add(part) }

  /// Adds the selected rows of a batch.
  mutating func add(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws {
    guard sort == nil else {
      sort?.add(batch, rows)
      return
    }
    guard let keep else { return try append(batch, rows) }
    // Rows that clearly sort after all kept ones are skipped; the first few rows set the bound.
    var rows = rows
    var size = min(max(keep, Self.firstRows), KeySegment.capacity)
    while !rows.isEmpty {
      if let bound { keepWithinBound(&rows, bound, batch) }
      let open = rows.removeFirst(size)
      try append(batch, open)
      // A cut after each batch would compare the kept rows with each other again and again.
      if entries.count - keep >= max(keep, Self.mostPending) { cut(to: keep) }
      size *= 2
    }
  }

  /// The number of rows from which the first bound is taken.
  private static let firstRows = 256
  /// The number of rows beyond the kept ones from which on a cut is worth its time, where few rows are kept.
  private static let mostPending = 32

  /// Keeps the rows that do not clearly sort after a value of the first criterion.
  private func keepWithinBound(
    _ rows: inout RowSet, _ bound: Value, _ batch: borrowing ColumnBatch
  ) {
    guard let key = keys.first, key.linkColumns.isEmpty, key.rule.isPlain,
      case .value(.column(let place)) = key.source
    else { return }
    let column = batch.columns[place]
    let isAscending = key.rule.isAscending
    // Null sorts first, or last in descending order.
    switch (column.type, bound) {
    case (.int, .int(let bound)):
      column.keep(&rows, nulls: isAscending) { rows in
        column.keep(&rows, from: isAscending ? .min : bound, through: isAscending ? bound : .max)
      }
    case (.double, .double(let bound)) where bound.isFinite:
      column.keep(&rows, nulls: isAscending) { rows in
        guard isAscending else { return column.keep(&rows, from: bound, through: .infinity) }
        // NaN sorts before all numbers, so the rows above the bound are taken away.
        var above = rows
        column.keep(&above, from: bound.nextUp, through: .infinity)
        rows.subtract(above)
      }
    case (.date, .date(let bound)):
      column.keep(&rows, nulls: isAscending) { rows in
        column.keep(
          &rows, from: isAscending ? .least : bound, through: isAscending ? bound : .greatest)
      }
    default: break
    }
  }

  private mutating func append(_ batch: borrowing ColumnBatch, _ rows: RowSet) throws {
    for index in rows {
      entries.append(
        Entry(
          rowKey: batch.key(index), position: added,
          values: try keys.map { try value(of: $0, batch, index).map($0.rule.key) }))
      added += 1
    }
  }

  private func value(of key: Key, _ batch: borrowing ColumnBatch, _ row: Int) throws -> Value? {
    batch.isNull(row, inAnyOf: key.linkColumns) ? nil : try key.source.value(batch, row)
  }

  /// The sort values of a row; nil where one of them is behind a null link.
  func values(_ batch: borrowing ColumnBatch, _ row: Int) throws -> [Value]? {
    var values: [Value] = []
    for key in keys {
      guard let value = try value(of: key, batch, row) else { return nil }
      values.append(value)
    }
    return values
  }

  /// The sort values of a row; null where a value is behind a null link.
  func valuesOrNull(_ batch: borrowing ColumnBatch, _ row: Int) throws -> [Value] {
    var values: [Value] = []
    for key in keys { values.append(try value(of: key, batch, row) ?? .null) }
    return values
  }

  /// The distance of the last needed row in radians; nil while there are fewer rows.
  ///
  /// For an order by distance alone.
  mutating func lastNeededAngle() -> Double? {
    lastNeededValue()?.doubleValue
  }

  /// The first sort value of the last needed row; nil while there are fewer rows.
  mutating func lastNeededValue() -> Value? {
    guard let keep, keep > 0, entries.count >= keep else { return nil }
    cut(to: keep)
    return bound
  }

  /// Keeps the first rows in order, of at least as many.
  private mutating func cut(to count: Int) {
    entries.sort(by: precedes)
    entries.removeSubrange(count...)
    bound = entries.last?.values[0]
  }

  /// Puts the rows in order.
  mutating func finish() {
    if let sort {
      positions = sort.positions(tiesByKey: ties == .key, threads)
      rowKeys = sort.rowKeys
      self.sort = nil
    } else {
      entries.sort(by: precedes)
      positions = entries.map(\.position)
    }
  }

  /// The positions of all rows in order: for each the number of rows that were added before it.
  private(set) var positions: [UInt32] = []

  /// Returns the keys of some rows, given their indexes in the order.
  func keys(_ indexes: Range<Int>) -> [Int64] {
    entries.isEmpty
      ? rowKeys.gathered(positions[indexes], threads) : entries[indexes].map(\.rowKey)
  }

  private func precedes(_ first: Entry, _ second: Entry) -> Bool {
    for place in keys.indices {
      let ordering = keys[place].rule.ordering(first.values[place], second.values[place])
      if ordering != .same { return ordering == .ascending }
    }
    return ties == .key ? first.rowKey < second.rowKey : first.position < second.position
  }
}
