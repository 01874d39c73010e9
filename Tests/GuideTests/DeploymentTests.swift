import Cadastre
import Dispatch
import Foundation
import Testing
import TestingSupport

private func log(_ message: String) { print(message) }

/// The samples of `Deployment.md`.
@Suite struct DeploymentTests {
  class Entry: Object {
    @Persisted var text = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  func configuration(_ environment: [String: String]) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: environment["STORE"] ?? "/data/app.cadastre"), schemaVersion: 3)
    configuration.maximumQueryThreads = environment["THREADS"].flatMap { Int($0) }
    configuration.columnMemoryLimit = environment["COLUMN_MIB"].flatMap { Int($0) }.map { $0 << 20 }
    configuration.readErrorHandler = { error in log("a read failed: \(error)") }
    return configuration
  }

  /// Waits for a signal that asks the process to end; the signals do not end it any more.
  func waitForTermination(_ numbers: [Int32] = [SIGINT, SIGTERM]) async -> Int32? {
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield(number) }
      source.activate()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return await signals.first { _ in true }
  }

  func backUp(
    _ configuration: Realm.Configuration, to folder: URL, at date: Date, keeping count: Int
  ) throws {
    let realm = try Realm(configuration: configuration)
    let name = "backup-\(date.ISO8601Format()).cadastre"
    try realm.writeCopy(toFile: folder.appendingPathComponent(name))
    let backups = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("backup-") && $0.hasSuffix(".cadastre") }.sorted()
    for old in backups.dropLast(count) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(old))
    }
  }

  @Test func `the environment configures the store`() {
    let configured = configuration(["STORE": "/tmp/x.cadastre", "THREADS": "2", "COLUMN_MIB": "64"])
    #expect(configured.fileURL?.path == "/tmp/x.cadastre" && configured.maximumQueryThreads == 2)
    #expect(configured.columnMemoryLimit == 64 << 20)
    #expect(configuration([:]).columnMemoryLimit == nil)
  }

  // In a process of its own, because a signal is for the process.
  @Test func `a signal is received`() async {
    await #expect(processExitsWith: .success) {
      // The source may not be registered yet.
      signal(SIGUSR1, SIG_IGN)
      let sending = Task {
        while !Task.isCancelled {
          kill(getpid(), SIGUSR1)
          try await Task.sleep(for: .milliseconds(5))
        }
      }
      let number = await DeploymentTests().waitForTermination([SIGUSR1])
      sending.cancel()
      exit(number == SIGUSR1 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `the newest backups remain`() throws {
    try withTemporaryFolder { folder in
      let backups = folder.appendingPathComponent("backups")
      try FileManager.default.createDirectory(at: backups, withIntermediateDirectories: true)
      let configuration = Realm.Configuration(
        fileURL: folder.appendingPathComponent("app.cadastre"), objectTypes: [Entry.self])
      let realm = try Realm(configuration: configuration)
      for day in 0..<3 {
        try realm.write { realm.create(Entry.self, value: ["text": "day \(day)"]) }
        let date = Date(timeIntervalSince1970: Double(day) * 86_400)
        try backUp(configuration, to: backups, at: date, keeping: 2)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: backups.path).sorted()
      #expect(
        names == ["backup-1970-01-02T00:00:00Z.cadastre", "backup-1970-01-03T00:00:00Z.cadastre"])
      let last = try Realm(
        configuration: Realm.Configuration(
          fileURL: backups.appendingPathComponent(names[1]), readOnly: true,
          objectTypes: [Entry.self]))
      #expect(last.objects(Entry.self).count == 3)
    }
  }

  @Test func `the article shows this code`() throws {
    try Article("Deployment.md").expectSamplesAreCompiled(count: 3)
  }
}
