import CadastreSQLite
import CadastreTestSupport
import Dispatch
import Foundation
import Testing

@testable import CadastreStore

/// Descriptors of files that connections of this process have open.
@Suite struct DatabaseFilesTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
    try OpenStores.store(at: path).prepare(for: Boats.schema)
  }

  /// The locks that this process holds on a file, as another process sees them.
  ///
  /// Source: proc(5), "/proc/locks".
  private func lockCount(_ path: String) throws -> Int {
    var status = stat()
    try #require(stat(path, &status) == 0)
    let locks = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
    return locks.split(separator: "\n").count {
      $0.contains("POSIX") && $0.contains(" \(getpid()) ") && $0.contains(":\(status.st_ino) ")
    }
  }

  @Test(.enabled(if: access("/proc/locks", R_OK) == 0))
  func `probes of an open store release no lock`() throws {
    let snapshot = try OpenStores.store(at: path).snapshot()
    let locks = try lockCount(path)
    try #require(locks > 0)

    for _ in 0..<10 {
      #expect(FileProbe.isStore(path))
      _ = try FileProbe.content(at: path)
      try StoreName.check(path, .readWrite)
      DatabaseFiles.close(DatabaseFiles.open(path))
    }

    #expect(try lockCount(path) == locks)
    #expect(try lockCount(path + "-shm") > 0)
    withExtendedLifetime(snapshot) {}
  }

  @Test(.enabled(if: access("/proc/locks", R_OK) == 0))
  func `a store that is opened while it is closed keeps its locks`() throws {
    // Each thread opens, writes and releases the store; an observer keeps one snapshot open throughout.
    let snapshot = try StoreFile(path: path).snapshot()
    DispatchQueue.concurrentPerform(iterations: 3) { [path] _ in
      for _ in 0..<30 {
        let file = try? OpenStores.store(at: path)
        try? file?.beginWrite().rollback()
      }
    }
    #expect(try lockCount(path) > 0)
    withExtendedLifetime(snapshot) {}
  }

  @Test func `kept descriptors are used again and end with the last connection`() throws {
    let other = folder.file("b.cadastre")
    let identity: FileIdentity
    do {
      let file = try OpenStores.store(at: other)
      try file.prepare(for: Boats.schema)
      identity = try #require(FileIdentity(path: other))
      #expect(DatabaseFiles.isInUse(identity))
      let first = DatabaseFiles.open(other)
      DatabaseFiles.close(first)
      let second = DatabaseFiles.open(other)
      #expect(second == first)
      #expect(FileIdentity(descriptor: second) == identity)
      DatabaseFiles.close(second)
      #expect(FileIdentity(descriptor: second) == identity)
    }
    #expect(!DatabaseFiles.isInUse(identity))
    let open = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
      .compactMap(Int32.init)
    #expect(!open.contains { FileIdentity(descriptor: $0) == identity })
  }
}
