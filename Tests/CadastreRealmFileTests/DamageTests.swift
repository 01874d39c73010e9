import CadastreRealmFile
import CadastreTestSupport
import Foundation
import RealmFileTestSupport
import Testing

struct DamageTests {
  /// The number of damaged copies of each fixture that are read.
  private static let copies = [
    "collections": 120, "deep": 3, "empty-new": 20, "empty-notables": 60, "empty-schema": 80,
    "encrypted": 2, "geo": 4, "large": 3, "links": 100, "objectstore": 200, "spread": 3,
    "tiny": 1000, "types": 60, "versions": 60,
  ]

  @Test("a shortened file is an error or has all objects", arguments: RealmFixture.all)
  func shortened(_ fixture: RealmFixture) throws {
    let bytes = try fixture.bytes()
    let complete = try fixture.withFile { path in
      try RealmFile(path: path, key: fixture.key).structure()
    }
    try RealmFixture.withFile(bytes) { path in
      for length in Self.lengths(bytes.count) {
        try #require(truncate(path, off_t(length)) == 0)
        do throws(RealmFileError) {
          let structure = try RealmFile(path: path, key: fixture.key).structure()
          #expect(structure == complete, "\(fixture) with \(length) bytes")
        } catch {
          #expect(!error.description.isEmpty)
        }
      }
    }
  }

  /// Some lengths of a shorter file, descending; all when `CADASTRE_SEEDS` asks for more.
  private static func lengths(_ count: Int) -> [Int] {
    guard count > 400, Seeds.rounds == 1 else { return (0..<count).reversed() }
    var generator = SeededGenerator(seed: 1)
    let some = (0..<40).map { _ in generator.below(count) } + [8, 24, 32, 4096]
    return some.filter { $0 < count }.sorted(by: >)
  }

  @Test("damaged bytes are errors or values", arguments: RealmFixture.all, Seeds.usual(1...1))
  func damaged(_ fixture: RealmFixture, seed: UInt64) throws {
    let bytes = try fixture.bytes()
    for round in 0..<UInt64(Self.copies[fixture.name] ?? 1) {
      var generator = SeededGenerator(seed: seed << 32 | round)
      var copy = bytes
      for _ in 0...generator.below(8) { generator.damage(&copy) }
      try RealmFixture.withFile(copy) { path in
        do throws(RealmFileError) {
          let reading = try CompleteReading(path: path, key: fixture.key)
          for error in reading.damage { #expect(!error.description.isEmpty) }
        } catch {
          #expect(!error.description.isEmpty, "\(fixture), seed \(seed), round \(round)")
        }
      }
    }
  }

  @Test("damaged backlinks are found")
  func backlinks() throws {
    let bytes = try RealmFixture("links").bytes()
    var isFound = false
    for round in 0..<200 where !isFound {
      var generator = SeededGenerator(seed: UInt64(round))
      var copy = bytes
      generator.damage(&copy)
      try RealmFixture.withFile(copy) { path in
        guard let reports = try? RealmFile(path: path).backlinkReports() else { return }
        if reports.contains(where: { !$0.isConsistent }) { isFound = true }
      }
    }
    #expect(isFound)
  }
}

extension RealmFile {
  /// The number of objects and the columns of each table.
  fileprivate func structure() throws(RealmFileError) -> [String] {
    var lines: [String] = []
    for table in tables {
      let count = try objects(of: table).count
      lines.append("\(table.name) \(count) \(table.columns.map(\.name))")
    }
    return lines
  }
}
