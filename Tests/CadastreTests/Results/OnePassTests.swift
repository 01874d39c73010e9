import CadastreTestSupport
import Foundation
import Testing

@testable import Cadastre

/// Values, averages and distinct values that are read while the objects are found, against plain Swift.
///
/// There are many segments of objects; without memory for columns, SQLite tests the conditions.
@Suite struct OnePassTests {
  final class Sample: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: Int?
    @Persisted var share: Double?
    @Persisted var kind: String?
    @Persisted var detail: Detail?
  }

  final class Detail: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var size = 0
  }

  private struct Row {
    var id: Int
    var level: Int?
    var share: Double?
    var kind: String?
    var size: Int?
  }

  private static let count = 70_000

  private func rows(_ generator: inout SeededGenerator) -> [Row] {
    let shares: [Double] = [0, -0.0, 1.5, -1.5, .nan, .infinity, -.infinity, 1e300, 0.1]
    let kinds: [String?] = [nil, "", "a", "ab", "abc", "b", "é", "z\u{0}", "zz"]
    return (0..<Self.count).map { index in
      Row(
        id: index * 2, level: generator.oneIn(10) ? nil : generator.below(2001) - 1000,
        share: generator.oneIn(2) ? nil : generator.pick(shares),
        kind: generator.pick(kinds),
        size: generator.oneIn(2) ? nil : index % 100)
    }
  }

  private func filled(_ rows: [Row], columnMemory: Int?, threads: Int) throws -> Realm {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Sample.self, Detail.self])
    configuration.columnMemoryLimit = columnMemory
    configuration.maximumQueryThreads = threads
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for row in rows {
        let sample = Sample()
        sample.id = row.id
        sample.level = row.level
        sample.share = row.share
        sample.kind = row.kind
        sample.detail = row.size.map { size in
          let detail = Detail()
          detail.size = size
          return detail
        }
        realm.add(sample)
      }
      // Some segments have gaps.
      for id in stride(from: 0, to: 20_000, by: 14) {
        if let sample = realm.object(ofType: Sample.self, forPrimaryKey: id) {
          realm.delete(sample)
        }
      }
    }
    return realm
  }

  private func predicate(
    _ generator: inout SeededGenerator
  ) -> (text: String, matches: (Row) -> Bool) {
    let number = generator.below(2001) - 1000
    let width = generator.below(301)
    let share = generator.pick([0.0, -1.5, 1, 1e200])
    return switch generator.below(7) {
    case 0: ("level > \(number)", { $0.level.map { $0 > number } ?? false })
    case 1:
      (
        "level BETWEEN {\(number), \(number + width)}",
        { $0.level.map { $0 >= number && $0 <= number + width } ?? false }
      )
    case 2: ("share <= \(share)", { $0.share.map { $0 <= share } ?? false })
    case 3: ("kind == 'ab'", { $0.kind == "ab" })
    case 4: ("kind BEGINSWITH 'a'", { $0.kind?.hasPrefix("a") ?? false })
    case 5:
      (
        "level > \(number) AND kind CONTAINS 'b'",
        { $0.level.map { $0 > number } ?? false && $0.kind?.contains("b") ?? false }
      )
    default:
      ("detail.size < \(width) AND level != nil", { $0.size ?? .max < width && $0.level != nil })
    }
  }

  @Test(arguments: [(nil, 2), (0, 1), (100_000, 2)] as [(Int?, Int)])
  func `values, averages and distinct values equal those of plain Swift`(
    columnMemory: Int?, threads: Int
  ) throws {
    var generator = SeededGenerator(seed: 20)
    var rows = rows(&generator)
    let realm = try filled(rows, columnMemory: columnMemory, threads: threads)
    rows.removeAll { $0.id < 20_000 && $0.id % 14 == 0 }
    let samples = realm.objects(Sample.self)
    let total: Int? = samples.sum(of: \.level)
    #expect(total == rows.reduce(0) { $0 + ($1.level ?? 0) })
    for _ in 0..<4 {
      let (text, matches) = predicate(&generator)
      let expected = rows.filter(matches)
      // A result that is made anew finds its objects again.
      func found() -> Results<Sample> { samples.filter(text) }

      #expect(found().values(of: \.id) == expected.map(\.id), "\(text)")
      #expect(found().values(of: \.level) == expected.map(\.level), "\(text)")
      #expect(found().values(of: \.kind) == expected.map(\.kind), "\(text)")
      #expect(
        found().values(of: \.share).map(\.?.bitPattern) == expected.map(\.share?.bitPattern),
        "\(text)")
      let levels = expected.compactMap(\.level)
      let sum: Int? = found().sum(of: \.level)
      #expect(sum == levels.reduce(0, +), "\(text)")
      #expect(found().max(of: \.level) == levels.max(), "\(text)")
      let kinds = Set(expected.map(\.kind))
      #expect(Set(found().distinct(by: [\.kind]).map(\.kind)) == kinds, "\(text)")
      #expect(found().distinct(by: [\.kind]).count == kinds.count, "\(text)")
      let first = Set(expected.map(\.level)).compactMap { level in
        expected.first { $0.level == level }?.id
      }
      #expect(found().distinct(by: [\.level]).map(\.id).sorted() == first.sorted(), "\(text)")

      let result = found()
      _ = result.values(of: \.id)
      #expect(result.count == expected.count && result.first?.id == expected.first?.id)
      let average: Double? = found().average(of: \.level)
      #expect(
        average.map { abs($0 - Double(sum ?? 0) / Double(levels.count)) < 1e-9 } ?? levels.isEmpty)
    }
  }
}
