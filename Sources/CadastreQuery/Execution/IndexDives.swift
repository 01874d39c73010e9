import CadastreModel

/// The keys that the planner found while it estimated ranges of ordered indexes, which the executor
/// need not search for again.
package final class IndexDives {
  private struct Dive {
    let index: IndexReference
    let range: ValueRange
    let keys: [Int64]
  }

  /// A few, which are compared faster than they are hashed.
  private var dives: [Dive] = []

  func note(_ keys: [Int64], _ index: IndexReference, _ range: ValueRange) {
    dives.append(Dive(index: index, range: range, keys: keys))
  }

  /// The keys in a range; nil where they are not known.
  func keys(_ index: IndexReference, _ range: ValueRange) -> [Int64]? {
    dives.first { $0.index == index && $0.range == range }?.keys
  }
}
