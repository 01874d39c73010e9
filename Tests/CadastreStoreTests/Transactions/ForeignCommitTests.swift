import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import CadastreStore

/// Commits that a store's observers learn of from the file.
@Suite struct ForeignCommitTests {
  private let folder: TestFolder
  private let path: String
  private let file: StoreFile

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
    file = try OpenStores.store(at: path)
    try file.prepare(for: Boats.schema)
  }

  /// Commits as another process does: the store's instance is not notified.
  private func commitElsewhere(_ connection: Connection) throws {
    try connection.run("UPDATE cadastre_state SET commit_version = commit_version + 1")
  }

  private func elsewhere() throws -> Connection {
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run("PRAGMA synchronous = OFF")
    return connection
  }

  /// The versions that an observer has read.
  private final class Watcher: Sendable {
    let versions = Guarded<[Int64]>([])
    let arrived = DispatchSemaphore(value: 0)
    private let observation = Guarded<CommitObservation?>(nil)

    init(_ file: StoreFile, after version: Int64, refusing refused: Int = 0) {
      let left = Guarded(refused)
      let observation = file.observeCommits(after: version) { [weak self, weak file] in
        guard let self, let file else { return }
        self.observation.withLock { $0 }?.process {
          let isRefused = left.withLock { left in
            left -= 1
            return left >= 0
          }
          guard !isRefused, let version = file.newestVersion() else { return false }
          self.versions.withLock { $0.append(version) }
          self.arrived.signal()
          return true
        }
      }
      self.observation.withLock { $0 = observation }
    }

    /// Waits until a version was read.
    func wait(for version: Int64) -> Bool {
      while !versions.withLock({ $0.contains { $0 >= version } }) {
        guard arrived.wait(timeout: .now() + 60) == .success else { return false }
      }
      return true
    }
  }

  /// The test continues while a poll calls an observer, which it does on a thread of its own.
  @Test func `a poll does not retain the store while it calls observers`() throws {
    let path = folder.file("observed.cadastre")
    var file: StoreFile? = try OpenStores.store(at: path)
    try file?.prepare(for: Boats.schema)
    let (polled, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isFirst = Atomic(true)
    var observation = file?.observeCommits(after: 0) {
      guard isFirst.exchange(false, ordering: .relaxed) else { return }
      polled.signal()
      ended.wait()
    }
    #expect(polled.wait(timeout: .now() + 60) == .success)
    defer { ended.signal() }
    withExtendedLifetime(observation) {}
    (observation, file) = (nil, nil)
    #expect(try OpenStores.remove(path))
  }

  @Test func `a commit that leaves the time and the size of the log is delivered`() throws {
    let connection = try elsewhere()
    // A long log that starts again keeps its size.
    for _ in 0..<50 { try commitElsewhere(connection) }
    try connection.checkpoint(truncating: false)
    try commitElsewhere(connection)
    let version = try file.snapshot().version
    let watcher = Watcher(file, after: version)
    var status = stat()
    try #require(stat(path + "-wal", &status) == 0)

    // A poll between the writing of the log and the publication of the commit sees the log as it stays.
    for step in 1...3 as ClosedRange<Int64> {
      try commitElsewhere(connection)
      var times = [timespec(), timespec()]
      #if canImport(Darwin)
        times = [status.st_atimespec, status.st_mtimespec]
      #else
        times = [status.st_atim, status.st_mtim]
      #endif
      #expect(utimensat(AT_FDCWD, path + "-wal", times, 0) == 0)
      #expect(watcher.wait(for: version + step))
    }
    #expect(StoreFile.size(of: path + "-wal") == Int(status.st_size))
  }

  @Test func `an observer learns of commits between its version and its registration`() throws {
    let connection = try elsewhere()
    let version = try file.snapshot().version
    try commitElsewhere(connection)
    #expect(Watcher(file, after: version).wait(for: version + 1))
    // The store is polled already.
    #expect(Watcher(file, after: version).wait(for: version + 1))
  }

  @Test func `an observer that cannot process a commit is called again`() throws {
    let version = try file.snapshot().version
    let watcher = Watcher(file, after: version, refusing: 3)
    try commitElsewhere(elsewhere())
    #expect(watcher.wait(for: version + 1))
    try add(["code": .text("A"), "name": .text("A")], to: "Harbor", file)
    #expect(watcher.wait(for: version + 2))
  }

  @Test func `an observer that has processed the newest version is left alone`() throws {
    let version = try file.snapshot().version
    let watcher = Watcher(file, after: version)
    try commitElsewhere(elsewhere())
    #expect(watcher.wait(for: version + 1))
    // Later polls have happened when a second commit has arrived.
    try commitElsewhere(elsewhere())
    #expect(watcher.wait(for: version + 2))
    #expect(watcher.versions.withLock { $0 } == [version + 1, version + 2])
  }
}
