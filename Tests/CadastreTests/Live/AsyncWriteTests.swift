import Cadastre
import Foundation
import Testing

/// `asyncWrite` of many tasks.
@Suite struct AsyncWriteTests {
  private actor Writer {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm.open(configuration: configuration)
      try await realm?.asyncWrite { realm?.create(Keeper.self, value: [0], update: .modified) }
    }

    func raise() async throws {
      try await realm?.asyncWrite { realm?.objects(Keeper.self).first?.age += 1 }
    }

    func raiseBlocking() throws {
      try realm?.write { realm?.objects(Keeper.self).first?.age += 1 }
    }

    func begin() { realm?.beginWrite() }

    func cancel() { realm?.cancelWrite() }

    var age: Int {
      realm?.refresh()
      return realm?.objects(Keeper.self).first?.age ?? -1
    }
  }

  private func writers(_ count: Int) async throws -> [Writer] {
    let configuration = Shelter.configuration()
    let writers = (0..<count).map { _ in Writer() }
    for writer in writers { try await writer.open(configuration) }
    return writers
  }

  @Test func `200 tasks on 4 actors lose no write`() async throws {
    let writers = try await writers(4)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<200 {
        group.addTask { for _ in 0..<3 { try await writers[task % 4].raise() } }
      }
      try await group.waitForAll()
    }
    #expect(await writers[0].age == 600)
  }

  @Test func `tasks that block their threads do not stop those that wait`() async throws {
    let writers = try await writers(16)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<64 {
        group.addTask {
          for _ in 0..<3 {
            if task.isMultiple(of: 2) {
              try await writers[task % 16].raise()
            } else {
              try await writers[task % 16].raiseBlocking()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(await writers[0].age == 192)
  }

  @Test func `a cancelled task does not wait for the lock`() async throws {
    let writers = try await writers(2)
    await writers[0].begin()
    let tasks = (0..<10).map { _ in Task { try await writers[1].raise() } }
    for task in tasks[1...] { task.cancel() }
    // The lock is held until these have ended.
    for task in tasks[1...] {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    await writers[0].cancel()
    try await tasks[0].value
    #expect(await writers[0].age == 1)
  }
}
