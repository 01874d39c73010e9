import CadastreModel
import CadastrePlanner

/// The keys that the planner found while it estimated ranges of ordered indexes, which the executor
/// need not search for again.
package final class IndexDives {
  private struct Dive: Hashable {
    let index: IndexReference
    let range: ValueRange
  }

  private var keys: [Dive: [Int64]] = [:]

  func note(_ keys: [Int64], _ index: IndexReference, _ range: ValueRange) {
    self.keys[Dive(index: index, range: range)] = keys
  }

  /// The keys in a range; nil where they are not known.
  func keys(_ index: IndexReference, _ range: ValueRange) -> [Int64]? {
    keys.isEmpty ? nil : keys[Dive(index: index, range: range)]
  }
}
