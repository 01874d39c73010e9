import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The stored form of dates keeps their bits and their order.
@Suite struct StoredDateTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Event",
      properties: [Property(name: "at", type: .date, isOptional: true, isIndexed: true)])
  ])

  private static func date(_ interval: Double) -> Timestamp {
    Timestamp(Date(timeIntervalSinceReferenceDate: interval))
  }

  /// Dates of all forms: integers, REAL values and bytes.
  private static func dates(_ random: inout SeededGenerator) -> [Timestamp] {
    let edges: [Double] = [
      0, 1e-9, -1e-9, 1e-10, -1e-300, 0x1p23, -0x1p23, 0x1p992, -0x1p992, 1e301, -1e301, .infinity,
      -.infinity, 8_245_064_836.9, -10_201_679_237, 252_423_993_600,
    ]
    let others = (0..<200).map { _ in Double(bitPattern: random.next()) }.filter { !$0.isNaN }
    let near = (0..<50).map { _ in Double.random(in: -9e6...9e6, using: &random) }
    let exact = (0..<50).map { _ in
      Timestamp(seconds: 0, nanoseconds: Int64(bitPattern: random.next()))
    }
    return (edges + others + near).map(date) + exact
  }

  @Test(arguments: Seeds.usual(1...2))
  func `an index finds what lies between dates of any form`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let dates = Self.dates(&random)
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for date in dates { _ = try transaction.insert("Event", [.date(date)]) }
    _ = try transaction.insert("Event", [.null])
    try transaction.commit()
    let snapshot = try file.snapshot()
    let layout = try snapshot.layout("Event")
    let search = ValueIndexSearch(try #require(layout.valueIndexes.first), layout, snapshot)

    for (index, date) in dates.enumerated() {
      let key = Int64(index) + 1
      #expect(try snapshot.row(layout, ObjectKey(key))?[0] == .date(date), "seed \(seed): \(date)")
    }
    for _ in 0..<200 {
      let (first, second) = (random.pick(dates), random.pick(dates))
      let range = ValueRange(
        lower: random.oneIn(3) ? nil : .init(.date(first), isIncluded: random.oneIn(2)),
        upper: random.oneIn(3) ? nil : .init(.date(second), isIncluded: random.oneIn(2)))
      let expected = dates.indices.filter { index in
        let isAbove =
          range.lower.map { $0.isIncluded ? dates[index] >= first : dates[index] > first } ?? true
        let isBelow =
          range.upper.map { $0.isIncluded ? dates[index] <= second : dates[index] < second } ?? true
        return isAbove && isBelow
      }.map { Int64($0) + 1 }
      #expect(try search.keys(EntryRange(range)).sorted() == expected, "seed \(seed): \(range)")
      let equal = dates.indices.filter { dates[$0] == first }.map { Int64($0) + 1 }
      #expect(
        try search.keys(EntryRange(.exactly(.date(first)))).sorted() == equal,
        "seed \(seed): \(first)")
    }
  }

  @Test func `numbers in the file are nanoseconds since 1970`() throws {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for date in [Self.date(599_529_600.1), Self.date(0), Self.date(1.5)] {
      _ = try transaction.insert("Event", [.date(date)])
    }
    try transaction.commit()
    let snapshot = try file.snapshot()

    for (key, number) in [
      (1, 1_577_836_800_100_000_000), (2, 978_307_200_000_000_000), (3, 978_307_201_500_000_000),
    ] {
      let sql = "SELECT at FROM Event WHERE \"#key\" = \(key)"
      #expect(try snapshot.connection.integer(sql) == Int64(number))
    }
  }

  @Test func `columns of days are noted, and have times where a value has one`() throws {
    let file = try TestStore.temporary(Self.schema)
    var transaction = try file.beginWrite()
    let layout = try transaction.layout("Event")
    try transaction.addDayColumns(["at"], of: layout)
    for day in ["0001-01-01", "9999-12-31", "2024-05-01"] {
      let parts = day.split(separator: "-").compactMap { Int($0) }
      let date = try #require(Timestamp(year: parts[0], month: parts[1], day: parts[2]))
      _ = try transaction.insert("Event", [.date(date)])
    }
    try transaction.commit()
    #expect(try file.snapshot().dayColumns(layout) == ["at"])
    #expect(try file.snapshot().form(ofDates: 0, layout) == .days)

    transaction = try file.beginWrite()
    _ = try transaction.insert("Event", [.date(Timestamp(seconds: 1))])
    try transaction.commit()
    #expect(try file.snapshot().form(ofDates: 0, layout) == .microseconds)

    transaction = try file.beginWrite()
    try transaction.removeClass("Event")
    try transaction.commit()
    #expect(try file.snapshot().dayColumns(layout) == [])
  }

  /// Owners of a part with a date, or with a text.
  private static func owners(
    _ name: String, isEmbedded: Bool = true, type: PropertyType = .date
  ) -> Schema {
    Schema([
      ObjectSchema(
        className: "Owner",
        properties: [
          Property(name: name, type: .object, isOptional: true, objectClassName: "Part")
        ]),
      ObjectSchema(
        className: "Part", properties: [Property(name: "day", type: type, isOptional: true)],
        isEmbedded: isEmbedded),
    ])
  }

  @Test func `columns of days stay such through migrations, unless their type changes`() throws {
    let file = try TestStore.temporary(Self.owners("part"))
    let transaction = try file.beginWrite()
    _ = try transaction.insert("Owner", [.null, .null])
    try transaction.addDayColumns(["part.day"], of: try transaction.layout("Owner"))
    try transaction.commit()

    var version: UInt64 = 0
    func migrate(to schema: Schema, from: String? = nil) throws -> [String: Set<String>] {
      let transaction = try file.beginWrite()
      version += 1
      let migration = try StoreMigration(
        transaction, from: try file.snapshot(), to: schema, version: version)
      if let from { try migration.renameProperty(of: "Owner", from: from, to: "section") }
      try migration.finish()
      try transaction.commit()
      let snapshot = try file.snapshot()
      var days: [String: Set<String>] = [:]
      for layout in snapshot.catalogue.tables {
        days[layout.schema.className] = try snapshot.dayColumns(layout)
      }
      return days
    }

    #expect(try migrate(to: Self.owners("section"), from: "part") == ["Owner": ["section.day"]])
    #expect(
      try migrate(to: Self.owners("section", isEmbedded: false)) == ["Owner": [], "Part": ["day"]])
    #expect(try migrate(to: Self.owners("section")) == ["Owner": ["section.day"]])
    #expect(try migrate(to: Self.owners("section", type: .string)) == ["Owner": []])
    #expect(try migrate(to: Self.owners("section")) == ["Owner": []])
  }
}
