import CadastreEngine
import CadastreModel
import CadastreStore

/// Finds the objects of a class that commits affect, from one notification to the next.
final class TraceObserver {
  private let trace: ChangeTrace
  private let core: RealmCore
  /// The version of the last notification, where links are followed backwards: an object that has
  /// lost a link since is found from that version only.
  private var before: RealmCore?

  /// Observes objects of a class; see `ChangeTrace` for the key paths.
  init(
    _ keyPaths: [String]?, of table: ManagedTable, in core: RealmCore,
    within position: ObjectPosition? = nil
  ) {
    trace = ChangeTrace(keyPaths, of: table, in: core, within: position)
    self.core = core
  }

  /// Remembers the present version.
  func begin() { if trace.followsBackwards { before = core.frozen() } }

  /// Returns the keys of the affected objects; nil where the changes are not known.
  func keys(changedBy commits: ChangeSet?) -> Set<Int64>? {
    defer { begin() }
    return commits.flatMap { commits in
      guard
        let now = core.read(or: nil, { try trace.keys(changedBy: commits, $0, limit: .max) })
      else { return nil }
      guard let before else { return now }
      return now.union(before.read(or: []) { try trace.keys(changedBy: commits, before: $0) })
    }
  }

  /// Returns whether commits affect an object; true where the changes are not known.
  func reaches(_ key: ObjectKey, from commits: ChangeSet?) -> Bool {
    guard !trace.followsBackwards else {
      return keys(changedBy: commits)?.contains(key.rawValue) ?? true
    }
    return commits.map { commits in
      core.read(or: true) { try trace.reaches(key, from: commits, $0) }
    } ?? true
  }
}
