import CadastreEngine
import CadastreModel
import CadastreStore

/// Reads the rows of one class, and the following rows too where they are read one after the other,
/// as by a loop over results.
final class RowReadAhead {
  private let layout: TableLayout
  private var ahead: [Int64: [Value]] = [:]
  /// The epoch of the last read, in which `ahead` was read.
  private var epoch: UInt64 = 0
  private var last: Int64 = 0
  /// The number of consecutive rows read so far.
  private var streak = 0
  /// The row that was looked up last without its columns, until they are read.
  private var lookedUp: Int64?
  /// The row that was looked up last with its columns, until they are read.
  private var prefetched: (key: Int64, row: [Value])?
  /// Whether the columns of looked up rows are likely to be read.
  private var readsLookedUpRows = false

  init(_ layout: TableLayout) { self.layout = layout }

  /// The columns of a row; nil where there is none.
  func row(_ key: ObjectKey, _ core: RealmCore) throws -> [Value]? {
    let number = key.rawValue
    if number == lookedUp {
      readsLookedUpRows = true
      lookedUp = nil
    }
    // A loop that writes would make the buffer stale at each step.
    let isNext = epoch == core.epoch && number.follows(last)
    last = number
    forgetOldRows(core)
    if let found = prefetched, found.key == number {
      prefetched = nil
      return found.row
    }
    if let row = ahead.removeValue(forKey: number) { return row }
    streak = isNext ? streak + 1 : 0
    guard streak >= Self.patience else { return try core.rowReader().row(layout, key) }
    let count = min(Self.most, 4 << min(streak, 8))
    ahead = try core.reader(.rows).rows(layout, from: key, limit: count)
    return ahead.removeValue(forKey: number)
  }

  /// The key of the object with a primary key; nil where there is none.
  ///
  /// Its columns are read with it where those of the last one were needed.
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
    guard let found = try reader.row(layout, primaryKey: value) else { return nil }
    forgetOldRows(core)
    prefetched = (found.key.rawValue, found.row)
    return found.key
  }

  /// Discards the rows that were read in another epoch.
  private func forgetOldRows(_ core: RealmCore) {
    guard epoch != core.epoch else { return }
    ahead = [:]
    prefetched = nil
    epoch = core.epoch
  }

  /// The number of rows read one by one before several are read at once.
  private static let patience = 2
  /// The largest number of rows that are read at once.
  private static let most = 128
}

extension Int64 {
  /// Whether the key counts as the next one after another in a loop.
  func follows(_ last: Int64) -> Bool {
    // Keys from a damaged file can be any number, also two whose difference is none.
    self > last && UInt64(bitPattern: self &- last) <= Self.largestStep
  }

  /// The largest distance of keys that count as consecutive.
  private static let largestStep: UInt64 = 4
}
