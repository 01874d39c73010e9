import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A store that a version with format 1 wrote is upgraded when it is opened.
@Suite struct StoreUpgradeTests {
  private let folder: TestFolder
  private let path: String

  /// Dates of a second of 2020: the nearest `Date` to a tenth was stored with 100,000,024 nanoseconds.
  private static let second: Int64 = 1_577_836_800
  private static let tenth = Value.date(Timestamp(seconds: second, nanoseconds: 100_000_000))
  private static let text = (
    start: Value.date(Timestamp(seconds: second)),
    nanoseconds: Value.date(Timestamp(seconds: second, nanoseconds: 123_456_789))
  )

  init() throws {
    folder = try TestFolder()
    path = folder.file("old.cadastre")
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
      .appendingPathComponent("Fixtures/format-1-dates.cadastre")
    try FileManager.default.copyItem(atPath: fixture.path, toPath: path)
  }

  private func format() throws -> Int64? {
    try Connection(path: path, mode: .read).integer("PRAGMA user_version")
  }

  /// The values of the first column with a name, in the order of the keys.
  private func values(_ name: String, _ snapshot: Snapshot) throws -> [Value] {
    let layout = try snapshot.layout("Event")
    let column = try #require(layout.columns.firstIndex { $0.name == name })
    return try (1...9).map { key in
      try #require(try snapshot.row(layout, ObjectKey(key)))[column]
    }
  }

  @Test func `dates keep their bits, and have the fewest digits that give them`() throws {
    #expect(try format() == 1)
    let snapshot = try OpenStores.store(at: path, mustExist: true).snapshot()

    let expected: [Value] = [
      Self.tenth, Self.text.nanoseconds, Self.text.start,
      .date(Timestamp(seconds: -11_662_920_000, nanoseconds: 123_000_000)),
      .date(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_000_000)),
      .date(Timestamp(seconds: -62_135_596_800)),
      .date(Timestamp(seconds: 978_307_200, nanoseconds: 1)), .null,
      .date(Timestamp(seconds: -1, nanoseconds: 900_000_000)),
    ]
    #expect(try values("at", snapshot) == expected)
    #expect(try format() == 2)
    #expect(try StoreCheck(snapshot).problems() == [])
  }

  @Test func `dates in collections and in values of any type are upgraded too`() throws {
    let snapshot = try OpenStores.store(at: path, mustExist: true).snapshot()
    let layout = try snapshot.layout("Event")
    let seen = try #require(layout.collections.first { "\($0.path)" == "seen" })

    #expect(
      try CollectionReader(seen, snapshot).values(ObjectKey(1)) == [Self.tenth, Self.text.start])
    let mixed = try values("mixed", snapshot)
    #expect(mixed[0] == Self.tenth)
    #expect(mixed[1] == .list([.int(1), Self.tenth, .string("x")]))
    #expect(
      mixed[4]
        == .map(ValueMap([("a", .map(ValueMap([("b", Self.tenth)]))), ("c", .null)])))
    #expect(mixed[2] == .string("text"))
  }

  @Test func `an index finds a date by its value after the upgrade`() throws {
    let snapshot = try OpenStores.readableStore(at: path).snapshot()
    let layout = try snapshot.layout("Event")
    let index = try #require(layout.valueIndexes.first { "\($0.path)" == "at" })
    let tenth = Timestamp(Date(timeIntervalSinceReferenceDate: 599_529_600.1))

    #expect(
      try ValueIndexSearch(index, layout, snapshot).keys(EntryRange(.exactly(.date(tenth)))) == [1])
  }

  @Test func `a store that may not be written is refused unless it is only copied`() throws {
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = #expect(throws: StoreError.self) {
      try OpenStores.store(at: path, access: .readOnly)
    }

    #expect(error?.reason == .olderFormat(found: 1, isInUse: false))
    #expect(error?.description.contains("open it for writing once") == true)
    let snapshot = try OpenStores.readableStore(at: path, upgrade: .none).snapshot()
    #expect(try snapshot.rowCount("Event") == 9)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }
}
