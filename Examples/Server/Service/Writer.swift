import Cadastre

/// Writes the changes of concurrent requests together.
actor Writer {
  /// A change of one request.
  ///
  /// It throws before it writes, because it shares its transaction with other requests.
  typealias Change = @Sendable (Realm) throws -> Reply

  /// The changes that the next transaction writes, and their results.
  private final class Batch {
    var changes: [Change] = []
    var results: [Result<Reply, any Error>] = []
    var writing: Task<Void, any Error>?
  }

  private let configuration: Realm.Configuration
  private var realm: Realm?
  private var batch: Batch?
  /// The number of committed transactions.
  private(set) var commits = 0

  init(_ configuration: Realm.Configuration) { self.configuration = configuration }

  /// Opens the store, which stays open as long as the writer.
  func start() async throws { realm = try await Realm.open(configuration: configuration) }

  /// Writes a change together with those of other requests.
  ///
  /// - Returns: The reply, when the change is durable.
  /// - Throws: The error of the change, or that of the transaction.
  func write(_ change: @escaping Change) async throws -> Reply {
    let batch = self.batch ?? begin()
    let index = batch.changes.count
    batch.changes.append(change)
    try await batch.writing?.value
    return try batch.results[index].get()
  }

  private func begin() -> Batch {
    let batch = Batch()
    self.batch = batch
    batch.writing = Task { try await commit(batch) }
    return batch
  }

  private func commit(_ batch: Batch) async throws {
    defer { if self.batch === batch { self.batch = nil } }
    guard let realm else {
      throw RequestError(status: 503, description: "the service has not started")
    }
    try await realm.asyncWrite {
      self.batch = nil  // later requests begin another batch
      batch.results = batch.changes.map { change in Result { try change(realm) } }
    }
    commits += 1
  }
}
