import Foundation
import Testing
import TestingSupport

@testable import Cadastre

/// Every kind of failure, provoked.
@Suite struct RealmErrorTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  static func configuration(_ path: String) -> Realm.Configuration {
    Realm.Configuration(fileURL: URL(fileURLWithPath: path), objectTypes: [OldShape.self])
  }

  #if canImport(Darwin)
    static let fileSize = RLIMIT_FSIZE
  #else
    static let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #endif

  private func write(_ name: String, _ bytes: [UInt8]) throws -> URL {
    try Data(bytes).write(to: folder.url(name))
    return folder.url(name)
  }

  /// The error of opening a file; the file is unchanged.
  private func failure(_ url: URL) throws -> Realm.Error? {
    let before = try? Data(contentsOf: url)
    let error = #expect(throws: Realm.Error.self) {
      try Realm(configuration: Self.configuration(url.path))
    }
    #expect((try? Data(contentsOf: url)) == before)
    #expect(error?.fileURL?.lastPathComponent == url.lastPathComponent)
    #expect(error?.localizedDescription == error?.description)
    return error
  }

  @Test func `codes have Realm's numbers and names`() {
    let numbers: [Realm.Error.Code: Int] = [
      Realm.Error.fail: 1, Realm.Error.fileAccess: 2, Realm.Error.filePermissionDenied: 3,
      Realm.Error.fileExists: 4, Realm.Error.fileNotFound: 5, Realm.Error.schemaMismatch: 10,
      Realm.Error.alreadyOpen: 12, Realm.Error.invalidInput: 13, Realm.Error.outOfDiskSpace: 14,
      Realm.Error.unsupportedFileFormatVersion: 16, Realm.Error.fileOperationFailed: 19,
      Realm.Error.invalidDatabase: 20,
    ]
    for (code, number) in numbers { #expect(code.rawValue == number) }
  }

  @Test func `a file that is missing is caught by its name`() throws {
    do {
      _ = try Realm(configuration: Self.configuration(folder.path + "/none/a.cadastre"))
      Issue.record("it was opened")
    } catch Realm.Error.fileNotFound {
    } catch { Issue.record("\(error)") }
  }

  @Test func `a folder`() throws {
    #expect(try failure(folder.url("."))?.code == .fileAccess)
  }

  @Test func `something else than a database`() throws {
    let error = try failure(write("text", Array("some text, longer than a header is".utf8)))
    #expect(error?.code == .invalidDatabase)
    #expect(error?.description.contains("not an SQLite database") == true)
  }

  @Test func `a database of another program`() throws {
    var header = Array("SQLite format 3\0".utf8) + [UInt8](repeating: 0, count: 84)
    header[16] = 16
    let error = try failure(write("foreign.sqlite", header))
    #expect(error?.code == .invalidDatabase)
    #expect(error?.description.contains("Cadastre did not create") == true)
  }

  @Test func `the error for a Realm file of MongoDB says how to migrate its data`() throws {
    // Two references to the root, the mnemonic, the format of each, and flags.
    let header =
      [UInt8](repeating: 0, count: 16) + Array("T-DB".utf8) + [24, 24, 0, 0]
      + [UInt8](repeating: 65, count: 40)
    for count in [24, header.count] {
      let error = try failure(write("default.realm", Array(header.prefix(count))))
      #expect(error?.code == .unsupportedFileFormatVersion)
      for word in ["Realm file of MongoDB", "Realm.importRealmFile(at:into:)", "seedFilePath"] {
        #expect(error?.description.contains(word) == true, "\(word)")
      }
    }
  }

  @Test func `a format of a newer version`() throws {
    let url = folder.url("newer.cadastre")
    do { _ = try Realm(configuration: Self.configuration(url.path)) }
    var bytes = try Array(Data(contentsOf: url))
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, 9])
    let error = try failure(write("newer.cadastre", bytes))
    #expect(error?.code == .unsupportedFileFormatVersion)
    #expect(error?.description.contains("format 9") == true)
  }

  @Test func `damage`() throws {
    let url = folder.url("damaged.cadastre")
    do { _ = try Realm(configuration: Self.configuration(url.path)) }
    var bytes = try Array(Data(contentsOf: url))
    for place in 100..<bytes.count { bytes[place] = 0xA5 }
    #expect(try failure(write("damaged.cadastre", bytes))?.code == .invalidDatabase)
  }

  @Test func `classes that differ`() throws {
    let url = folder.url("shapes.cadastre")
    do { _ = try Realm(configuration: Self.configuration(url.path)) }
    var other = Self.configuration(url.path)
    other.objectTypes = [NewShape.self]
    #expect { try Realm(configuration: other) } throws: { Realm.Error.schemaMismatch ~= $0 }
  }

  @Test func `a file that is in use for too long`() throws {
    let realm = try Realm(configuration: Self.configuration(folder.path + "/busy.cadastre"))
    var impatient = realm.configuration
    impatient.writeTimeout = 0.05
    let error = Guarded<(any Error)?>(nil)
    realm.beginWrite()
    try onNewThread { [impatient] in
      do { try Realm(configuration: impatient).write {} } catch let failure {
        error.withLock { $0 = failure }
      }
    }
    realm.cancelWrite()
    let failure = error.withLock { $0 } as? Realm.Error
    #expect(failure?.code == .fileAccess && failure?.description.contains("locked") == true)
  }

  @Test func `no permission`() async throws {
    let path = folder.path + "/a.cadastre"
    do { _ = try Realm(configuration: Self.configuration(path)) }
    let locked = folder.path + "/locked"
    mkdir(locked, 0o000)
    chmod(folder.path, 0o555)
    chmod(path, 0o444)
    defer {
      chmod(folder.path, 0o755)
      chmod(locked, 0o755)
    }
    await #expect(processExitsWith: .success) { [folder = folder.path as String] in
      ReadOnlyTests.becomeNobody()
      for path in [folder + "/new.cadastre", folder + "/locked/a.cadastre", "/etc/shadow"] {
        do {
          _ = try Realm(configuration: RealmErrorTests.configuration(path))
          fatalError("\(path) was opened")
        } catch Realm.Error.filePermissionDenied {}
      }
      let realm = try Realm(configuration: RealmErrorTests.configuration(folder + "/a.cadastre"))
      do {
        try realm.write { realm.add(OldShape()) }
        fatalError("it was written")
      } catch let error as Realm.Error {
        precondition(error.code == .filePermissionDenied && error.fileURL != nil)
      }
      do {
        try realm.writeCopy(toFile: URL(fileURLWithPath: folder + "/copy"))
        fatalError("it was copied")
      } catch Realm.Error.filePermissionDenied {}
    }
  }

  @Test func `a disk that is full loses the transaction and nothing else`() async throws {
    let path = folder.path + "/full.cadastre"
    await #expect(processExitsWith: .success) { [path = path as String] in
      let realm = try Realm(configuration: RealmErrorTests.configuration(path))
      try realm.write { realm.create(OldShape.self, value: ["name": "kept"]) }
      // A file may become this large and no larger, as on a full disk.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      precondition(getrlimit(RealmErrorTests.fileSize, &limit) == 0)
      limit.rlim_cur = 600_000
      precondition(setrlimit(RealmErrorTests.fileSize, &limit) == 0)
      do {
        try realm.write {
          for _ in 0..<1000 {
            realm.create(OldShape.self, value: ["name": String(repeating: "x", count: 2000)])
          }
        }
        fatalError("the disk was not full")
      } catch Realm.Error.outOfDiskSpace {}
      precondition(realm.objects(OldShape.self).map(\.name) == ["kept"])
      // What fits is written.
      try realm.write { realm.create(OldShape.self, value: ["name": "small"]) }
      do {
        try realm.write {
          for _ in 0..<1000 {
            realm.create(OldShape.self, value: ["name": String(repeating: "y", count: 2000)])
          }
        }
        fatalError("the disk was not full")
      } catch Realm.Error.outOfDiskSpace {}
    }
    let realm = try Realm(configuration: Self.configuration(path))
    #expect(realm.objects(OldShape.self).map(\.name) == ["kept", "small"])
  }
}
