import Cadastre
import Foundation
import Testing

/// Histograms of properties of collections.
@Suite struct HistogramTests {
  final class Reading: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: Int?
    @Persisted var share = 0.0
    @Persisted var price = Decimal128(0)
    @Persisted var parts: List<Reading>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  @Test func `the bins of results, lists and unmanaged objects`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Reading.self]))
    let readings = realm.objects(Reading.self)
    #expect(readings.histogram(of: \.level).isEmpty)
    try realm.write {
      for id in 0..<100 {
        let reading = Reading()
        reading.id = id
        reading.level = id % 10 == 9 ? nil : id
        reading.share = id == 50 ? .nan : Double(id) / 4
        reading.price = Decimal128(id)
        realm.add(reading)
      }
      readings.first?.parts.append(objectsIn: readings.prefix(3))
    }
    let levels = readings.histogram(of: \.level, bins: 7)
    #expect(levels.count == 7 && levels[0].lowerBound == 0 && levels[6].upperBound == 98)
    #expect(levels.map(\.count).reduce(0, +) == 90)
    for bin in levels.dropLast() {
      let expected = readings.filter { reading in
        reading.level.map { Double($0) >= bin.lowerBound && Double($0) < bin.upperBound } ?? false
      }
      #expect(bin.count == expected.count)
    }
    #expect(readings.histogram(of: \.share).map(\.count).reduce(0, +) == 99)
    #expect(readings.histogram(of: \.price, bins: 2).map(\.count) == [50, 50])
    let above = readings.where { $0.level >= 90 }.histogram(of: \.level, bins: 3)
    #expect(above.map(\.lowerBound).first == 90 && above.map(\.count) == [3, 3, 3])
    let parts = try #require(readings.first).parts
    #expect(parts.histogram(of: \.level, bins: 2).map(\.count) == [1, 2])
    let unmanaged = List<Reading>()
    unmanaged.append(objectsIn: [1, 2, 2].map { Reading(value: ["id": $0, "level": $0]) })
    #expect(unmanaged.histogram(of: \.level, bins: 2).map(\.count) == [1, 2])
  }
}
