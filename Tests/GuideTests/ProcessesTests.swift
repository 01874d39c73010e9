import Cadastre
import Foundation
import Testing
import TestingSupport

// The samples of `Processes.md`.

class Job: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var title = ""
  @Persisted(indexed: true) var worker: String?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

enum SharedStore {
  static func configuration(in folder: URL) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: folder.appendingPathComponent("shared.cadastre"), schemaVersion: 1,
      objectTypes: [Job.self])
  }
}

func migrate(_ configuration: Realm.Configuration) throws {
  try Realm.performMigration(for: configuration)
}

func claim(by worker: String, in realm: Realm) throws -> String? {
  try realm.write {
    let free = realm.objects(Job.self).where { $0.worker == nil }.sorted(by: \.id)
    guard let job = free.first else { return nil }
    job.worker = worker
    return job.title
  }
}

@Suite struct ProcessesTests {
  func titles(of worker: String, in realm: Realm, until count: Int) async -> [String] {
    let jobs = realm.objects(Job.self).where { $0.worker == worker }.sorted(by: \.id)
    for await change in jobs.changes() {
      if case .initial(let jobs) = change, jobs.count >= count { break }
      if case .update(let jobs, _, _, _) = change, jobs.count >= count { break }
    }
    return jobs.map(\.title)
  }

  @Test func `two processes divide the work`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try migrate(SharedStore.configuration(in: folder))
    let realm = try Realm(configuration: SharedStore.configuration(in: folder))
    try realm.write {
      for (id, title) in ["wash", "iron", "fold"].enumerated() {
        realm.create(Job.self, value: ["id": id, "title": title])
      }
    }
    #expect(try claim(by: "parent", in: realm) == "wash")
    let path = folder.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let realm = try Realm(
        configuration: SharedStore.configuration(in: URL(fileURLWithPath: path)))
      let titles = [try claim(by: "child", in: realm), try claim(by: "child", in: realm)]
      exit(titles == ["iron", "fold"] ? EXIT_SUCCESS : EXIT_FAILURE)
    }
    #expect(await titles(of: "child", in: realm, until: 2) == ["iron", "fold"])
    realm.refresh()
    #expect(try claim(by: "parent", in: realm) == nil)
  }

  @Test func `the article shows this code`() throws {
    try Article("Processes.md").expectSamplesAreCompiled(count: 4)
  }
}
