import Cadastre
import Foundation
import Testing

class KeeperView: Projection<Keeper> {
  @Projected(\Keeper.age) var years
  @Projected(\Keeper.home?.city) var town
  @Projected(\Keeper.dogs.projectTo.age) var dogAges
}

/// Notifications of projections.
@Suite struct ProjectionNotificationTests {
  private let here: Corner
  private let there: Corner

  init() throws {
    let configuration = Shelter.configuration()
    here = try Corner(configuration)
    there = try Corner(configuration)
    try there.write { realm in
      let keeper = realm.create(Keeper.self, value: ["id": 1, "age": 4, "home": ["city": "Oslo"]])
      keeper.dogs.append(realm.create(Greyhound.self, value: ["id": 1, "age": 3]))
    }
    here.enter { realm in
      realm.refresh()
      realm.autorefresh = false
    }
  }

  @Test func `changes have the names of the projection`() throws {
    var lines: [String] = []
    let tokens = here.enter { realm in
      let view = realm.objects(KeeperView.self)[0]
      let object = view.observe { change in
        switch change {
        case .change(_, let properties):
          let told = properties.map { property in
            "\(property.name) \(property.oldValue ?? "-") \(property.newValue ?? "-")"
          }
          lines += told.sorted()
        case .deleted: lines.append("deleted")
        case .error: break
        }
      }
      let ages = view.dogAges.observe { change in
        switch change {
        case .initial(let ages): lines.append("\(Array(ages))")
        case .update(let ages, let deletions, let insertions, let modifications):
          let now = ages.isInvalidated ? [] : Array(ages)
          lines.append("\(now) -\(deletions) +\(insertions) ~\(modifications)")
        case .error: break
        }
      }
      let all = realm.objects(KeeperView.self).observe { change in
        if case .update(let views, _, _, let modifications) = change {
          lines.append("\(modifications.map { views[$0].years })")
        }
      }
      return [object, ages, all]
    }
    here.enter { $0.refresh() }
    #expect(lines == ["[3]"])
    lines = []
    try there.write { realm in
      realm.objects(Keeper.self)[0].age = 5
      realm.objects(Keeper.self)[0].stamp = 5
      realm.objects(Greyhound.self)[0].age = 8
    }
    here.enter { $0.refresh() }
    #expect(lines == ["dogAges - -", "years 4 5", "[8] -[] +[] ~[0]", "[5]"])
    lines = []
    try there.write { $0.objects(Keeper.self)[0].home?.city = "Rome" }
    here.enter { $0.refresh() }
    // The value behind a link is not that of the root's property.
    #expect(lines.first == "town - -")
    lines = []
    try there.write { $0.delete($0.objects(Keeper.self)) }
    here.enter { $0.refresh() }
    #expect(lines == ["deleted", "[] -[0] +[] ~[]", "[]"])
    here.enter { _ in tokens.forEach { $0.invalidate() } }
  }
}
