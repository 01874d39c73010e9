import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets
@testable import CadastreStore

/// Imports that update stored objects write only changed values.
@Suite struct UpsertTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private var store: String { folder.url.appendingPathComponent("s").path }

  private struct Row: Equatable {
    var id: String
    var name: String
    var number: Int
    var fraction: Double
    var location: (latitude: Int, longitude: Int)

    static func == (first: Row, second: Row) -> Bool {
      first.line.utf8.elementsEqual(second.line.utf8)
    }

    var line: String {
      "\(id),\(name),\(number),\(fraction),\(location.latitude),\(location.longitude)"
    }

    init(_ id: Int, _ random: inout SeededGenerator) {
      self.id = "k\(id)"
      name = Self.name(&random)
      number = random.below(4)
      fraction = Self.fraction(&random)
      location = Self.location(&random)
    }

    /// Changes some members, or none; a new value may equal the old one.
    mutating func change(_ random: inout SeededGenerator) {
      if random.oneIn(8) { name = Self.name(&random) }
      if random.oneIn(8) { number = random.below(4) }
      if random.oneIn(8) { fraction = Self.fraction(&random) }
      if random.oneIn(8) { location = Self.location(&random) }
    }

    // Two texts are equal to Swift but differ in bytes, and so do two zeros.
    private static func name(_ random: inout SeededGenerator) -> String {
      random.pick(["a", "b", "c d", "\u{e9}", "e\u{301}"])
    }

    private static func fraction(_ random: inout SeededGenerator) -> Double {
      random.pick([0.5, -0.0, 0.0, 1e300])
    }

    private static func location(_ random: inout SeededGenerator) -> (Int, Int) {
      (random.below(3), random.below(3))
    }
  }

  @discardableResult
  private func run(_ rows: [Row]) throws -> ImportReport {
    let lines = ["id,name,number,fraction,lat,lon"] + rows.map(\.line)
    var settings = ImportSettings(
      files: [try folder.file("\(UUID().uuidString).csv", lines.joined(separator: "\n") + "\n")],
      store: store, className: "T")
    settings.primaryKey = "id"
    settings.indexes = ["number"]
    settings.keyPolicy = .update
    settings.types = "name=string,number=int,fraction=double"
    return try Importer(settings).run()
  }

  @Test(arguments: Seeds.usual(1...10))
  func `an upsert writes the rows that differ and no others`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = try OpenStores.store(at: store)
    var rows = (0..<random.below(300) + 2).map { Row($0, &random) }
    #expect(try run(rows).inserted == rows.count)
    for _ in 0..<3 {
      var next = rows
      for index in next.indices { next[index].change(&random) }
      next += (0..<random.below(3)).map { Row(rows.count + $0, &random) }
      let changed = Set(rows.indices.filter { rows[$0] != next[$0] }.map { Int64($0 + 1) })
      let before = try file.snapshot().version
      let isInOrder = random.oneIn(2)
      let report = try run(isInOrder ? next : next.shuffled(using: &random))

      #expect(report.read == next.count)
      #expect(report.inserted == next.count - rows.count)
      #expect(report.updated == changed.count)
      #expect(report.unchanged == rows.count - changed.count)
      let after = try file.snapshot()
      let changes = file.changes(after: before, through: after.version)?.classes["T"]
      #expect(Set(changes?.modified.keys ?? []) == changed)
      #expect(try after.rowCount("T") == next.count)
      // Keys of new rows depend on the order of the file.
      guard isInOrder || next.count == rows.count else { return }
      let layout = try #require(after.catalogue.layout("T"))
      for (index, row) in next.enumerated() {
        let values = try #require(try after.row(layout, ObjectKey(Int64(index + 1))))
        #expect(values.contains(.string(row.id)) && values.contains(.string(row.name)))
        #expect(values.contains(.int(Int64(row.number))) && values.contains(.double(row.fraction)))
      }
      rows = next
    }
    #expect(try StoreCheck(file.snapshot()).problems().isEmpty)
  }

  @Test func `an upsert without differences is no commit`() throws {
    var random = SeededGenerator(seed: 1)
    let rows = (0..<50).map { Row($0, &random) }
    try run(rows)
    let file = try OpenStores.store(at: store)
    let before = try file.snapshot().version
    let report = try run(rows)

    #expect((report.inserted, report.updated, report.unchanged) == (0, 0, 50))
    #expect(try file.snapshot().version == before)
  }
}
