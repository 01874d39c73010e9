import CadastreEngine
import CadastreModel
import CadastreStore

/// Which elements of a collection have changed.
struct ElementChange {
  /// What has come and gone.
  var difference: SequenceDifference
  /// The indexes in the collection as it was of elements that stayed and have changed, ascending.
  var modifications: [Int] = []

  var isEmpty: Bool { difference.isEmpty && modifications.isEmpty }
}

/// Watches the elements of a collection.
protocol ElementWatch: AnyObject {
  /// Reads the elements.
  func begin()
  /// What has changed since, and by which commits, where that is known.
  func change(_ commits: ChangeSet?) -> ElementChange
}

extension ElementSource {
  /// A watch on the elements.
  ///
  /// - Parameter keyPaths: The properties whose changes count; nil for all.
  /// - Returns: The watch, which has read nothing yet.
  func watch(_ keyPaths: [String]?) -> any ElementWatch {
    let trace = table.map { ChangeTrace(keyPaths, of: $0, in: core) }
    if let queryResult = self as? QueryResult { return QueryResultObserver(queryResult, trace) }
    return ListWatch(self, trace)
  }
}

extension ChangeTrace {
  /// Those of some objects that commits have changed, by their places; all of them where it is not
  /// known what the commits changed.
  fileprivate func changed(
    by commits: ChangeSet?, in keys: KeyList, _ core: RealmCore
  ) -> [Int] {
    guard let commits else { return Array(keys.keys.indices) }
    let changed = core.read(or: nil) { try self.keys(changedBy: commits, $0, limit: .max) }
    return keys.indexes(of: changed ?? [])
  }
}

/// Watches what a question finds.
private final class QueryResultObserver: ElementWatch {
  private let queryResult: QueryResult
  private let trace: ChangeTrace?

  init(_ queryResult: QueryResult, _ trace: ChangeTrace?) {
    // An queryResult of its own, which moves on from one telling to the next.
    self.queryResult = queryResult.copy()
    self.trace = trace
  }

  func begin() { if queryResult.isValid { queryResult.update() } }

  func change(_ commits: ChangeSet?) -> ElementChange {
    guard queryResult.isValid else {
      return ElementChange(difference: SequenceDifference(deletions: Array(0..<queryResult.discardContent())))
    }
    let before = queryResult.lastKeys
    var changed: [Int] = []
    if let trace, let before { changed = trace.changed(by: commits, in: before, queryResult.core) }
    let difference = queryResult.advance()
    let gone = Set(difference.deletions)
    if !gone.isEmpty { changed.removeAll(where: gone.contains) }
    return ElementChange(difference: difference, modifications: changed)
  }
}

/// Watches the elements of a list, a set or linking objects.
private final class ListWatch: ElementWatch {
  private let source: any ElementSource
  private let trace: ChangeTrace?
  private var last: [Value] = []

  init(_ source: any ElementSource, _ trace: ChangeTrace?) {
    self.source = source
    self.trace = trace
  }

  func begin() { last = source.isValid ? source.values() : [] }

  func change(_ commits: ChangeSet?) -> ElementChange {
    let before = last
    if !source.isValid { last = [] } else if mayHaveMoved(commits) { last = source.values() }
    var change = ElementChange(difference: SequenceDifference(from: before, to: last))
    if source is any MutableElementSource { change.pairReplacements() }
    guard let trace, source.isValid else { return change }
    let keys = before.map { if case .link(let key) = $0 { key.rawValue } else { Int64.min } }
    let gone = Set(change.difference.deletions)
    let changed = trace.changed(by: commits, in: KeyList(keys, isAscending: false), source.core)
    change.modifications =
      Set(change.modifications).union(changed.filter { !gone.contains($0) }).sorted()
    return change
  }

  /// Whether the elements themselves may be others.
  private func mayHaveMoved(_ commits: ChangeSet?) -> Bool {
    guard let commits, let stored = source as? StoredCollection else { return true }
    let changed = commits.classes[stored.layout.ownerClass]?.modified[stored.owner.rawValue]
    return changed?.contains(stored.layout.countColumn) ?? false
  }
}

extension ElementChange {
  /// Makes one modification of a deletion and an insertion in the same place: an element of a list was
  /// set.
  fileprivate mutating func pairReplacements() {
    var (deletions, insertions): ([Int], [Int]) = ([], [])
    let (old, new) = (difference.deletions, difference.insertions)
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      // What stands before each among the elements that stayed.
      let before = left < old.count ? old[left] - left : .max
      let after = right < new.count ? new[right] - right : .max
      if before == after {
        modifications.append(old[left])
      } else if before < after {
        deletions.append(old[left])
      } else {
        insertions.append(new[right])
      }
      if before <= after { left += 1 }
      if after <= before { right += 1 }
    }
    difference = SequenceDifference(deletions: deletions, insertions: insertions)
  }
}
