import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Whether the file system of the tests has extended attributes.
private let hasAttributes: Bool = {
  guard let folder = try? TestFolder(), (try? folder.write("a", [1])) != nil else { return false }
  return FileAttribute("cadastre.test").set("1", of: folder.file("a"))
}()

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

  /// Leaves the store with a log that contains a commit, as a killed process does.
  private func leaveLog() throws {
    let kept = folder.file("kept-wal")
    let attribute = FileAttribute("cadastre.log")
    let mark: String?
    do {
      let file = try OpenStores.store(at: path)
      try addHarbor("L", file)
      mark = attribute[path]
      try FileManager.default.linkItem(atPath: path + "-wal", toPath: kept)
    }
    try FileManager.default.moveItem(atPath: kept, toPath: path + "-wal")
    if let mark { attribute.set(mark, of: path) }
    try #require((StoreFile.size(of: path + "-wal") ?? 0) > 0)
  }

  @Test(.enabled(if: hasAttributes))
  func `a hard link is not written while the log is beside the other name`() throws {
    let other = folder.file("b.cadastre")
    try leaveLog()
    try FileManager.default.linkItem(atPath: path, toPath: other)

    #expect(throws: StoreError(.inUseUnderOtherName(path), path: other)) {
      try OpenStores.store(at: other)
    }
    #expect(try harborCount(path) == 2)
    // The log is in the file after the store was closed.
    try addHarbor("C", OpenStores.store(at: path))
    try addHarbor("D", OpenStores.store(at: other))
    #expect(try harborCount(other) == 4)
  }

  @Test(.enabled(if: hasAttributes))
  func `a store is not written where it was moved without its log`() throws {
    let other = folder.file("b.cadastre")
    try leaveLog()
    try FileManager.default.moveItem(atPath: path, toPath: other)

    #expect(throws: StoreError(.inUseUnderOtherName(path), path: other)) {
      try OpenStores.store(at: other)
    }
    try FileManager.default.moveItem(atPath: path + "-wal", toPath: other + "-wal")
    try addHarbor("C", OpenStores.store(at: other))
    #expect(try harborCount(other) == 3)
  }

  @Test(.enabled(if: hasAttributes))
  func `the log of a linked copy is not applied after the store went on`() throws {
    let copy = folder.file("copy.cadastre")
    try leaveLog()
    // As `cp -al` of the folder.
    for suffix in ["", "-wal", "-lock"] {
      try FileManager.default.linkItem(atPath: path + suffix, toPath: copy + suffix)
    }
    for code in ["C", "D", "E"] { try addHarbor(code, OpenStores.store(at: path)) }

    #expect(throws: StoreError(.logOfOtherFile, path: copy)) { try OpenStores.store(at: copy) }
    #expect(try harborCount(path) == 5)
  }

  @Test func `a hard link to a store that was created while it was open is the same store`() throws
  {
    let (new, link) = (folder.file("new.cadastre"), folder.file("link.cadastre"))
    let file = try OpenStores.store(at: new)
    try file.prepare(for: Boats.schema)
    try FileManager.default.linkItem(atPath: new, toPath: link)
    #expect(try OpenStores.store(at: link) === file)
  }

  @Test func `a store that was moved to the path while it is open is in use`() throws {
    let other = folder.file("b.cadastre")
    let file = try OpenStores.store(at: path)
    let snapshot = try file.snapshot()
    #expect(rename(path, other) == 0)
    #expect(throws: StoreError(.inUse, path: other)) { try OpenStores.store(at: other) }
    withExtendedLifetime(snapshot) {}
  }

  // MARK: Replaced files

  @Test(.enabled(if: hasAttributes), arguments: [false, true])
  func `the log of a file that was replaced is not applied`(reusesInode: Bool) throws {
    let backup = folder.file("backup.cadastre")
    try FileManager.default.copyItem(atPath: path, toPath: backup)
    try leaveLog()
    let wal = path + "-wal"
    let size = StoreFile.size(of: wal)

    if reusesInode {
      // Many file systems give the number of the removed file to the next one.
      try FileManager.default.removeItem(atPath: path)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: backup))
      try bytes.write(to: URL(fileURLWithPath: path))
    } else {
      #expect(rename(backup, path) == 0)
    }

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

  /// Gives a file the mark of another one, as `cp -a` does.
  private func copyMark(_ from: String, _ to: String) throws {
    let attribute = FileAttribute("cadastre.log")
    #expect(attribute.set(try #require(attribute[from]), of: to))
  }

  // A process wrote the store on, and a second copy of the folder left the log of the first.
  @Test(.enabled(if: hasAttributes))
  func `a log of before the store was closed is not applied`() throws {
    let copy = folder.file("copy.cadastre")
    try leaveLog()
    try FileManager.default.copyItem(atPath: path + "-wal", toPath: copy + "-wal")
    try copyMark(path + "-wal", copy + "-wal")
    try addHarbor("C", OpenStores.store(at: path))
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    try copyMark(path, copy)

    #expect(throws: StoreError(.logOfOtherFile, path: copy)) { try OpenStores.store(at: copy) }
    try FileManager.default.removeItem(atPath: copy + "-wal")
    #expect(try harborCount(copy) == 3)
  }

  @Test(.enabled(if: hasAttributes))
  func `a copy with its mark does not take the place of the store beside the log`() throws {
    let backup = folder.file("backup.cadastre")
    try leaveLog()
    try FileManager.default.copyItem(atPath: path, toPath: backup)
    try copyMark(path, backup)
    #expect(rename(backup, path) == 0)

    #expect(throws: StoreError(.logOfOtherFile, path: path)) { try OpenStores.store(at: path) }
  }

  @Test(.enabled(if: hasAttributes))
  func `a copy with its mark is a store of its own`() throws {
    let copy = folder.file("copy.cadastre")
    try leaveLog()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      try copyMark(path + suffix, copy + suffix)
    }
    try addHarbor("C", OpenStores.store(at: copy))
    try addHarbor("D", OpenStores.store(at: copy))
    #expect(try harborCount(copy) == 4)
    #expect(try harborCount(path) == 2)
  }

  @Test(
    .enabled(if: hasAttributes),
    arguments: ["", "x", "\n\n/x", "A\r\n/x", String(repeating: "y", count: 1000)])
  func `other text in the attribute is no mark`(text: String) throws {
    let attribute = FileAttribute("cadastre.log")
    try leaveLog()
    for file in [path, path + "-wal"] { #expect(attribute.set(text, of: file)) }
    #expect(LogMark(of: path) == nil)
    try addHarbor("C", OpenStores.store(at: path))
    #expect(try harborCount(path) == 3)
  }

  @Test(.enabled(if: hasAttributes))
  func `a store and its log are marked while it is written`() throws {
    let file = try OpenStores.store(at: path)
    try addHarbor("B", file)
    let mark = try #require(LogMark(of: path))
    #expect(mark.path == path)
    #expect(LogMark.identifier(ofLogBeside: path) == mark.identifier)
  }

  // MARK: Locks

  @Test(arguments: [ENOLCK, EOPNOTSUPP, ENOSYS])
  func `a file system without locks is named`(code: Int32) {
    let error = FileLocks.failure(code, "/net/a.cadastre")
    #expect(error.reason == .locksUnsupported(String(cString: strerror(code))))
    #expect(error.description.contains("local disk"))
  }
}
