import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Several names of one file, and files that took the place of others.
///
/// Two processes with two names are tried by `Scripts/torture names`.
@Suite struct StoreNameTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Boats.schema)
    try addHarbor("A", file)
  }

  private func addHarbor(_ code: String, _ file: StoreFile) throws {
    try add(["code": .text(code), "name": .text(code)], to: "Harbor", file)
  }

  private func harborCount(_ path: String) throws -> Int {
    try OpenStores.readableStore(at: path).snapshot().rowCount("Harbor")
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  // MARK: Symbolic links

  @Test func `symbolic links are the same store`() throws {
    let link = folder.file("link.cadastre")
    let inFolder = folder.file("folder")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.cadastre")
    try FileManager.default.createSymbolicLink(atPath: inFolder, withDestinationPath: folder.path)

    let file = try OpenStores.store(at: path)
    #expect(try OpenStores.store(at: link) === file)
    #expect(try OpenStores.store(at: inFolder + "/link.cadastre") === file)
  }

  @Test func `a symbolic link without a target names the file that is created`() throws {
    let link = folder.file("link.cadastre")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "new.cadastre")

    let file = try OpenStores.store(at: link)
    try file.prepare(for: Boats.schema)

    #expect(file.path.hasSuffix("/new.cadastre"))
    #expect(try OpenStores.store(at: folder.file("new.cadastre")) === file)
  }

  @Test func `links to themselves are an error`() throws {
    let link = folder.file("link.cadastre")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "link.cadastre")
    #expect(throws: StoreError.self) { try OpenStores.store(at: link) }
  }

  @Test func `a store is removed by the name of a link, with the link`() throws {
    let link = folder.file("link.cadastre")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "a.cadastre")
    #expect(try OpenStores.remove(link))
    #expect(try names() == [])
  }

  // MARK: Hard links

  @Test func `a hard link is the same store while it is open`() throws {
    let link = folder.file("link.cadastre")
    try FileManager.default.linkItem(atPath: path, toPath: link)

    let file = try OpenStores.store(at: path)
    #expect(try OpenStores.store(at: link) === file)
    #expect(throws: StoreError(.inUse, path: link)) { try OpenStores.remove(link) }
  }

  @Test func `a hard link that nobody has open is read without side files`() throws {
    let backup = folder.file("backup.cadastre")
    try FileManager.default.linkItem(atPath: path, toPath: backup)

    #expect(try harborCount(backup) == 1)
    let snapshot = try OpenStores.readableStore(at: backup).snapshot()
    #expect(try StoreCheck(snapshot).problems().isEmpty)

    #expect(try names() == ["a.cadastre", "a.cadastre-lock", "backup.cadastre"])
    // The owner writes while the backup is read.
    try addHarbor("B", OpenStores.store(at: path))
    #expect(try harborCount(path) == 2)
    withExtendedLifetime(snapshot) {}
  }

  @Test func `a hard link is not written while the log is beside the other name`() throws {
    let other = folder.file("b.cadastre")
    try FileManager.default.linkItem(atPath: path, toPath: other)
    // A killed process leaves the log and the record in its lock file, which is a link here too.
    let wal = path + "-wal"
    try folder.write("a.cadastre-wal", [UInt8](repeating: 1, count: 100))
    let record = try #require(LogRecord(at: path))
    let descriptor = open(other + "-lock", O_RDWR | O_CREAT, 0o644)
    defer { close(descriptor) }
    LogRecord.write(record, descriptor)

    #expect(throws: StoreError(.inUseUnderOtherName(path), path: other)) {
      try OpenStores.store(at: other)
    }
    try FileManager.default.removeItem(atPath: wal)
    try addHarbor("B", OpenStores.store(at: other))
    #expect(try harborCount(other) == 2)
  }

  // MARK: Replaced files

  @Test func `the log of a file that was replaced is not applied`() throws {
    let backup = folder.file("backup.cadastre")
    try FileManager.default.copyItem(atPath: path, toPath: backup)
    // As a killed process leaves the store.
    let (wal, kept) = (path + "-wal", folder.file("kept-wal"))
    do {
      let file = try OpenStores.store(at: path)
      try addHarbor("B", file)
      try FileManager.default.linkItem(atPath: wal, toPath: kept)
    }
    try FileManager.default.moveItem(atPath: kept, toPath: wal)
    let descriptor = open(path + "-lock", O_RDWR)
    defer { close(descriptor) }
    let record = try #require(LogRecord(at: path))
    LogRecord.write(record, descriptor)
    let size = try #require(StoreFile.size(of: wal))
    #expect(size > 0)

    #expect(rename(backup, path) == 0)

    for access in [StoreFile.Access.readWrite, .readOnly] {
      #expect(throws: StoreError(.logOfOtherFile, path: path)) {
        try OpenStores.store(at: path, access: access)
      }
    }
    #expect(StoreFile.size(of: wal) == size)
    // What the message says to do.
    try FileManager.default.removeItem(atPath: wal)
    #expect(try harborCount(path) == 1)
    try addHarbor("C", OpenStores.store(at: path))
    #expect(try harborCount(path) == 2)
  }

  @Test func `a copy of a store with its log is opened`() throws {
    let copies = folder.file("copies")
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
    do {
      let file = try OpenStores.store(at: path)
      try addHarbor("B", file)
      for suffix in ["", "-wal", "-lock"] {
        try FileManager.default.copyItem(
          atPath: path + suffix, toPath: copies + "/a.cadastre" + suffix)
      }
      try addHarbor("C", file)
    }
    #expect(try harborCount(copies + "/a.cadastre") == 2)
    try addHarbor("D", OpenStores.store(at: copies + "/a.cadastre"))
    #expect(try harborCount(copies + "/a.cadastre") == 3)
    #expect(try harborCount(path) == 3)
  }

  @Test func `a closed store keeps no record of a log`() throws {
    do {
      let file = try OpenStores.store(at: path)
      try addHarbor("B", file)
      #expect(LogRecord(beside: path) == LogRecord(at: path))
      #expect(LogRecord(beside: path) != nil)
    }
    #expect(LogRecord(beside: path) == nil)
  }

  // MARK: Locks

  @Test(arguments: [ENOLCK, EOPNOTSUPP, ENOSYS])
  func `a file system without locks is named`(code: Int32) {
    let error = FileLocks.failure(code, "/net/a.cadastre")
    #expect(error.reason == .locksUnsupported(String(cString: strerror(code))))
    #expect(error.description.contains("local disk"))
  }
}
