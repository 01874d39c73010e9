import Cadastre

/// Replies to requests: reads run in tasks with Realms of their own, writes are collected.
actor Service {
  /// The readings of concurrent requests, which are stored in one transaction.
  private final class Batch {
    var readings: [Request.Reading] = []
    var writing: Task<Void, any Error>?
  }

  private let configuration: Realm.Configuration
  private var realm: Realm?
  private var batch: Batch?
  /// The number of committed transactions.
  private(set) var commits = 0

  init(_ configuration: Realm.Configuration) { self.configuration = configuration }

  /// Opens the store, which stays open as long as the service.
  func start() async throws { realm = try await Realm.open(configuration: configuration) }

  /// Returns the reply to a request; errors are replies too.
  nonisolated func reply(to line: String) async -> String {
    do {
      switch try Request(line) {
      case .record(let reading):
        try await record(reading)
        return "stored"
      case .level(let id): return try level(of: id)
      case .count(let predicate): return try count(predicate)
      }
    } catch {
      return "error: \(error)"
    }
  }

  // MARK: Reading

  private nonisolated func level(of id: Int) throws -> String {
    let realm = try Realm(configuration: configuration)
    return try realm.checkingReads {
      realm.object(ofType: Station.self, forPrimaryKey: id).map { "\($0.level)" } ?? "unknown"
    }
  }

  /// The predicate is text of a client: an error in it is thrown.
  private nonisolated func count(_ predicate: String) throws -> String {
    let realm = try Realm(configuration: configuration)
    return try realm.checkingReads {
      "\(try realm.objects(Station.self).filter(parsing: predicate).count)"
    }
  }

  // MARK: Writing

  /// Stores a reading together with those of other requests; returns when it is durable.
  private func record(_ reading: Request.Reading) async throws {
    let batch = self.batch ?? begin()
    batch.readings.append(reading)
    try await batch.writing?.value
  }

  private func begin() -> Batch {
    let batch = Batch()
    self.batch = batch
    batch.writing = Task { try await write(batch) }
    return batch
  }

  private func write(_ batch: Batch) async throws {
    defer { if self.batch === batch { self.batch = nil } }
    guard let realm else { return }
    try await realm.asyncWrite {
      self.batch = nil  // later requests begin another batch
      for reading in batch.readings {
        realm.create(
          Station.self,
          value: [
            "id": reading.id, "level": reading.level,
            "place": ["coordinates": reading.coordinates],
          ] as [String: Any], update: .modified)
      }
    }
    commits += 1
  }
}
