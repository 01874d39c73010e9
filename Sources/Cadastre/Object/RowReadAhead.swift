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

  init(_ layout: TableLayout) { self.layout = layout }

  /// The columns of a row; nil where there is none.
  func row(_ key: ObjectKey, _ core: RealmCore) throws -> [Value]? {
    let number = key.rawValue
    // A loop that writes would make the buffer stale at each step.
    let isNext = epoch == core.epoch && number.follows(last)
    last = number
    if epoch != core.epoch {
      ahead = [:]
      epoch = core.epoch
    }
    if let row = ahead.removeValue(forKey: number) { return row }
    streak = isNext ? streak + 1 : 0
    guard streak >= Self.patience else { return try core.currentReader().row(layout, key) }
    let count = min(Self.most, 4 << min(streak, 8))
    ahead = try core.currentReader().rows(layout, from: key, limit: count)
    return ahead.removeValue(forKey: number)
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
