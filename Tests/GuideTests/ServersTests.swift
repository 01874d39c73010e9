import Cadastre
import Foundation
import Synchronization
import Testing
import TestingSupport

// The samples of `Servers.md`.

class Station: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var name = ""
  @Persisted var level = 0.0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct StationReply: Codable, Sendable {
  var id: Int
  var name: String
  var level: Double

  init(_ station: Station) {
    (id, name, level) = (station.id, station.name, station.level)
  }
}

actor Store {
  private let configuration: Realm.Configuration
  private var realm: Realm?

  init(_ configuration: Realm.Configuration) { self.configuration = configuration }

  func open() async throws {
    realm = try await Realm.open(configuration: configuration)
  }
}

extension Store {
  func raise(_ id: Int, by amount: Double) async throws -> StationReply? {
    guard let realm else { return nil }
    return try await realm.asyncWrite {
      guard let station = realm.object(ofType: Station.self, forPrimaryKey: id) else { return nil }
      station.level += amount
      return StationReply(station)
    }
  }
}

extension Store {
  func alarms(above level: Double, _ alarm: @Sendable (StationReply) -> Void) async {
    guard let high = realm?.objects(Station.self).where({ $0.level > level }) else { return }
    for await change in high.changes() {
      guard case .update(let stations, _, let insertions, _) = change else { continue }
      for index in insertions { alarm(StationReply(stations[index])) }
    }
  }
}

extension Store {
  func store(_ body: Data) async throws -> EncodedObject? {
    guard let realm else { return nil }
    return try await realm.asyncWrite {
      let value = try JSONSerialization.jsonObject(with: body)
      return try realm.create(
        checking: Station.self, value: value, update: .modified, mode: .strict
      ).encoded()
    }
  }
}

actor Recorder {
  private final class Batch {
    var levels: [Int: Double] = [:]
    var writing: Task<Void, any Error>?
  }

  private let configuration: Realm.Configuration
  private var batch: Batch?

  init(_ configuration: Realm.Configuration) { self.configuration = configuration }

  /// Stores a level together with those of other requests; returns when it is durable.
  func record(_ level: Double, of id: Int) async throws {
    let batch = self.batch ?? begin()
    batch.levels[id] = level
    try await batch.writing?.value
  }

  private func begin() -> Batch {
    let batch = Batch()
    self.batch = batch
    batch.writing = Task { try await write(batch) }
    return batch
  }

  private func write(_ batch: Batch) async throws {
    let realm = try await Realm.open(configuration: configuration)
    defer { if self.batch === batch { self.batch = nil } }
    try await realm.asyncWrite {
      self.batch = nil  // later requests begin another batch
      for (id, level) in batch.levels {
        realm.create(Station.self, value: ["id": id, "level": level], update: .modified)
      }
    }
  }
}

extension Store {
  func reference(to id: Int) -> ThreadSafeReference<Station>? {
    realm?.object(ofType: Station.self, forPrimaryKey: id).map { ThreadSafeReference(to: $0) }
  }
}

extension Store {
  func fill(_ levels: [Int: Double]) throws {
    try realm?.write {
      for (id, level) in levels {
        realm?.create(Station.self, value: ["id": id, "level": level], update: .modified)
      }
    }
  }
}

final class Session: @unchecked Sendable {
  @ThreadSafe var station: Station?
}

@Suite struct ServersTests {
  private let configuration: Realm.Configuration
  private let store: Store

  init() async throws {
    var configuration = Self.checked(
      Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Station.self]))
    // A busy machine does not make a test fail.
    configuration.writeTimeout = 60
    self.configuration = configuration
    store = Store(configuration)
    try await store.open()
    try await store.fill([1: 10, 2: 150, 3: 90])
  }

  private static let messages = Mutex<[String]>([])

  private static func checked(_ configuration: Realm.Configuration) -> Realm.Configuration {
    @Sendable func log(_ message: String) { messages.withLock { $0.append(message) } }
    var configuration = configuration
    configuration.readErrorHandler = { error in log("a read failed: \(error)") }
    configuration.writeTimeout = 5
    return configuration
  }

  func highest(_ count: Int, _ configuration: Realm.Configuration) async throws -> [StationReply] {
    let realm = try Realm(configuration: configuration)
    return try realm.throwingReadErrors {
      try realm.objects(Station.self).sorted(by: \.level, ascending: false).limit(checking: count)
        .map(StationReply.init)
    }
  }

  func levels(_ configuration: Realm.Configuration) async throws -> (low: Int, high: Int) {
    let stations = Frozen(try Realm(configuration: configuration).objects(Station.self))
    async let low = stations.value.where { $0.level < 100 }.count
    async let high = stations.value.where { $0.level >= 100 }.count
    return await (low, high)
  }

  func rename(
    _ reference: ThreadSafeReference<Station>, to name: String,
    _ configuration: Realm.Configuration
  ) async throws {
    let realm = try Realm(configuration: configuration)
    guard let station = realm.resolve(reference) else { return }  // it was deleted meanwhile
    try await realm.asyncWrite { station.name = name }
  }

  func find(
    _ text: String, by order: String = "id", first count: Int = 100,
    _ configuration: Realm.Configuration
  ) throws -> [StationReply] {
    let realm = try Realm(configuration: configuration)
    return try realm.objects(Station.self).filter(parsing: text).sorted(checking: order)
      .limit(checking: count).map(StationReply.init)
  }

  func reply(_ text: String, _ configuration: Realm.Configuration) async throws -> Data {
    let realm = try Realm(configuration: configuration)
    let stations = try realm.throwingReadErrors {
      try realm.objects(Station.self).filter(parsing: text).limit(100).encoded(depth: 1)
    }
    return try JSONEncoder().encode(stations)
  }

  @Test func `JSON is stored and replied`() async throws {
    let body = Data(#"{"id": 9, "name": "Krems", "level": 7.5}"#.utf8)
    let stored = try #require(try await store.store(body))
    let reply = try await reply("id == 9", configuration)
    #expect(try JSONDecoder().decode([StationReply].self, from: reply).map(\.name) == ["Krems"])
    #expect(try JSONEncoder().encode([stored]).count == reply.count)
    await #expect(throws: InvalidValueError.self) {
      try await store.store(Data(#"{"id": "x"}"#.utf8))
    }
    await #expect(throws: InvalidValueError.self) {
      try await store.store(Data(#"{"id": 10, "nmae": "Krems", "level": 7.5}"#.utf8))
    }
    await #expect(throws: (any Error).self) { try await store.store(Data("{".utf8)) }
    #expect(throws: QueryPredicateError.self) { try find("id > 0", by: "nmae", configuration) }
    #expect(throws: QueryPredicateError.self) { try find("id > 0", first: -1, configuration) }
    #expect(try find("id > 0", by: "level", first: 2, configuration).count == 2)
  }

  @Test func `many tasks read at the same time`() async throws {
    let replies = try await withThrowingTaskGroup(of: [Int].self) { group in
      for count in 1...30 {
        group.addTask { try await highest(count, configuration).map(\.id) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(replies.count == 30 && replies.allSatisfy { [2, 3, 1].starts(with: $0) })
    #expect(try await levels(configuration) == (low: 2, high: 1))
    #expect(Self.messages.withLock { $0.isEmpty })
  }

  @Test func `writes of many tasks are all stored`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      let recorder = Recorder(configuration)
      for id in 0..<200 {
        group.addTask {
          try await recorder.record(Double(id), of: id)
          let stored = try await highest(200, configuration).first { $0.id == id }
          #expect(stored?.level == Double(id))
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.raise(1, by: 1)?.level == 2)
    #expect(try await store.raise(999, by: 1) == nil)
  }

  @Test func `an object is changed in another task`() async throws {
    let reference = try #require(await store.reference(to: 2))
    try await rename(reference, to: "Ybbs", configuration)
    #expect(try find("name == 'Ybbs'", configuration).map(\.id) == [2])
    let session = Session()
    let realm = try Realm(configuration: configuration)
    session.station = realm.object(ofType: Station.self, forPrimaryKey: 2)
    let name = await Task.detached { session.station?.name }.value
    #expect(name == "Ybbs")
  }

  @Test func `a new match is reported`() async throws {
    let (alarms, continuation) = AsyncStream.makeStream(of: Int.self)
    let watching = Task { await store.alarms(above: 100) { continuation.yield($0.id) } }
    defer { watching.cancel() }
    var level = 101.0
    // Until the observer has its first state a new match is part of it.
    let raising = Task {
      while !Task.isCancelled {
        try await store.fill([7: level])
        try await Task.sleep(for: .milliseconds(5))
        level = level > 100 ? 0 : 101
      }
    }
    defer { raising.cancel() }
    var iterator = alarms.makeAsyncIterator()
    #expect(await iterator.next() == 7)
  }

  @Test func `a predicate of a client that is wrong is an error`() {
    #expect(throws: QueryPredicateError.self) { try find("levle > 3", configuration) }
  }

  @Test func `the article shows this code`() throws {
    try Article("Servers.md").expectSamplesAreCompiled(count: 13)
  }
}
