import CadastreModel
import CadastreStore

/// The entries that the planner found while it estimated ranges of ordered indexes, which the executor
/// need not search for again.
package final class IndexDives {
  private struct Dive {
    let index: IndexReference
    let range: EntryRange
    let keys: [Int64]
    /// The rows with the columns that were read with the keys; nil where there are none.
    let rows: ColumnBatch?
    let columns: [Int]
  }

  /// A few, which are compared faster than they are hashed.
  private var dives: [Dive] = []

  func note(_ keys: [Int64], _ index: IndexReference, _ range: EntryRange) {
    dives.append(Dive(index: index, range: range, keys: keys, rows: nil, columns: []))
  }

  func note(_ rows: ColumnBatch, _ columns: [Int], _ index: IndexReference, _ range: EntryRange) {
    dives.append(
      Dive(index: index, range: range, keys: rows.addedKeys, rows: rows, columns: columns))
  }

  /// The keys in a range; nil where they are not known.
  func keys(_ index: IndexReference, _ range: EntryRange) -> [Int64]? {
    dives.first { $0.index == index && $0.range == range }?.keys
  }

  /// The keys in a range with some columns; nil where they are not known.
  func rows(_ index: IndexReference, _ range: EntryRange, _ columns: [Int]) -> ColumnBatch? {
    dives.first { $0.index == index && $0.range == range && $0.columns == columns }?.rows
  }
}
