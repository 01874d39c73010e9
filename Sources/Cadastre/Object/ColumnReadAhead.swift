import CadastreEngine
import CadastreModel
import CadastreStore

/// Reads single properties of the rows of one class from cached columns.
///
/// A loop that reads a property of consecutive objects loads the column, some thousand rows at a
/// time; other reads use the segments that are cached already.
final class ColumnReadAhead {
  private let layout: TableLayout
  /// The epoch in which `views` and `lent` are valid.
  @exclusivity(unchecked) private var epoch: UInt64 = 0
  private var views: [ColumnView?]
  /// Whether one of `views` is not nil.
  @exclusivity(unchecked) private var hasViews = false
  @exclusivity(unchecked) private var lent: [SegmentColumn?]
  @exclusivity(unchecked) private var last: Int64 = 0
  /// The number of consecutive rows read so far.
  @exclusivity(unchecked) private var streak = 0
  /// The number of misses since a column was found, or since this epoch.
  @exclusivity(unchecked) private var misses = 0
  /// The number of consecutive rows at which a write transaction tries again after many misses.
  @exclusivity(unchecked) private var nextAttempt = 0
  /// The numbers of the rows that a loop reads, by property.
  private let numbers: UnsafeMutablePointer<NumberWindow>
  /// The property in each column; nil for a column with another part of a property.
  private let properties: [Int?]
  /// The memory of the numbers, by property; nil before a loop reads the property.
  private var memory: [DecodedNumbers?]

  /// - Parameters:
  ///   - layout: The table.
  ///   - columns: The column of each property; -1 for a property that is not in a single column.
  init(_ layout: TableLayout, _ columns: [Int]) {
    self.layout = layout
    properties = layout.columns.indices.map { columns.firstIndex(of: $0) }
    numbers = .allocate(capacity: max(1, columns.count))
    numbers.initialize(repeating: NumberWindow(), count: max(1, columns.count))
    memory = Array(repeating: nil, count: columns.count)
    views = Array(repeating: nil, count: layout.columns.count)
    lent = Array(repeating: nil, count: layout.columns.count)
  }

  deinit { numbers.deallocate() }

  /// The numbers of the rows that a loop reads, by property.
  var windows: UnsafePointer<NumberWindow> { UnsafePointer(numbers) }

  /// The value of a column of a row; nil where it is not cached.
  func value(_ key: ObjectKey, _ column: Int, _ core: RealmCore) -> Value? {
    let number = key.rawValue
    if number != last {
      if number.follows(last) {
        streak += 1
      } else {
        streak = 0
        nextAttempt = Self.patienceInTransaction
      }
      last = number
    }
    if epoch != core.epoch {
      if let transaction = core.transaction, epoch >= core.ledger.lastReset {
        return value(key, column, core, since: transaction)
      }
      forget(core)
    }
    if let lent = lent[column], let value = lent.value(number) {
      if streak >= Self.patience { decode(lent, column, core) }
      return value
    }
    return look(number, column, core)
  }

  /// The value of a column of a row after a write of the transaction; nil where it is not in memory.
  private func value(
    _ key: ObjectKey, _ column: Int, _ core: RealmCore, since transaction: WriteTransaction
  ) -> Value? {
    switch transaction.cell(layout.schema.className, key, column) {
    case .written: return nil
    case .pending(let value): return value
    case .untouched: break
    }
    if let value = lent[column]?.value(key.rawValue) { return value }
    // A view does not see the changes after it was opened.
    releaseReader()
    return look(key.rawValue, column, core)
  }

  private func look(_ number: Int64, _ column: Int, _ core: RealmCore) -> Value? {
    // After a few misses only a loop tries again: each write begins a new epoch.
    let isLoop = streak >= Self.patience
    let hasFewMisses = misses < Self.mostMisses
    guard
      core.isInWriteTransaction
        ? isLoop && (hasFewMisses || streak >= nextAttempt) : isLoop || hasFewMisses
    else { return nil }
    let image: SegmentImage? = core.attempt(or: nil) {
      if views[column] == nil {
        views[column] = ColumnView(layout, [column], try core.reader(.rows))
        hasViews = true
      }
      let segment = KeySegment.number(of: number)
      let found = try views[column]?.segment(segment, filling: isLoop)
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
    lent[column] = found
    return found.value(number)
  }

  /// Decodes the numbers of a segment that a loop reads, once.
  private func decode(_ values: SegmentColumn, _ column: Int, _ core: RealmCore) {
    guard let property = properties[column], values.hasNumbers,
      numbers[property].epoch != epoch || numbers[property].firstKey != values.firstKey,
      core.readState.pointee.isCurrent
    else { return }
    let decoded = memory[property] ?? DecodedNumbers()
    memory[property] = decoded
    decoded.decode(values)
    numbers[property] = NumberWindow(
      firstKey: values.firstKey, epoch: epoch, state: UnsafePointer(core.readState),
      numbers: UnsafePointer(decoded.numbers), present: UnsafePointer(decoded.present))
  }

  /// Releases the snapshot that was read, so that nothing is read from it later.
  func releaseReader() {
    guard hasViews else { return }
    hasViews = false
    for column in views.indices { views[column] = nil }
  }

  private func forget(_ core: RealmCore) {
    epoch = core.epoch
    misses = 0
    streak = 0
    for column in lent.indices { lent[column] = nil }
    releaseReader()
  }

  /// The number of rows read one by one before columns are loaded.
  private static let patience = 8
  /// The number of rows read one by one before the columns of a segment are read that a transaction changes.
  private static let patienceInTransaction = 128
  /// The number of misses outside of loops after which the cache is not tried.
  private static let mostMisses = 16
}
