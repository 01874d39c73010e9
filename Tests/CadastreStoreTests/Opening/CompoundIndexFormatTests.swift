import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Only a store with a compound index has the format of such stores.
@Suite struct CompoundIndexFormatTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
  }

  private static func flight(_ indexes: [[String]], name: String = "Flight") -> ObjectSchema {
    ObjectSchema(
      className: name,
      properties: [
        Property(name: "country", type: .string), Property(name: "at", type: .date),
        Property(name: "seats", type: .int),
      ], compoundIndexes: indexes)
  }

  /// The format in the header of the file, without the log.
  private func headerFormat() throws -> Int {
    let header = try Data(contentsOf: URL(fileURLWithPath: path)).prefix(100)
    return header[60..<64].reduce(0) { $0 << 8 | Int($1) }
  }

  private func objects(_ type: String, _ name: String) throws -> Int64? {
    try Connection(path: path, mode: .read).integer(
      "SELECT count(*) FROM sqlite_schema WHERE type = ? AND name = ?", .string(type),
      .string(name))
  }

  @Test func `the first index raises the format and the last one restores it`() throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Schema([Self.flight([])]))
    #expect(try headerFormat() == 2)
    #expect(try objects("table", "cadastre_index") == 0)

    try file.prepare(for: Schema([Self.flight([["country", "at"]])]))
    // An older program reads the header while the log has not been copied by the last connection.
    #expect(try headerFormat() == 3)
    #expect(try objects("index", "index_Flight.country.at") == 1)
    try file.prepare(for: Schema([Self.flight([["country", "at"], ["at", "seats"]])]))
    #expect(try headerFormat() == 3)

    try file.prepare(for: Schema([Self.flight([["at", "seats"]])]))
    #expect(try headerFormat() == 3)
    #expect(try objects("index", "index_Flight.country.at") == 0)
    try file.prepare(for: Schema([Self.flight([])]))
    #expect(try headerFormat() == 2)
    #expect(try objects("table", "cadastre_index") == 0)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `the format reaches the header once no reader needs an older version`() throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Schema([Self.flight([])]))
    func commit(_ seats: Int64) throws {
      let transaction = try file.beginWrite()
      let row: [Value] = [.string("FR"), .date(Timestamp(seconds: seats)), .int(seats)]
      _ = try transaction.insert("Flight", row)
      try transaction.commit()
    }
    let reader = try Connection(path: path, mode: .read)
    try reader.run("BEGIN")
    #expect(try reader.integer("SELECT count(*) FROM Flight") == 0)
    try file.prepare(for: Schema([Self.flight([["country", "at"]])]))
    #expect(try headerFormat() == 2)
    try commit(1)
    #expect(try headerFormat() == 2)

    try reader.run("COMMIT")
    try commit(2)
    #expect(try headerFormat() == 3)
  }

  @Test func `a store without compound indexes is opened unchanged`() throws {
    try { try OpenStores.store(at: path).prepare(for: Schema([Self.flight([])])) }()
    let before = try Data(contentsOf: URL(fileURLWithPath: path))

    try { try OpenStores.store(at: path).prepare(for: Schema([Self.flight([])])) }()
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test func `a class is opened with the indexes that were stored`() throws {
    let indexes = [["country", "at"], ["seats", "at", "country"]]
    try { try OpenStores.store(at: path).prepare(for: Schema([Self.flight(indexes)])) }()

    let snapshot = try OpenStores.store(at: path).snapshot()
    #expect(snapshot.catalogue.schema["Flight"]?.compoundIndexes == indexes)
    #expect(
      try OpenStores.store(at: path).preparation(for: Schema([Self.flight(indexes)]), version: nil)
        == .none)
    #expect(try snapshot.layout("Flight").valueIndexes.map(\.columns) == [[0, 1], [2, 1, 0]])
  }

  @Test func `a rolled back index leaves the format`() throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Schema([Self.flight([])]))
    let transaction = try file.beginWrite()
    try transaction.adopt(Schema([Self.flight([["country", "at"]])]))
    transaction.rollback()

    #expect(try headerFormat() == 2)
    #expect(try file.snapshot().layout("Flight").valueIndexes.isEmpty)
  }

  @Test func `an index follows its class and goes with it`() throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Schema([Self.flight([["country", "at"]])]))
    let rename = try file.beginWrite()
    try rename.renameClass("Flight", to: "Trip")
    #expect(try rename.copyClass("Trip", to: "Copy") == 0)
    try rename.commit()

    let names = try file.snapshot().catalogue.tables.flatMap { $0.valueIndexes.map(\.name) }
    #expect(names == ["index_Copy.country.at", "index_Trip.country.at"])
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    for (name, format) in [("Trip", 3), ("Copy", 2)] {
      let removal = try file.beginWrite()
      try removal.removeClass(name)
      try removal.commit()
      #expect(try headerFormat() == format)
    }
  }

  @Test func `a format that rises above the supported ones is refused`() throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Schema([Self.flight([])]))
    let other = try Connection(path: path, mode: .readWrite)
    try other.run("PRAGMA user_version = 9")
    try other.run("UPDATE cadastre_state SET catalogue_version = catalogue_version + 1")

    let error = #expect(throws: StoreError.self) { try file.snapshot() }
    #expect(error?.reason == .newerFormat(found: 9, supported: 4))
  }

  @Test func `a missing index is found and repaired`() throws {
    try {
      try OpenStores.store(at: path).prepare(for: Schema([Self.flight([["country", "at"]])]))
    }()
    try Connection(path: path, mode: .readWrite).run("DROP INDEX \"index_Flight.country.at\"")
    let file = try OpenStores.store(at: path)

    #expect(
      try StoreCheck(file.snapshot()).problems().contains { $0.contains("index_Flight.country.at") }
    )
    _ = try StoreRepair.run(file)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }
}
