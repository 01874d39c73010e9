import Cadastre
import Foundation
import Synchronization
import Testing
import TestingSupport

class OldShape: Object {
  @Persisted var name = ""
  @Persisted var size = 0

  override class func className() -> String { "Shape" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NewShape: Object {
  @Persisted var name: String?
  @Persisted var colour = ""

  override class func className() -> String { "Shape" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Opening Realms, and writing to one store from several contexts.
@Suite struct OpeningTests {
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func open(_ url: URL, _ types: [ObjectBase.Type] = [OldShape.self]) throws -> Realm {
    try Realm(configuration: Realm.Configuration(fileURL: url, objectTypes: types))
  }

  @Test func `a file and a name in memory exclude each other`() {
    var configuration = Realm.Configuration(inMemoryIdentifier: "a")
    #expect(configuration.fileURL == nil)
    configuration.fileURL = URL(fileURLWithPath: "/tmp/a")
    #expect(configuration.inMemoryIdentifier == nil)
    configuration.inMemoryIdentifier = "b"
    #expect(configuration.fileURL == nil && configuration.inMemoryIdentifier == "b")
  }

  @Test func `files that cannot be opened have distinct error codes`() throws {
    try withFolder { folder in
      let text = folder.appendingPathComponent("text")
      try Data("not a store, but some text".utf8).write(to: text)
      let cases: [(URL, Realm.Error.Code)] = [
        (folder.appendingPathComponent("none/a.cadastre"), .fileNotFound),
        (folder, .fileAccess), (text, .invalidDatabase),
      ]
      for (url, code) in cases {
        #expect { try open(url) } throws: { error in code ~= error }
      }
    }
  }

  @Test func `a changed class names every difference`() throws {
    try withFolder { folder in
      let url = folder.appendingPathComponent("a.cadastre")
      func fill() throws {
        let realm = try open(url)
        try realm.write { realm.add(OldShape()) }
      }
      try fill()
      #expect {
        try open(url, [NewShape.self])
      } throws: { error in
        guard case Realm.Error.schemaMismatch = error else { return false }
        return ["Shape.name", "Shape.size", "Shape.colour"].allSatisfy("\(error)".contains)
      }
      #expect(try open(url).objects(OldShape.self).count == 1)
    }
  }

  @Test func `many threads write without loss`() throws {
    let realm = try makeRealm()
    let configuration = realm.configuration
    let failures = Mutex(0)
    let threads = (0..<8).map { number in
      Thread {
        do {
          let realm = try Realm(configuration: configuration)
          for index in 0..<50 {
            try realm.write { realm.add(Airport(value: ["icao": "\(number)-\(index)"])) }
          }
        } catch {
          failures.withLock { $0 += 1 }
        }
      }
    }
    for thread in threads { thread.start() }
    blockUntil("the end of the threads") { threads.allSatisfy(\.isFinished) }
    realm.refresh()
    #expect(failures.withLock { $0 } == 0)
    #expect(realm.objects(Airport.self).count == 400)
  }

  @Test func `a Realm of a task is used after its awaits`() async throws {
    let counts = try await Task.detached {
      let realm = try makeRealm()
      try realm.write { realm.add(fiveAirports()) }
      try await Task.sleep(for: .milliseconds(2))
      return realm.objects(Airport.self).where { $0.country == "FR" }.count
    }.value
    #expect(counts == 2)
  }

  @Test func `a block may end its transaction itself`() throws {
    let realm = try makeRealm()
    try realm.write {
      realm.add(fiveAirports()[0])
      try realm.commitWrite()
    }
    try realm.write {
      realm.add(fiveAirports()[1])
      realm.cancelWrite()
    }
    #expect(realm.objects(Airport.self).count == 1 && !realm.isInWriteTransaction)
    var seen = 0
    for airport in realm.objects(Airport.self) {
      try realm.write { airport.runways = 9 }
      seen += 1
    }
    #expect(seen == 1 && realm.objects(Airport.self).first?.runways == 9)
  }
}
