import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// Stores whose ordered indexes lack the primary key in their entries, as earlier versions made them.
@Suite struct IndexUpgradeTests {
  private let folder: TestFolder
  private let path: String

  private static func schema(
    _ key: Property = Property(name: "id", type: .int, isPrimaryKey: true),
    _ others: [Property] = [Property(name: "level", type: .int)]
  ) -> Schema {
    Schema([
      ObjectSchema(
        className: "Event",
        properties: [
          key, Property(name: "number", type: .int),
          Property(name: "name", type: .string, isIndexed: true),
          Property(name: "at", type: .date, isIndexed: true),
          Property(name: "next", type: .object, isOptional: true, objectClassName: "Event"),
        ] + others),
      ObjectSchema(
        className: "Place",
        properties: [
          Property(name: "id", type: .int, isPrimaryKey: true),
          Property(name: "code", type: .int, isIndexed: true),
        ]),
    ])
  }

  private static let former = [
    "index_Event.name": "CREATE INDEX \"index_Event.name\" ON \"Event\"(\"name\")",
    "index_Event.at": "CREATE INDEX \"index_Event.at\" ON \"Event\"(\"at\")",
    "index_Place.code": "CREATE INDEX \"index_Place.code\" ON \"Place\"(\"code\")",
  ]
  private static let current = former.mapValues { String($0.dropLast()) + ", \"#key\", \"id\")" }

  private static let count = 300

  init() throws {
    folder = try TestFolder()
    path = folder.file("former.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Self.schema(), version: 1)
    let transaction = try file.beginWrite()
    for number in 0..<Self.count {
      try transaction.insert(
        "Event",
        object: [
          "id": .int(Int64(number)), "number": .int(Int64(number * 7)),
          "name": .text("n\(number % 20)"),
          "at": .value(.date(Timestamp(seconds: Int64(number * 7919 % Self.count)))),
          "level": .int(Int64(number % 3)),
        ])
      try transaction.insert(
        "Place", object: ["id": .int(Int64(number)), "code": .int(Int64(number % 9))])
    }
    try transaction.commit()
  }

  /// Gives the indexes their former definitions.
  private func makeFormer() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    for (name, definition) in Self.former {
      try connection.run("DROP INDEX \(SQL.quoted(name))")
      try connection.run(definition)
    }
  }

  /// The definitions of the indexes on properties except the primary keys.
  private func definitions(_ file: StoreFile) throws -> [String: String] {
    let rows = try file.snapshot().connection.statement(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT LIKE 'CREATE UNIQUE%' "
        + "AND name NOT LIKE '%.next'")
    var definitions: [String: String] = [:]
    while try rows.step() { definitions[rows.text(0)] = rows.text(1) }
    return definitions
  }

  /// The keys and the primary keys of events in a range of dates, by the index.
  private func found(_ reader: any StoreReader) throws -> [[Int64]] {
    let layout = try reader.layout("Event")
    let index = try #require(layout.valueIndexes.first { "\($0.path)" == "at" })
    let id = try #require(layout.integerKeyColumn)
    let range = ValueRange(
      lower: .init(.date(Timestamp(seconds: 100)), isIncluded: true),
      upper: .init(.date(Timestamp(seconds: 130)), isIncluded: false))
    var rows = ColumnBatch([ColumnReference(hops: [], column: id, type: .int)])
    _ = try ValueIndexSearch(index, layout, reader, columns: [id]).append(
      EntryRange(range), to: &rows)
    return rows.addedKeys.enumerated().map { [$1, rows.columns[0].integer($0)] }
  }

  @Test func `a store of before opens and works unchanged`() throws {
    let before = try found(OpenStores.store(at: path).snapshot())
    #expect(before.count == 30)
    try makeFormer()
    let file = try OpenStores.store(at: path)
    try file.prepare(for: Self.schema(), version: 1)

    let layout = try file.snapshot().layout("Event")
    #expect(layout.valueIndexes.allSatisfy { $0.idColumn == nil })
    for index in layout.valueIndexes {
      #expect(index.integerKeyColumn(in: layout) == (index.isUnique ? index.column : nil))
    }
    #expect(try found(file.snapshot()) == before)
    try add(
      [
        "id": .int(1000), "number": .int(9), "level": .int(1), "name": .text("new"),
        "at": .value(.date(Timestamp(seconds: 110))),
      ],
      to: "Event", file)
    #expect(try found(file.snapshot()).count == 31)
    #expect(try definitions(file) == Self.former)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    #expect(try StoreRepair.run(file) == StoreRepair.Report())
  }

  @Test func `compaction adds the primary keys in one transaction`() throws {
    try makeFormer()
    let file = try OpenStores.store(at: path)
    let old = try file.snapshot()
    let before = try found(old)

    try file.compact()

    #expect(try file.snapshot().version == old.version + 1)
    #expect(try definitions(file) == Self.current)
    let layout = try file.snapshot().layout("Event")
    #expect(
      layout.valueIndexes.map(\.idColumn)
        == layout.valueIndexes.map { $0.isUnique || $0.isLink ? nil : layout.integerKeyColumn })
    #expect(try found(file.snapshot()) == before)
    #expect(try found(old) == before)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    // As another process.
    let other = StoreFile(path: path)
    #expect(try other.snapshot().layout("Event") == layout)
    #expect(try StoreCheck(other.snapshot()).problems() == [])

    let version = try file.snapshot().version
    try file.compact()
    #expect(try file.snapshot().version == version)
  }

  @Test func `a compaction that cannot write leaves the indexes as they are`() throws {
    try makeFormer()
    let file = try OpenStores.store(at: path)
    // A second instance acts as another process.
    let other = StoreFile(path: path)
    let writer = try other.beginWrite()
    #expect(throws: StoreError.self) { try file.compact(timeout: .milliseconds(1)) }
    writer.rollback()
    #expect(try definitions(file) == Self.former)
    try file.compact()
    #expect(try definitions(file) == Self.current)
  }

  @Test func `an index that a change of the schema adds has the primary key`() throws {
    try makeFormer()
    let file = try OpenStores.store(at: path)
    try file.prepare(
      for: Self.schema(
        Property(name: "id", type: .int, isPrimaryKey: true),
        [Property(name: "level", type: .int, isIndexed: true)]), version: 1)
    var expected = Self.former
    expected["index_Event.level"] =
      "CREATE INDEX \"index_Event.level\" ON \"Event\"(\"level\", \"#key\", \"id\")"
    #expect(try definitions(file) == expected)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `a renamed class has new indexes, another one keeps its own`() throws {
    try makeFormer()
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    try transaction.renameClass("Event", to: "Entry")
    try transaction.commit()
    #expect(
      try definitions(file) == [
        "index_Entry.name":
          "CREATE INDEX \"index_Entry.name\" ON \"Entry\"(\"name\", \"#key\", \"id\")",
        "index_Entry.at": "CREATE INDEX \"index_Entry.at\" ON \"Entry\"(\"at\", \"#key\", \"id\")",
        "index_Place.code": "CREATE INDEX \"index_Place.code\" ON \"Place\"(\"code\")",
      ])
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test(
    arguments: [
      // No primary key, the same property without its mark, another property, another column, another type.
      [], [Property(name: "id", type: .int)],
      [Property(name: "number", type: .int, isPrimaryKey: true)],
      [Property(name: "id", columnName: "identifier", type: .int, isPrimaryKey: true)],
      [Property(name: "name", type: .string, isPrimaryKey: true)],
    ], [true, false])
  func `indexes follow a primary key that changes`(keys: [Property], isFormer: Bool) throws {
    if isFormer { try makeFormer() }
    let file = try OpenStores.store(at: path)
    let event = ObjectSchema(
      className: "Event",
      properties: keys + [Property(name: "at", type: .date, isIndexed: true)])
    let places = Self.schema().objectSchema.filter { $0.className == "Place" }
    try file.prepare(
      for: Schema([event] + places), version: 2, resetting: false,
      migrating: { migration in
        // Another column needs values of its own.
        guard let name = keys.first?.columnName, ["name", "identifier"].contains(name) else {
          return
        }
        let transaction = migration.transaction
        let layout = try transaction.layout("Event")
        let column = try #require(layout.columns.firstIndex { $0.name == name })
        for key in 1...Int64(Self.count) {
          let value: Value = name == "name" ? .string("name \(key)") : .int(key)
          try transaction.update("Event", ObjectKey(key), [(column, value)])
        }
      })

    let id = keys.first.flatMap { $0.isPrimaryKey && $0.type == .int ? $0.columnName : nil }
    let terms = ["at"] + (id.map { ["#key", $0] } ?? [])
    // A former index stays as it is.
    let expected = isFormer ? ["at"] : terms
    let list = expected.map { "\"\($0)\"" }.joined(separator: ", ")
    #expect(
      try definitions(file)["index_Event.at"]
        == "CREATE INDEX \"index_Event.at\" ON \"Event\"(\(list))")
    #expect(
      try definitions(file)["index_Place.code"]
        == (isFormer ? Self.former : Self.current)["index_Place.code"])
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    try file.compact()
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  @Test func `the check accepts both forms, and the repair rebuilds others`() throws {
    let file = try OpenStores.store(at: path)
    _ = try file.snapshot()
    // A program of an earlier version rebuilds an index while the catalogue is in memory.
    try makeFormer()
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.run("DROP INDEX \"index_Event.name\"")
    try connection.run("CREATE INDEX \"index_Event.name\" ON \"Event\"(\"name\", \"id\")")
    #expect(
      try StoreCheck(file.snapshot()).problems() == [
        "the index 'index_Event.name' is missing or has another definition"
      ])
    #expect(try StoreRepair.run(file).done == ["rebuilt the index 'index_Event.name'"])
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }
}
