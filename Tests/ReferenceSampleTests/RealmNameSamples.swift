import Foundation
import RealmSwift
import Testing

class Gauge: Object {
  @Persisted var name = ""
  @Persisted var level: Int
  @Persisted var height: Double
  @Persisted var read: Date
  @Persisted var depths: Map<String, Depth>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

struct Depth: CustomPersistable {
  var metres: Double
  init(persistedValue: Double) { metres = persistedValue }
  init(metres: Double) { self.metres = metres }
  var persistableValue: Double { metres }
}

class GaugeView: Projection<Gauge> {
  @Projected(\Gauge.name) var title
}

/// Names and signatures of programs written for Realm.
@MainActor @Suite struct RealmNameSamples {
  private let realm: Realm

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Gauge.self]))
    try realm.write {
      for level in 1...3 {
        realm.create(
          Gauge.self,
          value: [
            "name": "G\(level)", "level": level, "height": Double(level) / 2,
            "read": Date(timeIntervalSince1970: Double(level)), "depths": ["a": Double(level)],
          ] as [String: Any])
      }
    }
  }

  @Test func `aggregates are objects of Foundation`() {
    let gauges = realm.objects(Gauge.self)
    #expect((gauges.min(ofProperty: "level") as NSNumber?) == 1)
    #expect((gauges.max(ofProperty: "level") as NSNumber?)?.intValue == 3)
    #expect((gauges.sum(ofProperty: "height") as NSNumber) == 3)
    #expect((gauges.average(ofProperty: "height") as NSNumber?)?.doubleValue == 1)
    #expect((gauges.max(ofProperty: "read") as NSDate?)?.timeIntervalSince1970 == 3)
    #expect((gauges.min(ofProperty: "read") as NSDate?) == NSDate(timeIntervalSince1970: 1))
    let none = gauges.where { $0.level > 9 }
    #expect((none.min(ofProperty: "level") as NSNumber?) == nil)
    #expect((none.sum(ofProperty: "level") as NSNumber) == 0)
    // Other types are inferred as before.
    #expect(gauges.sum(ofProperty: "level") == 6)
    let least: Int? = gauges.min(ofProperty: "level")
    #expect(least == 1)
  }

  @Test func `values by name are objects`() {
    let gauges = realm.objects(Gauge.self)
    #expect((gauges.value(forKey: "name") as? [AnyObject])?.count == 3)
    #expect(gauges.value(forKeyPath: "level") as? [Int] == [1, 2, 3])
    #expect((gauges.value(forKeyPath: "level") as? [AnyObject])?.count == 3)
  }

  @Test func `maps of mapped values have aggregates`() throws {
    let gauge = try #require(realm.objects(Gauge.self).last)
    try realm.write { gauge.depths["b"] = Depth(metres: 7) }
    let unmanaged = Gauge(value: ["depths": ["a": 3.0, "b": 7.0]])
    for depths in [gauge.depths, unmanaged.depths] {
      #expect(depths.min() == Depth(metres: 3))
      #expect(depths.max()?.metres == 7)
      #expect(depths.sum().metres == 10)
      #expect((depths.average() as Double?) == 5)
    }
  }

  @Test func `notifications, sections and projections have the names of Realm`() throws {
    var calls: [Realm.Notification] = []
    let block: NotificationBlock = { notification, _ in calls.append(notification) }
    let token = realm.observe(block)
    try realm.write { _ = realm.create(Gauge.self, value: ["level": 12]) }
    #expect(calls == [.didChange])
    token.invalidate()

    func count(_ result: some RealmSectionedResult) -> Int { result.count }
    let sections = realm.objects(Gauge.self).sectioned(sortDescriptors: ["level"]) {
      $0.level / 10
    }
    #expect(sections.allKeys == [0, 1])
    #expect(count(sections) == 2)
    #expect(count(sections[0]) == 3)

    func title<View: ProjectionObservable>(of view: View) -> String? where View.Root == Gauge {
      view.rootObject.name
    }
    let view = try #require(realm.objects(GaugeView.self).first)
    #expect(title(of: view) == "G1")

    func sorted<Key: SortableType & Comparable>(_ keys: [Key]) -> [Key] { keys.sorted() }
    #expect(sorted([2, 1]) == [1, 2])
  }
}
