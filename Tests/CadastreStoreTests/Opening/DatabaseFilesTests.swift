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

  /// Whether SQLite's lock on a file is held, as a lock of an open file description sees the locks of its process.
  ///
  /// Source: fcntl(2), "Open file description locks (non-POSIX)".
  private func isLocked(_ path: String, _ start: off_t, _ count: off_t) throws -> Bool {
    let store = FileIdentity(path: self.path)
    let descriptor = DatabaseFiles.open(path, of: store)
    try #require(descriptor >= 0)
    defer { DatabaseFiles.close(descriptor, of: store) }
    var lock = flock()
    (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
    (lock.l_start, lock.l_len) = (start, count)
    let getLockOfDescription: Int32 = 36
    try #require(fcntl(descriptor, getLockOfDescription, &lock) == 0)
    return lock.l_type != Int16(F_UNLCK)
  }

  private func isLocked() throws -> Bool { try isLocked(path, 0x4000_0000, 512) }
  private func isIndexLocked() throws -> Bool { try isLocked(path + "-shm", 128, 1) }

  #if os(Linux)
    private static let seesLocks = true
  #else
    private static let seesLocks = false
  #endif

  @Test(.enabled(if: seesLocks))
  func `probes of an open store release no lock`() throws {
    let snapshot = try OpenStores.store(at: path).snapshot()
    try #require(try isLocked())
    try #require(try isIndexLocked())

    for _ in 0..<10 {
      #expect(FileProbe.isStore(path))
      _ = try FileProbe.content(at: path)
      try StoreName.check(path, .readWrite)
      DatabaseFiles.close(DatabaseFiles.open(path))
    }

    #expect(try isLocked())
    #expect(try isIndexLocked())
    withExtendedLifetime(snapshot) {}
  }

  @Test(.enabled(if: seesLocks))
  func `a store that is opened while it is closed keeps its locks`() throws {
    // Each thread opens, writes and releases the store; an observer keeps one snapshot open throughout.
    let snapshot = try StoreFile(path: path).snapshot()
    DispatchQueue.concurrentPerform(iterations: 3) { [path] _ in
      for _ in 0..<30 {
        let file = try? OpenStores.store(at: path)
        try? file?.beginWrite().rollback()
      }
    }
    #expect(try isLocked())
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

@Suite struct ParentFolderTests {
  /// The folder of a path by the function of POSIX, which leaves open whether `//` is another root.
  private static func posixFolder(_ path: String) -> String {
    var bytes = Array(path.utf8CString)
    let folder = String(cString: dirname(&bytes))
    return folder == "//" ? "/" : folder
  }

  @Test(arguments: [
    "é", " ", "a", "/", "//", "///a", "a/", "a//", "a/b", "a//b", "/a", "/a/", "/a/b//", "", ".",
    "..", "é/ü",
    "💥/x", "./é", "/é", "e\u{301}", "\u{a0}", "a\\b", "x/é/",
  ])
  func `the folder of a path is that of POSIX`(path: String) {
    #expect(path.parentFolder == Self.posixFolder(path))
  }

  @Test func `the folder of a random path is that of POSIX`() {
    var random = SeededGenerator(seed: 24)
    for _ in 0..<5000 {
      let path = String(
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
          "//ab.é 💥".randomElement(using: &random) ?? "/"
        })
      #expect(path.parentFolder == Self.posixFolder(path), "seed 24, path '\(path)'")
    }
  }
}
