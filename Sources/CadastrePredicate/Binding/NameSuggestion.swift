/// Suggests an existing name for one that does not exist.
package enum NameSuggestion {
  /// The candidate with the fewest changed letters, if that is less than about a third of them.
  package static func nearest(to name: String, among candidates: [String]) -> String? {
    let wanted = Array(name.lowercased())
    guard wanted.count <= 100 else { return nil }
    let ranked = candidates.map { ($0, distance(wanted, Array($0.lowercased().prefix(100)))) }
    guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(1, wanted.count / 3 + 1) && best.1 < wanted.count ? best.0 : nil
  }

  /// Letters inserted, deleted, replaced or swapped with their neighbour.
  ///
  /// - Complexity: O(n·m).
  /// Source: optimal string alignment, after Damerau, "A technique for computer detection and
  /// correction of spelling errors", CACM 1964.
  private static func distance(_ first: [Character], _ second: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...second.count)
    for (row, letter) in first.enumerated() {
      var current = [row + 1]
      for (column, other) in second.enumerated() {
        var best = min(current[column] + 1, last[column + 1] + 1)
        best = min(best, last[column] + (letter == other ? 0 : 1))
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == other {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
