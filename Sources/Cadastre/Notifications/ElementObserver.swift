import CadastreModel
import CadastreQuery
import CadastreStore

/// A change of a collection's elements.
struct ElementChange {
  /// The inserted and deleted elements.
  var difference: SequenceDifference
  /// The old indexes of the modified elements, ascending.
  var modifications: [Int] = []

  var isEmpty: Bool { difference.isEmpty && modifications.isEmpty }
}

/// Observes the elements of a collection.
protocol ElementObserver: AnyObject {
  /// Reads the initial elements; none where they cannot be read.
  func begin()
  /// Returns the change since the last call.
  ///
  /// - Parameter commits: The changes of the commits; nil if they are not available.
  /// - Returns: The change.
  /// - Throws: The error of a read; the next call returns the change since the last one that succeeded.
  func change(_ commits: ChangeRange?) throws -> ElementChange
}

extension ElementSource {
  /// Returns an observer of the elements, which has not read them.
  ///
  /// - Parameter keyPaths: The properties whose changes are reported; nil for all.
  /// - Returns: The observer.
  func watch(_ keyPaths: [String]?) -> any ElementObserver {
    let trace = table.map { TraceObserver(keyPaths, of: $0, in: core) }
    if let queryResult = self as? QueryResult { return QueryResultObserver(queryResult, trace) }
    return ListObserver(self, trace)
  }
}

/// Observes the result of a query.
private final class QueryResultObserver: ElementObserver {
  private var queryResult: QueryResult
  private let trace: TraceObserver?

  init(_ queryResult: QueryResult, _ trace: TraceObserver?) {
    // A separate copy, which each notification updates.
    self.queryResult = queryResult.copy()
    self.trace = trace
  }

  func begin() {
    if queryResult.isValid { queryResult.read(or: ()) { _ = try $0.update() } }
    trace?.begin()
  }

  func change(_ commits: ChangeRange?) throws -> ElementChange {
    queryResult = queryResult.withRenewedBase
    guard queryResult.isValid else {
      return ElementChange(
        difference: SequenceDifference(deletions: Array(0..<queryResult.discardContent())))
    }
    var changed: [Int] = []
    if let trace { changed = queryResult.lastIndexes(of: trace.keys(changedBy: commits)) }
    let difference = try queryResult.core.exclusively { try queryResult.advance() }
    trace?.begin()
    if !changed.isEmpty, !difference.deletions.isEmpty {
      let gone = Set(difference.deletions)
      changed.removeAll(where: gone.contains)
    }
    return ElementChange(difference: difference, modifications: changed)
  }
}

/// Observes the elements of a list, a set or linking objects.
private final class ListObserver: ElementObserver {
  private var source: any ElementSource
  private let trace: TraceObserver?
  private var last: [Value] = []

  init(_ source: any ElementSource, _ trace: TraceObserver?) {
    self.source = source
    self.trace = trace
  }

  func begin() {
    last = source.isValid ? source.values() : []
    trace?.begin()
  }

  func change(_ commits: ChangeRange?) throws -> ElementChange {
    source = source.renewed
    // A failed read leaves the observer as it was.
    let values =
      if !source.isValid { [Value]() } else if mayHaveMoved(commits) {
        try source.core.throwingReadErrors { source.values() }
      } else { last }
    let before = last
    last = values
    var change = ElementChange(difference: SequenceDifference(from: before, to: last))
    if source is any MutableElementSource { change.pairReplacements() }
    guard let trace, source.isValid else { return change }
    let keys = before.map { if case .link(let key) = $0 { key.rawValue } else { Int64.min } }
    let gone = Set(change.difference.deletions)
    let changed =
      trace.keys(changedBy: commits).map { KeyList(keys, isAscending: false).indexes(of: $0) }
      ?? Array(keys.indices)
    trace.begin()
    change.modifications =
      Set(change.modifications).union(changed.filter { !gone.contains($0) }).sorted()
    return change
  }

  /// Returns whether the commits may have inserted, deleted or moved elements.
  private func mayHaveMoved(_ commits: ChangeRange?) -> Bool {
    guard let commits, let stored = source as? StoredCollection else { return true }
    let changed = commits.classes[stored.layout.ownerClass]?.modified[stored.owner.rawValue]
    return changed?.contains(stored.layout.countColumn) ?? false
  }
}

extension ElementChange {
  /// Combines a deletion and an insertion at the same position to a modification, because a list element was
  /// replaced.
  fileprivate mutating func pairReplacements() {
    var (deletions, insertions): ([Int], [Int]) = ([], [])
    let (old, new) = (difference.deletions, difference.insertions)
    var (left, right) = (0, 0)
    while left < old.count || right < new.count {
      // The numbers of unchanged elements before the next deletion and the next insertion.
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

/// Finds the objects of a class that the commits since the last notification affect.
final class TraceObserver {
  private let trace: ChangeTrace
  /// Whether no property is observed.
  private let observesNothing: Bool
  private let core: RealmCore
  /// The version of the last notification, if links are followed backwards: only that version has the links
  /// removed since.
  private var before: RealmCore?

  /// Creates an observer of the objects of a class; see `ChangeTrace` for the key paths.
  init(
    _ keyPaths: [String]?, of table: ManagedTable, in core: RealmCore,
    within position: ObjectPosition? = nil
  ) {
    trace = ChangeTrace(keyPaths, of: table, in: core, within: position)
    observesNothing = keyPaths?.isEmpty == true
    self.core = core
  }

  /// Records the current version, from which the next changes lead to a newer one.
  func begin() { if trace.followsBackwards { before = core.frozen() } }

  /// Returns the keys of the affected objects, ascending; nil if the changes are not available.
  func keys(changedBy commits: ChangeRange?) -> [Int64]? {
    if observesNothing { return [] }
    return commits.flatMap { commits in
      guard
        let now = core.read(
          .indexes, or: nil, { try trace.keys(changedBy: commits, $0, limit: .max) })
      else { return nil }
      guard let before else { return now }
      let earlier = before.read(.indexes, or: []) { try trace.keys(changedBy: commits, before: $0) }
      return Set(now).union(earlier).sorted()
    }
  }

  /// Returns whether commits affect an object; true if the changes are not available.
  func reaches(_ key: ObjectKey, from commits: ChangeRange?) -> Bool {
    guard !trace.followsBackwards else {
      return keys(changedBy: commits)?.contains(key.rawValue) ?? true
    }
    return commits.map { commits in
      core.read(.indexes, or: true) { try trace.reaches(key, from: commits, $0) }
    } ?? true
  }
}
