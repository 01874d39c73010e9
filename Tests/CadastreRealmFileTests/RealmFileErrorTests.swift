import CadastreRealmFile
import Foundation
import RealmFileTestSupport
import Testing

struct RealmFileErrorTests {
  /// Returns the error of opening a file with bytes, without its path.
  private func error(_ bytes: [UInt8], key: [UInt8]? = nil) throws -> String {
    try RealmFixture.withFile(bytes) { path in
      do throws(RealmFileError) {
        _ = try RealmFile(path: path, key: key)
        return "none"
      } catch {
        return error.description.replacing(path + ": ", with: "")
      }
    }
  }

  @Test("missing files and folders are named")
  func unreadable() {
    for (path, expected) in [
      ("/no/such.realm", "/no/such.realm: the file does not exist"),
      ("/tmp", "/tmp: is a directory; expected a Realm file"),
      ("/dev/null", "/dev/null: cannot be read: it is not a regular file"),
    ] {
      #expect { try RealmFile(path: path) } throws: { "\($0)" == expected }
    }
  }

  @Test("a file that another program changes while it is read is an error", arguments: [-8, 0, 8])
  func changed(_ difference: Int) throws {
    let bytes = try RealmFixture("objectstore").bytes()
    try RealmFixture.withFile(bytes) { path in
      let file = try RealmFile(path: path)
      let table = try #require(file.tables.first { $0.className != nil })
      let objects = try file.objects(of: table)
      _ = try objects.cluster(0)
      if difference == 0 {
        // The clock of some file systems is coarse.
        Thread.sleep(forTimeInterval: 0.05)
        let handle = try #require(FileHandle(forUpdatingAtPath: path))
        try handle.write(contentsOf: bytes.prefix(8))
        try handle.close()
      } else {
        #expect(truncate(path, off_t(bytes.count + difference)) == 0)
      }
      let expected =
        "\(path): was changed by another program while it was read; close that program, or copy "
        + "the file first"
      #expect { try objects.cluster(0) } throws: { "\($0)" == expected }
      #expect { try file.objects(of: table) } throws: { "\($0)" == expected }
      #expect { try file.requireUnchanged() } throws: { "\($0)" == expected }
    }
  }

  @Test("files of other kinds are refused")
  func others() throws {
    #expect(try error([]) == "is not a Realm file: bytes 16 to 19 are not 'T-DB'")
    let text = Array(String(repeating: "id,name\n", count: 9).utf8)
    #expect(try error(text) == "is not a Realm file: bytes 16 to 19 are not 'T-DB'")
  }

  @Test(
    "other formats are refused by number, with what to do",
    arguments: [
      (
        9,
        "has file format 9, of a version of Realm before 2020; expected 10, 11 or 20 to 24. Open it "
          + "once in a program with a Realm SDK of 2020 to 2025, which upgrades it"
      ),
      (15, "has file format 15, which no version of Realm writes; expected 10, 11 or 20 to 24"),
      (
        25,
        "has file format 25, of a later version of Realm; expected 10, 11 or 20 to 24. Export its "
          + "objects with that version"
      ),
    ])
  func formats(_ number: Int, _ expected: String) throws {
    var bytes = try RealmFixture("tiny").bytes()
    bytes[20] = UInt8(number)
    #expect(try error(bytes) == expected)
  }

  @Test("formats 10, 11 and 20 to 24 are read", arguments: [10, 11, 20, 21, 22, 23, 24])
  func readableFormats(_ number: Int) throws {
    var bytes = try RealmFixture("tiny").bytes()
    bytes[20] = UInt8(number)
    #expect(try error(bytes) == "none")
  }

  @Test("a truncated file says so")
  func truncated() throws {
    let tiny = try RealmFixture("tiny").bytes()
    #expect(
      try error(tiny.dropLast(8))
        == "is damaged at byte 296: the last bytes of the copy are missing; it is truncated")
    let versions = try RealmFixture("versions").bytes()
    #expect(try error(versions.dropLast(versions.count - 20_000)).contains("is truncated"))
  }

  @Test("damage names the table, the column and the offset")
  func located() throws {
    var bytes = try RealmFixture("tiny").bytes()
    // The width of the column `age`.
    bytes[0x9C] = 0x45
    try RealmFixture.withFile(bytes) { path in
      let file = try RealmFile(path: path)
      #expect { try file.objects(of: file.tables[0]) } throws: {
        "\($0)"
          == "\(path), table 'class_Pet', column 'age': is damaged at byte 152: expected an array of "
          + "integers"
      }
    }
  }

  @Test("keys are checked")
  func keys() throws {
    let encrypted = try RealmFixture("encrypted").bytes()
    #expect(
      try error(encrypted)
        == "is encrypted, or is not a Realm file; its key of 64 bytes is needed")
    #expect(try error(encrypted, key: [1, 2, 3]) == "the key has 3 bytes; expected 64")
    #expect(
      try error(encrypted, key: RealmFixture.key.reversed())
        == "the key is wrong, or the first page of the file is damaged")
    let tiny = try RealmFixture("tiny").bytes()
    #expect(
      try error(tiny, key: RealmFixture.key) == "is not encrypted; open it without a key")
    var damaged = encrypted
    damaged[4096 * 3 + 17] ^= 1
    #expect(
      try error(damaged, key: RealmFixture.key)
        == "page 2 is damaged: its checksum does not match")
  }
}
