import CadastreSQLite
import Foundation
import Testing
import TestingSupport

@testable import Cadastre

/// Columns that Realms store in the background after queries have read them.
@Suite struct StoredColumnTests {
  private let folder: Folder
  private let configuration: Realm.Configuration

  init() throws {
    folder = try Folder()
    var configuration = Realm.Configuration(
      fileURL: folder.url("a.cadastre"), objectTypes: [OldShape.self])
    configuration.columnStorage = .always
    self.configuration = configuration
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for number in 0..<9000 { realm.create(OldShape.self, value: ["name": "n\(number % 70)"]) }
    }
  }

  /// Returns the number of stored segments, which have no version that a Realm could move to.
  private func segmentCount(_ file: String) throws -> Int64 {
    let connection = try Connection(path: folder.url(file).path, mode: .read)
    let tables = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'cadastre_segment'")
    guard tables == 1 else { return 0 }
    return try connection.integer("SELECT count(*) FROM cadastre_segment") ?? 0
  }

  @Test func `a query stores the columns that it reads, and no observer is notified`() async throws
  {
    let realm = try Realm(configuration: configuration)
    let queue = DispatchQueue(label: "observer")
    let notifications = Guarded(0)
    let token = realm.objects(OldShape.self).observe(on: queue) { _ in
      notifications.withLock { $0 += 1 }
    }
    #expect(realm.objects(OldShape.self).where { $0.name == "n5" }.count == 129)
    while try segmentCount("a.cadastre") < 4 { try await Task.sleep(for: .milliseconds(20)) }
    realm.refresh()
    queue.sync {}
    #expect(notifications.withLock { $0 } <= 1)
    token.invalidate()
    #expect(realm.objects(OldShape.self).where { $0.name == "n5" }.count == 129)
    try realm.write { realm.objects(OldShape.self).first?.name = "n5" }
    #expect(realm.objects(OldShape.self).where { $0.name == "n5" }.count == 130)
  }

  @Test func `a store is removed as soon as its Realms are released`() throws {
    for _ in 0..<3 {
      let copy = folder.url("copy.cadastre")
      try FileManager.default.copyItem(at: folder.url("a.cadastre"), to: copy)
      var configuration = configuration
      configuration.fileURL = copy
      try {
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(OldShape.self).where { $0.name == "n5" }.count == 129)
        // The first step begins meanwhile.
        while try segmentCount("copy.cadastre") == 0 { usleep(500) }
      }()
      #expect(!FileManager.default.fileExists(atPath: copy.path + "-wal"))
      #expect(try Realm.deleteFiles(for: configuration))
    }
  }

  @Test func `nothing is stored where it is not wanted`() throws {
    var configuration = configuration
    configuration.columnStorage = .never
    let realm = try Realm(configuration: configuration)
    #expect(realm.objects(OldShape.self).where { $0.name == "n5" }.count == 129)
    // Longer than the time before the first step.
    usleep(1_500_000)
    #expect(try segmentCount("a.cadastre") == 0)
  }
}
