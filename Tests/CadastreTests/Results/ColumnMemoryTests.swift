@testable import Cadastre
import CadastreStore
import Foundation
import Testing

/// What properties take in memory can be seen and limited.
@Suite struct ColumnMemoryTests {
  class Reading: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var value = 0
    @Persisted var name: String?
  }

  private func configuration(limit: Int?) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Reading.self])
    configuration.columnMemoryLimit = limit
    return configuration
  }

  private func filled(_ configuration: Realm.Configuration) throws -> Realm {
    let realm = try Realm(configuration: configuration)
    try realm.write {
      for id in 0..<10_000 { realm.create(Reading.self, value: [id, id % 7, "r\(id)"]) }
    }
    return realm
  }

  @Test func `columns that queries read stay in memory, within the limit`() throws {
    var configuration = configuration(limit: nil)
    let realm = try filled(configuration)
    #expect(realm.columnMemory.limit == ColumnCache.defaultBudget)
    #expect(realm.objects(Reading.self).where { $0.value == 3 }.count == 1429)
    let bytes = realm.columnMemory.byteCount
    // A byte for each of 10,000 small numbers, and a bit for each row.
    #expect(bytes > 10_000 && bytes < 10_000 * 2)
    #expect(realm.columnMemory.byteCountByClass == ["Reading": bytes])
    let columns = try #require(realm.columnMemory.byteCountByColumn["Reading"])
    #expect(columns.keys.sorted() == ["value"])
    #expect(columns["value"] ?? 0 > 10_000 && columns["value"] ?? 0 < 15_000)

    // Who opens the store with a limit sets it for all.
    configuration.columnMemoryLimit = 1000
    #expect(try Realm(configuration: configuration).columnMemory.limit == 1000)
    #expect(realm.columnMemory.byteCount <= 1000)
    #expect(realm.objects(Reading.self).where { $0.value == 3 }.count == 1429)
    #expect(realm.columnMemory.byteCount <= 1000)
    #expect(realm.columnMemory.peakByteCount >= bytes)
  }

  @Test func `with and without it objects read the same`() throws {
    let with = try filled(configuration(limit: nil))
    let without = try filled(configuration(limit: 0))
    for realm in [with, without] {
      var (sum, length) = (0, 0)
      for reading in realm.objects(Reading.self) {
        sum += reading.value
        length += reading.name?.count ?? 0
      }
      #expect(sum == 29_994)
      #expect(length == 48_890)
      let all = realm.objects(Reading.self)
      #expect(all.sum(ofProperty: "value") == 29_994)
      #expect(all.average(ofProperty: "value") == 2.9994)
      #expect(all.max(ofProperty: "value") == 6)
      try realm.write {
        for reading in all.where({ $0.id < 100 }) {
          reading.value += 10
          // What was just written is read again, and its neighbours are as they were.
          #expect(reading.value >= 10)
        }
        #expect(all[100].value == 100 % 7)
        #expect(all.where { $0.value >= 10 }.count == 100)
      }
      #expect(all.where { $0.value >= 10 }.count == 100)
      #expect(all.sum(ofProperty: "value") == 30_994)
    }
    #expect(without.columnMemory.peakByteCount == 0)
  }

  @Test func `a loop over objects reads columns, not rows`() throws {
    let realm = try filled(configuration(limit: nil))
    let file = realm.core.file
    let before = file.columns.report.fills
    var sum = 0
    for reading in realm.objects(Reading.self) { sum += reading.value }
    #expect(sum == 29_994)
    // Three segments of rows, for the list of keys, and of the column.
    #expect(file.columns.report.fills - before <= 6)
  }

  @Test func `a primary key that a query yields is read with other columns while there is room`()
    throws
  {
    let realm = try filled(configuration(limit: nil))
    let columns = realm.core.file.columns
    func ids(_ realm: Realm) -> [Int] {
      realm.objects(Reading.self).where { $0.value == 3 }.values(of: \.id)
    }
    let expected = (0..<10_000).filter { $0 % 7 == 3 }
    #expect(ids(realm) == expected)
    // Three segments of rows, values and primary keys.
    let before = columns.report.fills
    #expect(before == 9)
    #expect(ids(realm) == expected)
    #expect(columns.report.fills == before)

    // Three bytes for each row are more than half of the limit.
    let small = try filled(configuration(limit: 50_000))
    #expect(ids(small) == expected)
    #expect(small.columnMemory.byteCountByColumn["Reading"]?["value"] ?? 0 > 10_000)
    #expect(small.columnMemory.byteCountByColumn["Reading"]?["id"] ?? 0 < 20_000)
  }
}
