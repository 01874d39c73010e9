import Cadastre
import Dispatch
import Foundation
import Testing
import TestingSupport

/// The samples of `Concurrency.md`.
@Suite struct ConcurrencyTests {
  class Chore: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var title = ""
    @Persisted var isDone = false

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @MainActor final class ChoreList {
    private let realm: Realm
    private(set) var titles: [String] = []
    private var token: NotificationToken?

    init(_ configuration: Realm.Configuration) throws {
      realm = try Realm(configuration: configuration)
      token = realm.objects(Chore.self).where { !$0.isDone }.sorted(by: \.title).observe {
        [weak self] change in
        switch change {
        case .initial(let open), .update(let open, _, _, _): self?.titles = open.map(\.title)
        case .error(let error): self?.titles = ["\(error)"]
        }
      }
    }

    func add(_ title: String) async throws {
      try await realm.asyncWrite {
        let next = (realm.objects(Chore.self).max(of: \.id) ?? 0) + 1
        realm.create(Chore.self, value: ["id": next, "title": title] as [String: Any])
      }
    }
  }

  actor ChoreStore {
    private let realm: Realm

    init(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm.open(configuration: configuration)
    }

    func finish(_ id: Int) async throws -> Bool {
      try await realm.asyncWrite {
        guard let chore = realm.object(ofType: Chore.self, forPrimaryKey: id) else { return false }
        chore.isDone = true
        return true
      }
    }
  }

  struct Conflict: Error {}

  private let configuration: Realm.Configuration
  private let realm: Realm

  init() throws {
    configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Chore.self])
    realm = try Realm(configuration: configuration)
  }

  func openTitles(_ configuration: Realm.Configuration) async throws -> [String] {
    let realm = try Realm(configuration: configuration)
    return realm.objects(Chore.self).where { !$0.isDone }.map(\.title)
  }

  func importChores(
    _ titles: [String], _ configuration: Realm.Configuration, on queue: DispatchQueue,
    completion: @escaping @Sendable ((any Error)?) -> Void
  ) {
    queue.async {
      do {
        let realm = try Realm(configuration: configuration, queue: queue)
        try realm.write {
          for (id, title) in titles.enumerated() {
            realm.create(Chore.self, value: ["id": id, "title": title], update: .modified)
          }
        }
        completion(nil)
      } catch {
        completion(error)
      }
    }
  }

  func finish(
    _ reference: ThreadSafeReference<Chore>, _ configuration: Realm.Configuration
  ) async throws {
    let realm = try Realm(configuration: configuration)
    guard let chore = realm.resolve(reference) else { return }  // it was deleted meanwhile
    try await realm.asyncWrite { chore.isDone = true }
  }

  func countInBackground(_ chores: Results<Chore>) async -> Int {
    let frozen = Frozen(chores)
    return await withTaskGroup(of: Int.self) { group in
      group.addTask { frozen.value.count }
      return await group.reduce(0, +)
    }
  }

  func rename(_ id: Int, from old: String, to new: String, in realm: Realm) throws {
    try realm.write {
      guard let chore = realm.object(ofType: Chore.self, forPrimaryKey: id), chore.title == old
      else {
        throw Conflict()
      }
      chore.title = new
    }
  }

  @Test func `contexts write and read`() async throws {
    let queue = DispatchQueue(label: "import")
    let failure = await withCheckedContinuation { continuation in
      importChores(["read", "write"], configuration, on: queue) {
        continuation.resume(returning: $0)
      }
    }
    #expect(failure == nil)
    #expect(try await openTitles(configuration).sorted() == ["read", "write"])
    let store = try await ChoreStore(configuration)
    #expect(try await store.finish(1))
    #expect(try await !store.finish(9))
    #expect(try await openTitles(configuration) == ["read"])

    realm.refresh()
    #expect(await countInBackground(realm.objects(Chore.self)) == 2)
    let chore = try #require(realm.object(ofType: Chore.self, forPrimaryKey: 0))
    try await finish(ThreadSafeReference(to: chore), configuration)
    #expect(try await openTitles(configuration) == [])

    let other = try Realm(configuration: configuration)
    #expect(throws: Conflict.self) { try rename(0, from: "write", to: "sign", in: other) }
    try rename(0, from: "read", to: "sign", in: other)
    #expect(other.object(ofType: Chore.self, forPrimaryKey: 0)?.title == "sign")
  }

  @Test @MainActor func `the main actor observes`() async throws {
    let list = try ChoreList(configuration)
    try await list.add("wash")
    try await list.add("sweep")
    // Observers are called in the order in which they were added.
    let (events, continuation) = AsyncStream.makeStream(of: [String].self)
    let mine = try Realm(configuration: configuration)
    let token = mine.objects(Chore.self).observe { _ in continuation.yield(list.titles) }
    for await titles in events where titles == ["sweep", "wash"] { break }
    token.invalidate()
    #expect(list.titles == ["sweep", "wash"])
  }

  @Test func `a task observes on a queue`() async throws {
    let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
    let token = realm.objects(Chore.self).observe(on: DispatchQueue(label: "observer")) { change in
      if case .update(let chores, _, _, _) = change { continuation.yield(chores.count) }
      if case .initial(let chores) = change { continuation.yield(chores.count) }
    }
    try realm.write { realm.create(Chore.self, value: ["id": 1]) }
    for await count in counts where count == 1 { break }
    token.invalidate()
  }

  // A thread without a run loop.
  @Test func `a thread observes on a queue`() async throws {
    let (counts, continuation) = AsyncStream.makeStream(of: Int.self)
    let configuration = configuration
    let token = try await withCheckedThrowingContinuation { started in
      Thread.detachNewThread {
        started.resume(
          with: Result {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.create(Chore.self, value: ["id": 1]) }
            return realm.objects(Chore.self).observe(on: DispatchQueue(label: "observer")) {
              change in
              if case .initial(let chores) = change { continuation.yield(chores.count) }
            }
          })
      }
    }
    for await count in counts where count == 1 { break }
    token.invalidate()
  }

  @Test func `the article shows this code`() throws {
    try Article("Concurrency.md").expectSamplesAreCompiled(count: 7)
  }
}
