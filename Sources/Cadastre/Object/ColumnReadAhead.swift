import CadastreEngine
import CadastreModel
import CadastreStore

/// Reads single properties of the rows of one class from the columns that are kept in memory.
///
/// A loop that reads a property of one object after the other has the column read for it, some thousand
/// rows at a time; other reads take what happens to be there.
final class ColumnReadAhead {
  private let layout: TableLayout
  /// The state of the Realm in which `views` and `lent` are right.
  @exclusivity(unchecked) private var epoch: UInt64 = 0
  private var views: [ColumnView?]
  @exclusivity(unchecked) private var lent: [SegmentColumn?]
  @exclusivity(unchecked) private var last: Int64 = 0
  /// Rows asked for one after the other, so far.
  @exclusivity(unchecked) private var streak = 0
  /// Times that nothing was found in this state of the Realm.
  private var misses = 0

  init(_ layout: TableLayout) {
    self.layout = layout
    views = Array(repeating: nil, count: layout.columns.count)
    lent = Array(repeating: nil, count: layout.columns.count)
  }

  /// The value of a column of a row; nil where the row is not there, or must be read in another way.
  func value(_ key: ObjectKey, _ column: Int, _ core: RealmCore) -> Value? {
    let number = key.rawValue
    if number != last {
      streak = number > last && number - last <= Self.gap ? streak + 1 : 0
      last = number
    }
    if epoch != core.epoch { forget(core) }
    if let lent = lent[column], let value = lent.value(number) { return value }
    return look(number, column, core)
  }

  private func look(_ number: Int64, _ column: Int, _ core: RealmCore) -> Value? {
    // After a few misses only a loop is worth another look: a write makes a new state each time.
    guard streak >= Self.patience || misses < Self.mostMisses,
      !core.isInWriteTransaction || streak >= Self.patience
    else { return nil }
    let image = core.attempt(or: nil) {
      if views[column] == nil {
        views[column] = ColumnView(layout, [column], try core.currentReader())
      }
      return try views[column]?.segment(
        Segment.number(of: number), filling: streak >= Self.patience)
    }
    guard let image else {
      misses += 1
      return nil
    }
    let found = SegmentColumn(image)
    lent[column] = found
    return found.value(number)
  }

  /// Releases the snapshot that was read, so that nothing is read from it later.
  func releaseReader() {
    for column in views.indices { views[column] = nil }
  }

  private func forget(_ core: RealmCore) {
    epoch = core.epoch
    misses = 0
    streak = 0
    for column in lent.indices { lent[column] = nil }
    releaseReader()
  }

  /// Keys apart that still count as one after the other.
  private static let gap: Int64 = 4
  /// Rows read one by one before columns are read for them.
  private static let patience = 8
  /// Times that are tried in vain outside of loops.
  private static let mostMisses = 16
}
