import Cadastre
import Foundation
import Testing
import TestingSupport

/// Stores that are opened with `readOnly`, and those that cannot be written at all.
@Suite struct ReadOnlyTests {
  static func configuration(_ path: String, readOnly: Bool = true) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: path), readOnly: readOnly, objectTypes: [OldShape.self])
  }

  private let folder: Folder
  private let path: String

  init() throws {
    folder = try Folder()
    path = folder.path + "/a.cadastre"
    let realm = try Realm(configuration: Self.configuration(path, readOnly: false))
    try realm.write { realm.create(OldShape.self, value: ["name": "kept"]) }
  }

  /// Becomes a user who may write nothing here; the superuser may write everywhere.
  static func becomeNobody() {
    guard getuid() == 0 else { return }
    precondition(setgid(65_534) == 0 && setuid(65_534) == 0)
  }

  private func seal() { chmod(folder.path, 0o555) }
  private func unseal() { chmod(folder.path, 0o755) }

  @Test func `reading, freezing and querying`() throws {
    let realm = try Realm(configuration: Self.configuration(path))
    #expect(realm.configuration.readOnly)
    #expect(realm.objects(OldShape.self).where { $0.name == "kept" }.count == 1)
    #expect(realm.freeze().objects(OldShape.self).count == 1)
    #expect(!realm.freeze().refresh())
    realm.invalidate()
    #expect(realm.objects(OldShape.self).first?.name == "kept")
  }

  @Test func `a read-only opening leaves nothing behind`() throws {
    let before = Set(folder.names)
    do { #expect(try Realm(configuration: Self.configuration(path)).isEmpty == false) }
    #expect(Set(folder.names) == before)
  }

  @Test func `the file must be there, with these classes`() throws {
    let missing = Self.configuration(folder.path + "/none.cadastre")
    #expect { try Realm(configuration: missing) } throws: { Realm.Error.fileNotFound ~= $0 }
    for types in [[NewShape.self], [OldShape.self, Register.self]] as [[ObjectBase.Type]] {
      var other = Self.configuration(path)
      other.objectTypes = types
      #expect { try Realm(configuration: other) } throws: { error in
        Realm.Error.schemaMismatch ~= error && "\(error)".contains("open for reading only")
      }
    }
    #expect(!folder.names.contains("none.cadastre"))
  }

  @Test func `writing stops the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      try Realm(configuration: ReadOnlyTests.configuration(path)).write {}
    }
    expectStop(result, says: "Can't perform transactions on read-only Realms.")
  }

  @Test func `refreshing stops the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      try Realm(configuration: ReadOnlyTests.configuration(path)).refresh()
    }
    expectStop(result, says: "Can't refresh a read-only Realm.")
  }

  @Test func `observing stops the process`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [path = path as String] in
      let realm = try Realm(configuration: ReadOnlyTests.configuration(path))
      _ = realm.observe { _, _ in }
    }
    expectStop(result, says: "Read-only Realms do not change and do not have change notifications.")
  }

  // MARK: Without permission

  @Test(arguments: [true, false])
  func `a file in a folder without write permission is read`(readOnly: Bool) async throws {
    seal()
    defer { unseal() }
    await #expect(processExitsWith: .success) {
      [path = path as String, readOnly = readOnly as Bool] in
      ReadOnlyTests.becomeNobody()
      let realm = try Realm(configuration: ReadOnlyTests.configuration(path, readOnly: readOnly))
      precondition(realm.objects(OldShape.self).first?.name == "kept")
    }
  }

  @Test func `a writer with permission beside a reader without it`() async throws {
    let realm = try Realm(configuration: Self.configuration(path, readOnly: false))
    try realm.write { realm.create(OldShape.self, value: ["name": "in the log"]) }
    seal()
    defer { unseal() }
    await #expect(processExitsWith: .success) { [path = path as String] in
      ReadOnlyTests.becomeNobody()
      let realm = try Realm(configuration: ReadOnlyTests.configuration(path))
      precondition(realm.objects(OldShape.self).count == 2)
    }
  }

  @Test func `a log that cannot be read is an error`() async throws {
    try await #require(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let realm = try Realm(configuration: ReadOnlyTests.configuration(path, readOnly: false))
      try realm.write { realm.create(OldShape.self, value: ["name": "in the log"]) }
      kill(getpid(), SIGKILL)
    }
    try FileManager.default.removeItem(atPath: path + "-shm")
    seal()
    defer { unseal() }
    await #expect(processExitsWith: .success) { [path = path as String] in
      ReadOnlyTests.becomeNobody()
      do {
        _ = try Realm(configuration: ReadOnlyTests.configuration(path))
        fatalError("was opened")
      } catch Realm.Error.filePermissionDenied {}
    }
    unseal()
    #expect(try Realm(configuration: Self.configuration(path)).objects(OldShape.self).count == 2)
  }
}
