import CadastreModel
import CadastreQuery
import CadastreStore

/// The stored values of the objects of one class in one Realm.
///
/// The object layer reads every stored value here: from the last rows that were read, from the write buffer, from the
/// cached columns, or from the file. A loop over consecutive objects reads the following rows, and then whole columns,
/// before they are asked for. Large values are read one by one when they are asked for, and not kept.
final class ValueSource {
  private let layout: TableLayout
  /// The generations in which the class was last changed.
  let changes: ClassGeneration
  /// A row without values.
  let emptyRow: [Value]
  /// The rows that were read last, by their keys modulo `CachedRow.count`; empty before the first one.
  @exclusivity(unchecked) private var rows: [CachedRow] = []
  /// The rows that a failed transaction did not insert, by their keys, which are negative.
  @exclusivity(unchecked) private var refusedRows: [Int64: [Value]] = [:]

  /// The rows that were read before they were asked for.
  @exclusivity(unchecked) private var ahead: [Int64: PartialRow] = [:]
  /// The generation of the last row that was read from the file, in which `ahead` is valid.
  @exclusivity(unchecked) private var rowGeneration: UInt64 = 0
  /// The key of the row that was read last from the file.
  @exclusivity(unchecked) private var lastRow: Int64 = 0
  /// The number of consecutive rows that were read from the file so far.
  @exclusivity(unchecked) private var rowStreak = 0
  /// The number of rows that were read one by one in the generation of `columnGeneration`.
  @exclusivity(unchecked) private var singleRows = 0
  /// The row that was looked up last without its columns, until they are read.
  @exclusivity(unchecked) private var lookedUp: Int64?
  /// The row that was looked up last with its columns, until they are read.
  @exclusivity(unchecked) private var prefetched: (key: Int64, row: PartialRow)?
  /// Whether the columns of looked up rows are likely to be read.
  @exclusivity(unchecked) private var readsLookedUpRows = false

  /// The generation in which `views` and `segments` are valid.
  @exclusivity(unchecked) private var columnGeneration: UInt64 = 0
  @exclusivity(unchecked) private var views: [ColumnView?]
  /// Whether one of `views` is not nil.
  @exclusivity(unchecked) private var hasViews = false
  /// The segment of each column that was read last.
  @exclusivity(unchecked) private var segments: [SegmentColumn?]
  /// The key of the row whose column was read last.
  @exclusivity(unchecked) private var lastKey: Int64 = 0
  /// The number of consecutive rows whose columns were read so far.
  @exclusivity(unchecked) private var streak = 0
  /// The number of segments that were not found since one was found, or since this generation.
  @exclusivity(unchecked) private var misses = 0
  /// The number of consecutive rows at which a write transaction tries again after many misses.
  @exclusivity(unchecked) private var nextAttempt = 0

  /// The numbers of the rows that a loop reads, by property.
  private let numbers: UnsafeMutablePointer<NumberWindow>
  /// The property in each column; nil for a column with another part of a property.
  private let properties: [Int?]
  /// The memory of the numbers, by property; nil before a loop reads the property.
  @exclusivity(unchecked) private var memory: [DecodedNumbers?]

  /// - Parameters:
  ///   - layout: The table.
  ///   - columns: The column of each property; -1 for a property that is not in a single column.
  ///   - changes: The generations in which the class was last changed.
  init(_ layout: TableLayout, _ columns: [Int], _ changes: ClassGeneration) {
    self.layout = layout
    self.changes = changes
    emptyRow = Array(repeating: .null, count: layout.columns.count)
    properties = layout.columns.indices.map { columns.firstIndex(of: $0) }
    numbers = .allocate(capacity: max(1, columns.count))
    numbers.initialize(repeating: NumberWindow(), count: max(1, columns.count))
    memory = Array(repeating: nil, count: columns.count)
    views = Array(repeating: nil, count: layout.columns.count)
    segments = Array(repeating: nil, count: layout.columns.count)
  }

  deinit { numbers.deallocate() }

  /// The numbers of the rows that a loop reads, by property.
  var windows: UnsafePointer<NumberWindow> { UnsafePointer(numbers) }

  // MARK: Values

  /// Returns the value of a column of a row that is in memory; nil if the row must be read.
  func valueInMemory(_ key: ObjectKey, _ column: Int, _ core: RealmCore) -> Value? {
    let number = key.rawValue
    if let slot = validSlot(of: number, core) { return rows[slot].value(column) }
    if let row = refusedRow(key) { return row[column] }
    note(number)
    if columnGeneration != core.currentGeneration {
      if let transaction = core.transaction,
        columnGeneration >= max(core.generation.start, core.generation.transactionStart)
      {
        return value(key, column, core, since: transaction)
      }
      forgetColumns(core)
    }
    if let segment = segments[column], let value = segment.value(number) {
      if streak >= Self.patienceOfColumns { decode(segment, column, core) }
      return value
    }
    return findSegment(number, column, core)
  }

  /// Records that a column of a row is read.
  private func note(_ number: Int64) {
    guard number != lastKey else { return }
    if number.follows(lastKey) {
      streak += 1
    } else {
      streak = 0
      nextAttempt = Self.patienceInTransaction
    }
    lastKey = number
  }

  // MARK: Rows

  /// Returns a column of a row; nil if there is no such row.
  func value(_ key: ObjectKey, _ column: Int, _ core: RealmCore) throws -> Value? {
    if let row = refusedRow(key) { return row[column] }
    guard let row = try partialRow(key, core) else { return nil }
    guard row.omitted.contains(column) else { return row.values[column] }
    return try core.rowReader().value(layout, key, column)
  }

  /// Returns the columns of a row; nil if there is no such row.
  func row(_ key: ObjectKey, _ core: RealmCore) throws -> [Value]? {
    if let row = refusedRow(key) { return row }
    guard let row = try partialRow(key, core) else { return nil }
    return row.omitted.isEmpty ? row.values : try core.rowReader().row(layout, key)
  }

  /// Returns the columns of a row with null in place of large values; nil if there is no such row.
  func valuesWithoutLarge(_ key: ObjectKey, _ core: RealmCore) throws -> [Value]? {
    try refusedRow(key) ?? partialRow(key, core)?.values
  }

  /// Reads a row without its large values; false if there is no such row.
  func findRow(_ key: ObjectKey, _ core: RealmCore) throws -> Bool {
    try refusedRow(key) != nil || partialRow(key, core) != nil
  }

  private func partialRow(_ key: ObjectKey, _ core: RealmCore) throws -> PartialRow? {
    if let slot = validSlot(of: key.rawValue, core) { return rows[slot].row }
    guard let row = try readRow(key, core) else { return nil }
    keep(row, of: key, core)
    return row
  }

  /// Returns the row that a failed transaction did not insert; nil for other rows.
  private func refusedRow(_ key: ObjectKey) -> [Value]? {
    key.rawValue < 0 ? refusedRows[key.rawValue] : nil
  }

  /// Returns whether a row that was read is known to exist.
  func containsRow(_ key: ObjectKey, _ core: RealmCore) -> Bool {
    guard let slot = slot(of: key.rawValue) else { return refusedRow(key) != nil }
    let read = rows[slot].generation
    return read >= core.generation.start && changes.containsStill(key.rawValue, since: read)
  }

  /// Returns whether the row is in memory as it is stored.
  func hasRow(_ key: ObjectKey, _ core: RealmCore) -> Bool {
    validSlot(of: key.rawValue, core) != nil || refusedRow(key) != nil
  }

  /// Keeps a row that was read or inserted, without its large values.
  func keep(_ values: [Value], of key: ObjectKey, _ core: RealmCore) {
    guard key.rawValue > 0 else {
      if core.hasFailed, refusedRows.count < Self.mostRefusedRows {
        refusedRows[key.rawValue] = values
      }
      return
    }
    keep(PartialRow(values: values), of: key, core, without: LargeValue.mayContain)
  }

  private func keep(
    _ row: PartialRow, of key: ObjectKey, _ core: RealmCore,
    without isLarge: (Value) -> Bool = LargeValue.contains
  ) {
    guard key.rawValue > 0 else { return }
    var row = row
    // Values of the write buffer may be large. The loop that omits them copies the row, also where it omits none.
    if layout.largeColumns.contains(where: { isLarge(row.values[$0]) }) {
      for column in layout.largeColumns where isLarge(row.values[column]) { row.omit(column) }
    }
    if rows.isEmpty { rows = [CachedRow](repeating: CachedRow(), count: CachedRow.count) }
    rows[CachedRow.slot(of: key.rawValue)] = CachedRow(
      key: key.rawValue, generation: core.currentGeneration, row: row)
  }

  /// Sets a column of a row in memory that `hasRow(_:_:)` found before the column was changed in the store.
  func set(_ value: Value, _ column: Int, of key: ObjectKey, _ core: RealmCore) {
    guard let slot = slot(of: key.rawValue) else {
      refusedRows[key.rawValue]?[column] = value
      return
    }
    if LargeValue.mayContain(value) {
      rows[slot].row.omit(column)
    } else {
      rows[slot].row.values[column] = value
      rows[slot].row.omitted.remove(column)
    }
    rows[slot].generation = core.currentGeneration
  }

  /// Returns the slot of the cached row with a key, valid or not; nil if there is none.
  private func slot(of number: Int64) -> Int? {
    let slot = CachedRow.slot(of: number)
    guard !rows.isEmpty, rows[slot].key == number, rows[slot].generation > 0 else { return nil }
    return slot
  }

  /// Returns the slot of a cached row that has not changed since it was read; nil if there is none.
  private func validSlot(of number: Int64, _ core: RealmCore) -> Int? {
    guard let slot = slot(of: number) else { return nil }
    let read = rows[slot].generation
    if read == core.currentGeneration { return slot }
    guard read >= core.generation.start, changes.isUnchanged(number, since: read) else {
      return nil
    }
    rows[slot].generation = core.currentGeneration
    return slot
  }

  /// Discards the rows that a failed transaction did not insert.
  func forgetRefusedRows() { refusedRows = [:] }

  /// Discards all rows, which are not valid any more.
  func forgetRows() {
    rows = []
    ahead = [:]
    prefetched = nil
  }

  private func readRow(_ key: ObjectKey, _ core: RealmCore) throws -> PartialRow? {
    let number = key.rawValue
    if number == lookedUp {
      readsLookedUpRows = true
      lookedUp = nil
    }
    // A loop that writes would make the rows ahead stale at each step.
    let isNext = rowGeneration == core.currentGeneration && number.follows(lastRow)
    lastRow = number
    forgetOldRows(core)
    if let found = prefetched, found.key == number {
      prefetched = nil
      return found.row
    }
    if let row = ahead.removeValue(forKey: number) { return row }
    rowStreak = isNext ? rowStreak + 1 : 0
    guard rowStreak >= Self.patienceOfRows else {
      singleRows += 1
      return try core.rowReader().partialRow(layout, key)
    }
    let count = min(Self.mostRows, 4 << min(rowStreak, 8))
    ahead = try core.reader(.rows).partialRows(layout, from: key, limit: count)
    return ahead.removeValue(forKey: number)
  }

  /// Returns the key of the object with a primary key; nil if there is no such object.
  ///
  /// Its columns are read with it if those of the last one were needed.
  func key(
    primaryKey value: Value, _ reader: any RowReader, _ core: RealmCore
  ) throws -> ObjectKey? {
    if prefetched != nil { readsLookedUpRows = false }
    prefetched = nil
    guard readsLookedUpRows, !core.isInWriteTransaction else {
      let key = try reader.key(layout, primaryKey: value)
      lookedUp = key?.rawValue
      return key
    }
    guard let found = try reader.partialRow(layout, primaryKey: value) else { return nil }
    forgetOldRows(core)
    if validSlot(of: found.key.rawValue, core) == nil {
      prefetched = (found.key.rawValue, found.row)
    }
    return found.key
  }

  /// Discards the rows ahead that were read in another generation.
  private func forgetOldRows(_ core: RealmCore) {
    guard rowGeneration != core.currentGeneration else { return }
    ahead = [:]
    prefetched = nil
    rowGeneration = core.currentGeneration
  }

  // MARK: Columns

  /// Returns the value of a column of a row after a write of the transaction; nil if it is not in memory.
  private func value(
    _ key: ObjectKey, _ column: Int, _ core: RealmCore, since transaction: WriteTransaction
  ) -> Value? {
    switch transaction.cell(layout.schema.className, key, column) {
    case .written: return nil
    case .pending(let value): return value
    case .untouched: break
    }
    if let value = segments[column]?.value(key.rawValue) { return value }
    // A view does not see the changes after it was opened.
    releaseReader()
    return findSegment(key.rawValue, column, core)
  }

  private func findSegment(_ number: Int64, _ column: Int, _ core: RealmCore) -> Value? {
    // After a few misses only a loop tries again: each write begins a new generation.
    let isLoop = streak >= Self.patienceOfColumns
    let hasFewMisses = misses < Self.mostMisses
    guard
      core.isInWriteTransaction
        ? isLoop && (hasFewMisses || streak >= nextAttempt)
        : isLoop || hasFewMisses || singleRows >= Self.patienceOfSingleRows
    else { return nil }
    let image: SegmentImage? = core.attempt(or: nil) {
      if views[column] == nil {
        views[column] = ColumnView(layout, [column], try core.reader(.rows))
        hasViews = true
      }
      let segment = KeySegment.number(of: number)
      let found = try views[column]?.segment(segment, for: isLoop ? .allRows : .rows(1))
      guard found == nil, streak >= Self.patienceInTransaction else { return found }
      return try views[column]?.ownSegment(segment)
    }
    guard let image else {
      misses += 1
      nextAttempt = streak + Self.patienceInTransaction
      return nil
    }
    misses = 0
    let found = SegmentColumn(image)
    segments[column] = found
    return found.value(number)
  }

  /// Decodes the numbers of a segment that a loop reads, once.
  private func decode(_ values: SegmentColumn, _ column: Int, _ core: RealmCore) {
    guard let property = properties[column], values.hasNumbers,
      numbers[property].generation != columnGeneration
        || numbers[property].firstKey != values.firstKey,
      core.readState.pointee.isCurrent
    else { return }
    let decoded = memory[property] ?? DecodedNumbers()
    memory[property] = decoded
    decoded.decode(values)
    numbers[property] = NumberWindow(
      firstKey: values.firstKey, generation: columnGeneration,
      state: UnsafePointer(core.readState), numbers: UnsafePointer(decoded.numbers),
      present: UnsafePointer(decoded.present))
  }

  /// Releases the snapshot that was read, so that nothing is read from it any more.
  func releaseReader() {
    guard hasViews else { return }
    hasViews = false
    for column in views.indices { views[column] = nil }
  }

  private func forgetColumns(_ core: RealmCore) {
    columnGeneration = core.currentGeneration
    misses = 0
    streak = 0
    singleRows = 0
    for column in segments.indices { segments[column] = nil }
    releaseReader()
  }

  /// The number of rows that a failed transaction did not insert and that are kept.
  private static let mostRefusedRows = 10_000

  // MARK: Pace

  /// The number of rows read one by one before several are read at once.
  private static let patienceOfRows = 2
  /// The largest number of rows that are read at once.
  private static let mostRows = 128
  /// The number of rows read one by one before columns are loaded.
  private static let patienceOfColumns = 8
  /// The number of rows read one by one in any order after which the cache counts each of them.
  private static let patienceOfSingleRows = 512
  /// The number of rows read one by one before the columns of a segment are read that a transaction changes.
  private static let patienceInTransaction = 128
  /// The number of misses outside of loops after which the cache is not tried.
  private static let mostMisses = 16
}

/// A row in memory.
private struct CachedRow {
  var key: Int64 = 0
  /// The generation in which the row was read or last found valid; 0 if there is no row.
  var generation: UInt64 = 0
  var row = PartialRow(values: [])

  /// Returns the value of a column; nil for a large one.
  func value(_ column: Int) -> Value? {
    row.omitted.contains(column) ? nil : row.values[column]
  }

  /// The number of rows that are kept.
  static let count = 256

  /// Returns the index of a row among the rows that are kept.
  static func slot(of key: Int64) -> Int { Int(truncatingIfNeeded: key) & (count - 1) }
}

extension PartialRow {
  /// Leaves out a column.
  fileprivate mutating func omit(_ column: Int) {
    values[column] = .null
    omitted.insert(column)
  }
}

extension Int64 {
  /// Whether the key counts as the next one after another in a loop.
  fileprivate func follows(_ last: Int64) -> Bool {
    // Keys from a damaged file can be any number, also two whose difference is none.
    self > last && UInt64(bitPattern: self &- last) <= Self.largestStep
  }

  /// The largest distance of keys that count as consecutive.
  private static let largestStep: UInt64 = 4
}
