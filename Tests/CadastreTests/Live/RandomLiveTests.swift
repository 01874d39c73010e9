import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Live collections and their notifications, compared with what a new Realm reads.
@Suite struct RandomLiveTests {
  /// What an object holds, and what those hold that it links to, some links far.
  static func print(of hound: Greyhound?, _ links: Int) -> String {
    guard let hound, links >= 0 else { return "-" }
    return "h\(hound.id) \(hound.stamp) \(hound.age) (\(print(of: hound.friend, links - 1)))"
  }

  static func print(of keeper: Keeper) -> String {
    let dogs = keeper.dogs.map { print(of: $0, 3) }.joined(separator: ",")
    let walks = keeper.walks.keys.map { "\($0)\(print(of: keeper.walks[$0] ?? nil, 3))" }
    return "k\(keeper.id) \(keeper.stamp) \(keeper.age) \(print(of: keeper.best, 3)) [\(dogs)] "
      + "\(Array(keeper.tags.sorted())) \(keeper.marks.keys.map { "\($0)\(keeper.marks[$0] ?? 0)" }) \(walks) "
      + "\(keeper.home?.city ?? "-") \(print(of: keeper.home?.guest, 3))"
  }

  /// An observed collection, with its expected content after all notifications.
  final class Watched {
    let name: String
    var ids: [String] = []
    var prints: [String] = []
    var faults: [String] = []
    var token: NotificationToken?
    let read: (Realm) -> (ids: [String], prints: [String])?
    private(set) var tellings = 0

    init<C: RealmCollection>(
      _ name: String, in realm: Realm, _ make: @escaping (Realm) -> C?,
      _ describe: @escaping (C.Element) -> (String, String)
    ) {
      self.name = name
      read = { realm in
        guard let collection = make(realm) else { return nil }
        let all = collection.map { describe($0) }
        return (all.map(\.0), all.map(\.1))
      }
      guard let collection = make(realm) else { return }
      token = collection.observe { [unowned self] change in
        tellings += 1
        switch change {
        case .initial(let collection):
          take(collection.isInvalidated ? [] : collection.map(describe))
        case .update(let collection, let deletions, let insertions, let modifications):
          let now = collection.isInvalidated ? [] : Array(collection.map(describe))
          check(now, deletions, insertions, modifications)
          take(now)
        case .error(let error): faults.append("\(error)")
        }
      }
    }

    private func take(_ now: some Sequence<(String, String)>) {
      let now = Array(now)
      ids = now.map(\.0)
      prints = now.map(\.1)
    }

    private func check(
      _ now: [(String, String)], _ deletions: [Int], _ insertions: [Int], _ modifications: [Int]
    ) {
      let what = "\(name): \(ids) -\(deletions) +\(insertions) ~\(modifications) = \(now.map(\.0))"
      let all = [deletions, insertions, modifications]
      if !all.allSatisfy({ zip($0, $0.dropFirst()).allSatisfy(<) }) {
        faults.append("order \(what)")
      }
      if all.allSatisfy(\.isEmpty) { faults.append("nothing \(what)") }
      var (kept, places) = (Array(zip(ids, prints)), Array(ids.indices))
      for index in deletions.reversed() {
        guard kept.indices.contains(index) else { return faults.append("deletion \(what)") }
        kept.remove(at: index)
        places.remove(at: index)
      }
      var rest = now
      for index in insertions.reversed() {
        guard rest.indices.contains(index) else { return faults.append("insertion \(what)") }
        rest.remove(at: index)
      }
      // Setting an element of a list puts another one at the same position.
      let isSame = zip(kept, rest).enumerated().allSatisfy { number, pair in
        pair.0.0 == pair.1.0 || modifications.contains(places[number])
      }
      if kept.count != rest.count || !isSame { return faults.append("movement \(what)") }
      let changed = kept.indices.filter { kept[$0].1 != rest[$0].1 || kept[$0].0 != rest[$0].0 }
      if changed.map({ places[$0] }) != modifications {
        faults.append("modifications \(changed.map { places[$0] }) \(what)")
      }
    }
  }

  static func watch(_ realm: Realm) -> [Watched] {
    func keeper(_ keeper: Keeper) -> (String, String) { ("\(keeper.id)", print(of: keeper)) }
    func hound(_ hound: Greyhound) -> (String, String) { ("\(hound.id)", print(of: hound, 4)) }
    func all(_ realm: Realm) -> Results<Keeper> { realm.objects(Keeper.self) }
    func first(_ realm: Realm) -> Keeper? { realm.object(ofType: Keeper.self, forPrimaryKey: 1) }
    return [
      Watched("all", in: realm, { all($0) }, keeper),
      Watched("age", in: realm, { all($0).where { $0.age > 4 } }, keeper),
      Watched("indexed", in: realm, { all($0).where { $0.age == 3 } }, keeper),
      Watched("sorted", in: realm, { all($0).sorted(by: \.age, ascending: false) }, keeper),
      Watched(
        "sorted twice", in: realm,
        { all($0).where { $0.age < 7 }.sorted(by: \.stamp).sorted(by: \.age) }, keeper),
      Watched("linked", in: realm, { all($0).where { $0.best.age > 4 } }, keeper),
      Watched("far", in: realm, { all($0).filter("best.friend.age > 4") }, keeper),
      Watched("by link", in: realm, { all($0).sorted(byKeyPath: "best.age") }, keeper),
      Watched("embedded", in: realm, { all($0).filter("home.city == 'b'") }, keeper),
      Watched("any", in: realm, { all($0).filter("ANY dogs.age > 6") }, keeper),
      Watched("count", in: realm, { all($0).filter("dogs.@count > 1") }, keeper),
      Watched("tag", in: realm, { all($0).filter("'x' IN tags") }, keeper),
      Watched("limit", in: realm, { all($0).sorted(by: \.age).limit(3) }, keeper),
      Watched("distinct", in: realm, { all($0).distinct(by: [\.age]) }, keeper),
      Watched(
        "owned", in: realm, { $0.objects(Greyhound.self).filter("owners.@count > 0") }, hound),
      Watched("list", in: realm, { first($0)?.dogs }, hound),
      Watched("filtered list", in: realm, { first($0)?.dogs.where { $0.age > 3 } }, hound),
      Watched(
        "list sorted", in: realm, { first($0)?.dogs.sorted(byKeyPath: "age") }, hound),
      Watched("set", in: realm, { first($0)?.tags }, { ($0, $0) }),
    ]
  }

  /// Makes some random changes, each of which changes something that can be seen.
  static func change(_ realm: Realm, _ random: inout SeededGenerator, _ stamp: inout Int) {
    func number() -> Int { Int.random(in: 0...9, using: &random) }
    func hound() -> Greyhound? { realm.objects(Greyhound.self).randomElement(using: &random) }
    stamp += 1
    let keeper = realm.objects(Keeper.self).randomElement(using: &random)
    switch Int.random(in: 0...17, using: &random) {
    case 0, 1: realm.create(Keeper.self, value: ["id": stamp, "stamp": stamp, "age": number()])
    case 2: realm.create(Greyhound.self, value: ["id": stamp, "stamp": stamp, "age": number()])
    case 3 where keeper?.id != 1 || number() == 0: if let keeper { realm.delete(keeper) }
    case 4: if let hound = hound() { realm.delete(hound) }
    case 5, 6:
      guard let hound = hound() else { return }
      hound.stamp = stamp
      hound.age = number()
    case 7:
      guard let hound = hound() else { return }
      hound.stamp = stamp
      hound.friend = realm.objects(Greyhound.self).randomElement(using: &random)
    default:
      guard let keeper else { return }
      keeper.stamp = stamp
      switch Int.random(in: 0...9, using: &random) {
      case 0, 1: keeper.age = number()
      case 2: keeper.best = hound()
      case 3, 4: if let hound = hound() { keeper.dogs.append(hound) }
      case 5: if !keeper.dogs.isEmpty { keeper.dogs.remove(at: number() % keeper.dogs.count) }
      case 6:
        if !keeper.dogs.isEmpty, let hound = hound() {
          keeper.dogs[number() % keeper.dogs.count] = hound
        }
      case 7:
        let tag = ["x", "y", "z"][number() % 3]
        if keeper.tags.contains(tag) { keeper.tags.remove(tag) } else { keeper.tags.insert(tag) }
      case 8:
        keeper.marks["m\(number() % 3)"] = stamp
        keeper.walks["w\(number() % 3)"] = .some(hound())
      default:
        keeper.home = number() < 3 ? nil : Den(value: ["city": ["a", "b"][number() % 2]])
        keeper.home?.guest = hound()
      }
    }
  }

  private func run(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var stamp = 1
    let configuration = Shelter.configuration()
    let (reader, writer) = (try Corner(configuration), try Corner(configuration))
    try writer.write { realm in
      realm.create(Keeper.self, value: ["id": 1, "age": 5])
      for _ in 0..<40 { Self.change(realm, &random, &stamp) }
    }
    let watched = reader.enter { realm in
      realm.refresh()
      return Self.watch(realm)
    }
    for round in 0..<25 {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0...3, using: &random) == 0 ? reader : writer
        let isCancelled = Int.random(in: 0...6, using: &random) == 0
        place.enter { realm in
          realm.beginWrite()
          for _ in 0..<Int.random(in: 1...4, using: &random) {
            Self.change(realm, &random, &stamp)
          }
          if isCancelled { realm.cancelWrite() } else { try? realm.commitWrite() }
        }
      }
      reader.enter { $0.refresh() }
      let fresh = try Corner(configuration)
      for watched in watched {
        let truth = fresh.enter { watched.read($0) }
        let told = reader.enter { _ in (watched.ids, watched.faults) }
        let live = reader.enter { watched.read($0) }
        #expect(live?.ids == truth?.ids, "\(watched.name), seed \(seed), round \(round)")
        #expect(live?.prints == truth?.prints, "\(watched.name), seed \(seed), round \(round)")
        #expect(told.0 == truth?.ids ?? [], "\(watched.name), seed \(seed), round \(round)")
        #expect(told.1 == [], "\(watched.name), seed \(seed), round \(round)")
        if !told.1.isEmpty { return }
      }
    }
    let tellings = reader.enter { _ in watched.reduce(0) { $0 + $1.tellings } }
    #expect(tellings > 5 * watched.count, "seed \(seed)")
    reader.enter { _ in for watched in watched { watched.token = nil } }
  }

  @Test(arguments: Seeds.usual(1...5)) func `notifications agree with the content`(seed: UInt64)
    throws
  {
    try run(seed: seed)
  }
}
