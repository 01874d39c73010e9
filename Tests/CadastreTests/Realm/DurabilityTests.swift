import CadastreModel
import Dispatch
import Foundation
import Testing
import TestingSupport

@testable import Cadastre

class Deposit: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var amount = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The durability of a configuration, and the end of asynchronous writes to a file.
@Suite struct DurabilityTests {
  private let folder: Folder
  private let configuration: Realm.Configuration

  init() throws {
    folder = try Folder()
    configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: folder.path + "/deposits.cadastre"),
      objectTypes: [Deposit.self])
  }

  // MARK: The configuration

  private func expectRefusal(_ body: () throws -> Void) {
    #expect {
      try body()
    } throws: { error in
      guard let error = error as? Realm.Error else { return false }
      return error.code == .fail && error.description.contains("another durability")
    }
  }

  @Test(arguments: [Realm.Configuration.Durability.full, .normal])
  func `a second durability of an open store is refused`(first: Realm.Configuration.Durability)
    throws
  {
    var (own, other) = (configuration, configuration)
    own.durability = first
    other.durability = first == .full ? .normal : .full
    #expect(own != other)
    var realm: Realm? = try Realm(configuration: own)
    try realm?.write { realm?.create(Deposit.self, value: [1, 10]) }
    expectRefusal { _ = try Realm(configuration: other) }
    try onNewThread { [other] in expectRefusal { _ = try Realm(configuration: other) } }
    _ = try Realm(configuration: own)
    realm = nil
    #expect(try Realm(configuration: other).objects(Deposit.self).count == 1)
  }

  @Test func `a store in memory has any durability`() throws {
    var (full, normal) = (configuration, configuration)
    full.inMemoryIdentifier = "\(UUID())"
    normal.inMemoryIdentifier = full.inMemoryIdentifier
    normal.durability = .normal
    let realm = try Realm(configuration: full)
    try realm.write { realm.create(Deposit.self, value: [1, 10]) }
    #expect(try Realm(configuration: normal).objects(Deposit.self).count == 1)
  }

  @Test(arguments: [Realm.Configuration.Durability.full, .normal])
  func `writes of all kinds are stored with each durability`(
    durability: Realm.Configuration.Durability
  ) async throws {
    var configuration = configuration
    configuration.durability = durability
    let realm = try await Realm.open(configuration: configuration)
    try realm.write { realm.create(Deposit.self, value: [1, 10]) }
    try await realm.asyncWrite { realm.create(Deposit.self, value: [2, 20]) }
    try await realm.asyncWrite {
      realm.create(Deposit.self, value: [3, 30])
      try realm.commitWrite()
    }
    try await realm.asyncWrite {
      realm.create(Deposit.self, value: [4, 40])
      realm.commitAsyncWrite()
    }
    try realm.write { realm.create(Deposit.self, value: [5, 50]) }
    let amounts = try onNewThread { [configuration] in
      Array(try Realm(configuration: configuration).objects(Deposit.self).map(\.amount)).sorted()
    }
    #expect(amounts == [10, 20, 30, 40, 50])
  }

  // MARK: Asynchronous writes

  private actor Writer {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm.open(configuration: configuration)
    }

    /// Adds an object, and returns the version that the commit has.
    func add(_ id: Int, cancelling: Bool = false) async throws -> Int64? {
      guard let realm else { return nil }
      return try await realm.asyncWrite {
        realm.create(Deposit.self, value: [id, id])
        if cancelling { withUnsafeCurrentTask { $0?.cancel() } }
        return realm.core.transaction?.version
      }
    }

    var ids: [Int] { realm?.objects(Deposit.self).map(\.id).sorted() ?? [] }

    var isWriting: Bool { realm?.isPerformingAsynchronousWriteOperations ?? false }
  }

  @Test func `50 tasks of one actor write objects in versions of their own`() async throws {
    let writer = Writer()
    try await writer.open(configuration)
    let versions = try await withThrowingTaskGroup(of: Int64?.self) { group in
      for id in 0..<50 { group.addTask { try await writer.add(id) } }
      return try await group.reduce(into: []) { $0.append($1 ?? 0) }
    }
    #expect(Set(versions).count == 50)
    #expect(await writer.ids == Array(0..<50))
    #expect(await !writer.isWriting)
  }

  @Test func `a cancellation after the changes has no effect`() async throws {
    let writer = Writer()
    try await writer.open(configuration)
    let task = Task { try await writer.add(1, cancelling: true) }
    #expect(try await task.value != nil)
    #expect(await writer.ids == [1])
  }

  /// A Realm of a queue that a test releases.
  // Safe because it is used on the queue only.
  private final class Owner: @unchecked Sendable {
    let queue = DispatchQueue(label: "deposits")
    var realm: Realm?
    var lines: [String] = []
  }

  @Test func `completion handlers are called in the order of the commits`() throws {
    let owner = Owner()
    let done = DispatchSemaphore(value: 0)
    try owner.queue.sync {
      let realm = try Realm(configuration: configuration, queue: owner.queue)
      owner.realm = realm
      for id in 0..<20 {
        realm.writeAsync({ realm.create(Deposit.self, value: [id, id]) }) { error in
          owner.lines.append("\(id) \(error == nil)")
        }
      }
      realm.beginAsyncWrite {
        realm.create(Deposit.self, value: [20, 20])
        realm.commitAsyncWrite { error in
          owner.lines.append("20 \(error == nil)")
          done.signal()
        }
      }
      #expect(realm.isPerformingAsynchronousWriteOperations)
    }
    done.waitForEvent("the last commit")
    owner.queue.sync {
      #expect(owner.lines == (0...20).map { "\($0) true" })
      #expect(owner.realm?.objects(Deposit.self).count == 21)
      #expect(owner.realm?.isPerformingAsynchronousWriteOperations == false)
      owner.realm = nil
    }
  }

  @Test func `a cancelled completion handler is not called`() throws {
    let owner = Owner()
    let done = DispatchSemaphore(value: 0)
    try owner.queue.sync {
      let realm = try Realm(configuration: configuration, queue: owner.queue)
      owner.realm = realm
      realm.beginAsyncWrite {
        realm.create(Deposit.self, value: [1, 1])
        let id = realm.commitAsyncWrite { _ in owner.lines.append("cancelled") }
        try? realm.cancelAsyncWrite(id)
      }
      realm.writeAsync({ realm.create(Deposit.self, value: [2, 2]) }) { _ in done.signal() }
    }
    done.waitForEvent("the second commit")
    owner.queue.sync {
      #expect(owner.lines.isEmpty)
      #expect(owner.realm?.objects(Deposit.self).count == 2)
      owner.realm = nil
    }
  }

  @Test func `a Realm that is released before its commit is durable gets the acknowledgement`()
    throws
  {
    let owner = Owner()
    let done = DispatchSemaphore(value: 0)
    try owner.queue.sync {
      owner.realm = try Realm(configuration: configuration, queue: owner.queue)
      owner.realm?.writeAsync({
        owner.realm?.create(Deposit.self, value: [1, 1])
        owner.realm = nil
      }) { error in
        owner.lines.append("durable \(error == nil)")
        done.signal()
      }
    }
    done.waitForEvent("the commit")
    #expect(owner.queue.sync { owner.lines } == ["durable true"])
    #expect(try Realm(configuration: configuration).objects(Deposit.self).count == 1)
  }
}
