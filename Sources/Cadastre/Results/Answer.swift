import CadastreModel
import CadastrePlanner
import CadastreStore

/// A question and what has been found for it so far.
final class Answer {
  let core: RealmCore
  let query: ObjectQuery
  private let table: ManagedTable
  private var found: (epoch: UInt64, keys: [Int64])?
  private lazy var dependencies = QueryDependencies(query, table.layout, core.reader.catalogue)

  init(_ core: RealmCore, _ type: ObjectBase.Type, _ query: ObjectQuery) {
    self.core = core
    self.query = query
    table = core.table(type)
  }

  var keys: [Int64] {
    if let current { return current }
    let keys = Misuse.orStop { try session.keys(query).keys }
    found = (core.epoch, keys)
    return keys
  }

  var count: Int {
    if let current { return current.count }
    return Misuse.orStop { try session.count(query) }
  }

  var isEmpty: Bool { firstKey == nil }

  var firstKey: Int64? {
    if let current { return current.first }
    var one = query
    one.limit = min(1, query.limit ?? 1)
    return Misuse.orStop { try session.keys(one).keys.first }
  }

  private var session: QuerySession { QuerySession(core.reader) }

  /// The keys, if nothing that the question depends on has changed since they were found.
  private var current: [Int64]? {
    core.checkThread()
    guard let found, core.isUnchanged(dependencies, since: found.epoch) else { return nil }
    return found.keys
  }
}
