import CadastreModel

/// The aggregated values of a field, by level and cell of a pyramid.
enum CellValues: Sendable {
  case none
  /// The means of numbers; NaN for a cell without numbers.
  case means([[Double]])
  /// The indexes of the most frequent values; ``IndexedValues/none`` for a cell without values.
  case mostFrequent([[UInt32]], [VectorTile.Attribute])

  /// Computes the mean of each cell; NaN marks a row without a number.
  init(_ numbers: [Double], in pyramid: CellPyramid) {
    let count = pyramid.levels[0].cells.codes.count
    var sums = [Double](repeating: 0, count: count)
    var counts = [UInt32](repeating: 0, count: count)
    for (number, cell) in zip(numbers, pyramid.cellOfRow)
    where !number.isNaN && cell != CellPyramid.none {
      sums[Int(cell)] += number
      counts[Int(cell)] += 1
    }
    var means = [zip(sums, counts).map { $0 / Double($1) }]
    for (parents, level) in zip(pyramid.parents, pyramid.levels.dropFirst()) {
      let count = level.cells.codes.count
      var nextSums = [Double](repeating: 0, count: count)
      var nextCounts = [UInt32](repeating: 0, count: count)
      for (index, parent) in parents.enumerated() {
        nextSums[Int(parent)] += sums[index]
        nextCounts[Int(parent)] += counts[index]
      }
      (sums, counts) = (nextSums, nextCounts)
      means.append(zip(sums, counts).map { $0 / Double($1) })
    }
    self = .means(means)
  }

  /// Computes the most frequent value of each cell; of equally frequent values, the one of an earlier row.
  init(_ values: IndexedValues, in pyramid: CellPyramid) {
    var counts = ValueCounts(values, in: pyramid)
    var found = [counts.mostFrequent]
    for (parents, level) in zip(pyramid.parents, pyramid.levels.dropFirst()) {
      counts = counts.coarser(parents, cells: level.cells.codes.count)
      found.append(counts.mostFrequent)
    }
    self = .mostFrequent(found, values.values)
  }

  /// Returns the value of a cell; nil for none.
  func attribute(level: Int, cell: Int) -> VectorTile.Attribute? {
    switch self {
    case .none: nil
    case .means(let means):
      means[level][cell].isNaN ? nil : .double(means[level][cell])
    case .mostFrequent(let indexes, let values):
      indexes[level][cell] == IndexedValues.none ? nil : values[Int(indexes[level][cell])]
    }
  }

  /// The estimated memory in bytes.
  var byteCount: Int {
    switch self {
    case .none: 0
    case .means(let means): means.reduce(0) { $0 + $1.count } * MemoryLayout<Double>.stride
    case .mostFrequent(let indexes, let values):
      indexes.reduce(0) { $0 + $1.count } * MemoryLayout<UInt32>.stride + values.count * 64
    }
  }
}

/// The distinct values of a field of some objects, and the index of the value of each row.
struct IndexedValues {
  private(set) var indexes: [UInt32] = []
  private(set) var values: [VectorTile.Attribute] = []
  private var indexesByValue: [ValueKey: UInt32] = [:]

  /// The index of a row without a value.
  static let none = UInt32.max

  init(capacity: Int) { indexes.reserveCapacity(capacity) }

  /// Returns the index of a value, and adds a new value.
  mutating func index(of value: VectorTile.Attribute?) -> UInt32 {
    guard let value else { return Self.none }
    let key = ValueKey(value.value)
    if let index = indexesByValue[key] { return index }
    indexesByValue[key] = UInt32(values.count)
    values.append(value)
    return UInt32(values.count - 1)
  }

  /// Adds a row.
  mutating func append(_ index: UInt32) { indexes.append(index) }
}

/// The frequencies of values in the cells of a level.
private struct ValueCounts {
  /// The counts of all cells, concatenated.
  private var entries: [(value: UInt32, count: UInt32)] = []
  /// The end index of the entries of each cell.
  private var ends: [Int] = []
  /// The most frequent value of each cell.
  private(set) var mostFrequent: [UInt32] = []
  /// The counts of the current cell by value; zero between two cells.
  private var current: [UInt32]

  private init(values: Int) { current = Array(repeating: 0, count: values) }

  /// Counts the values of the finest cells.
  init(_ values: IndexedValues, in pyramid: CellPyramid) {
    self.init(values: values.values.count)
    let cells = pyramid.levels[0].cells
    // Sorts the rows by cell.
    var next = 0
    var offsets = cells.counts.map { count in
      defer { next += Int(count) }
      return next
    }
    var ordered = [UInt32](repeating: IndexedValues.none, count: next)
    for (index, cell) in zip(values.indexes, pyramid.cellOfRow) where cell != CellPyramid.none {
      ordered[offsets[Int(cell)]] = index
      offsets[Int(cell)] += 1
    }
    // Each offset is now the end of its cell.
    var start = 0
    for end in offsets {
      let hasValue = { (index: UInt32) in index != IndexedValues.none }
      addCell(ordered[start..<end].lazy.filter(hasValue).map { ($0, 1) })
      start = end
    }
  }

  /// Returns the counts of the next coarser level.
  func coarser(_ parents: [UInt32], cells: Int) -> ValueCounts {
    var level = ValueCounts(values: current.count)
    var (first, start) = (0, 0)
    for cell in 0..<cells {
      while first < parents.count, parents[first] == cell { first += 1 }
      let end = first == 0 ? 0 : ends[first - 1]
      level.addCell(entries[start..<end].lazy.map { ($0.value, $0.count) })
      start = end
    }
    return level
  }

  private mutating func addCell(_ counts: some Sequence<(UInt32, UInt32)>) {
    let start = entries.count
    for (value, count) in counts {
      if current[Int(value)] == 0 { entries.append((value, 0)) }
      current[Int(value)] += count
    }
    var (best, most) = (IndexedValues.none, UInt32(0))
    for index in start..<entries.count {
      let value = entries[index].value
      entries[index].count = current[Int(value)]
      current[Int(value)] = 0
      if entries[index].count > most || entries[index].count == most && value < best {
        (best, most) = (value, entries[index].count)
      }
    }
    mostFrequent.append(best)
    ends.append(entries.count)
  }
}
