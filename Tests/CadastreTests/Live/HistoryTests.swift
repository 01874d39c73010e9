import Cadastre
import Foundation
import Synchronization
import Testing

/// A commit, as it notes itself.
class NotedCommit: Object {
  @Persisted(primaryKey: true) var sequence = 0
  @Persisted var writer = 0
  @Persisted var number = 0
  @Persisted var registers: List<Int>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What commits write to: the numbers of those that wrote.
class Register: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var entries: List<Int>
  @Persisted var last = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Writers and readers on threads, in tasks and in processes: every version that a reader sees is
/// what the first so many commits made, all of each and nothing of the others.
@Suite struct HistoryTests {
  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [NotedCommit.self, Register.self])
  }

  /// Commits some times; each commit writes to some registers.
  static func write(_ path: String, writer: Int, commits: Int) throws {
    let realm = try Realm(configuration: configuration(path))
    for number in 1...commits {
      let isCancelled = number % 7 == 3
      realm.beginWrite()
      let sequence = (realm.objects(NotedCommit.self).max(of: \.sequence) ?? 0) + 1
      let touched = (0..<4).filter { (sequence + $0 * writer) % 3 == 0 }
      realm.create(
        NotedCommit.self,
        value: ["sequence": sequence, "writer": writer, "number": number, "registers": touched])
      for id in touched {
        let register =
          realm.object(ofType: Register.self, forPrimaryKey: id)
          ?? realm.create(Register.self, value: ["id": id])
        register.entries.append(sequence)
        register.last = sequence
      }
      if isCancelled { realm.cancelWrite() } else { try realm.commitWrite() }
    }
  }

  /// What a snapshot has that no prefix of the commits can have; nil where it is one.
  static func fault(of realm: Realm, after last: inout Int) -> String? {
    let commits = Array(realm.objects(NotedCommit.self).sorted(by: \.sequence))
    guard commits.map(\.sequence) == Array((1...max(1, commits.count)).prefix(commits.count)) else {
      return "commits \(commits.map(\.sequence))"
    }
    guard commits.count >= last else { return "\(commits.count) commits after \(last)" }
    last = commits.count
    var expected: [Int: [Int]] = [:]
    var numbers: [Int: Int] = [:]
    for commit in commits {
      for id in commit.registers { expected[id, default: []].append(commit.sequence) }
      // A writer's own commits come in its order.
      guard commit.number > numbers[commit.writer] ?? 0 else { return "writer \(commit.writer)" }
      numbers[commit.writer] = commit.number
    }
    for register in realm.objects(Register.self) {
      let entries = Array(register.entries)
      guard entries == expected[register.id], register.last == entries.last else {
        return "register \(register.id): \(entries), expected \(expected[register.id] ?? [])"
      }
    }
    return realm.objects(Register.self).count == expected.count ? nil : "registers"
  }

  /// Reads each new version, frozen and live, until it is stopped.
  static func read(_ path: String, until isOver: () -> Bool) throws -> (
    snapshots: Int, fault: String?
  ) {
    let realm = try Realm(configuration: configuration(path))
    var (last, snapshots, isNew) = (0, 0, true)
    repeat {
      guard isNew else {
        Thread.sleep(forTimeInterval: 0.001)
        isNew = realm.refresh()
        continue
      }
      if let fault = fault(of: realm, after: &last) { return (snapshots, fault) }
      let frozen = realm.freeze()
      isNew = realm.refresh()
      var same = last
      if let fault = fault(of: frozen, after: &same) { return (snapshots, "frozen: " + fault) }
      if same != last { return (snapshots, "frozen moved") }
      snapshots += 1
    } while !isOver()
    return (snapshots, nil)
  }

  /// What readers have seen.
  private final class Tally: Sendable {
    let over = Mutex(false)
    let snapshots = Mutex(0)
    let faults = Mutex<[String]>([])

    func note(_ fault: String) { faults.withLock { $0.append(fault) } }

    func watch(_ path: String) {
      do {
        let found = try HistoryTests.read(path) { over.withLock { $0 } }
        snapshots.withLock { $0 += found.snapshots }
        if let fault = found.fault { note(fault) }
      } catch { note("\(error)") }
    }

    func write(_ path: String, writer: Int) {
      do { try HistoryTests.write(path, writer: writer, commits: 60) } catch { note("\(error)") }
    }
  }

  /// Runs a closure on a thread of its own: it blocks, and tasks have few threads.
  private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        body()
        continuation.resume()
      }
    }
  }

  @Test func `every snapshot is a prefix of the commits`() async throws {
    let folder =
      FileManager.default.temporaryDirectory.path + "/cadastre-history-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/history.cadastre"
    _ = try Realm(configuration: Self.configuration(path))
    let tally = Tally()
    async let watching: Void = onThread { tally.watch(path) }
    async let more: Void = onThread { tally.watch(path) }
    async let first = #expect(processExitsWith: .success) { [path = path as String] in
      try HistoryTests.write(path, writer: 1, commits: 60)
    }
    async let second = #expect(processExitsWith: .success) { [path = path as String] in
      try HistoryTests.write(path, writer: 2, commits: 60)
      var rounds = 0
      let found = try HistoryTests.read(path) {
        rounds += 1
        return rounds > 200
      }
      if let fault = found.fault { fatalError(fault) }
    }
    async let third: Void = onThread { tally.write(path, writer: 3) }
    async let fourth: Void = onThread { tally.write(path, writer: 4) }
    async let fifth: Void = onThread { tally.write(path, writer: 5) }
    _ = await (third, fourth, fifth)
    _ = await (first, second)
    tally.over.withLock { $0 = true }
    _ = await (watching, more)
    #expect(tally.faults.withLock { $0 } == [])
    #expect(tally.snapshots.withLock { $0 } > 2)
    let realm = try Realm(configuration: Self.configuration(path))
    // Every seventh was cancelled.
    #expect(realm.objects(NotedCommit.self).count == 5 * (60 - 9))
    var last = 0
    #expect(Self.fault(of: realm, after: &last) == nil)
  }

  @Test func `commits of another process are notified`() async throws {
    let folder =
      FileManager.default.temporaryDirectory.path + "/cadastre-history-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/foreign.cadastre"
    let realm = try await Realm.open(configuration: Self.configuration(path))
    try realm.write { for id in 0..<3 { realm.create(Register.self, value: ["id": id]) } }
    var told: [String] = []
    for await change in realm.objects(Register.self).changes() {
      switch change {
      case .initial(let all):
        told.append("\(all.count)")
        await #expect(processExitsWith: .success) { [path = path as String] in
          let realm = try Realm(configuration: HistoryTests.configuration(path))
          try realm.write {
            let registers = realm.objects(Register.self)
            registers[0].entries.append(7)
            realm.delete(registers[1])
            realm.create(Register.self, value: ["id": 9])
          }
        }
      case .update(_, let deletions, let insertions, let modifications):
        told.append("-\(deletions) +\(insertions) ~\(modifications)")
      case .error: break
      }
      if told.count == 2 { break }
    }
    #expect(told == ["3", "-[1] +[2] ~[0]"])
  }
}
