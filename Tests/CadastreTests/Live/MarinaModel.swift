import Cadastre
import CadastreTestSupport
import Foundation

class Galley: EmbeddedObject {
  @Persisted var city = ""
  @Persisted var guest: Mate?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Mate: Object {
  @Persisted(primaryKey: true) var id = 0
  /// The number of the insertion, which no other object has, also not one with the same primary key.
  @Persisted var serial = 0
  @Persisted var note = 0
  @Persisted var age = 0
  @Persisted var friend: Mate?
  @Persisted(originProperty: "crew") var yachts: LinkingObjects<Yacht>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Yacht: Object {
  @Persisted(primaryKey: true) var id = 0
  /// The number of the insertion, which no other object has, also not one with the same primary key.
  @Persisted var serial = 0
  @Persisted var note = 0
  @Persisted(indexed: true) var rank = 0
  @Persisted var weight: Double?
  @Persisted var captain: Mate?
  @Persisted var crew: List<Mate>
  @Persisted var tags: MutableSet<String>
  @Persisted var marks: Map<String, Int>
  @Persisted var watches: Map<String, Mate?>
  @Persisted var galley: Galley?
  @Persisted var location: Location?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The expected content of a store of yachts and mates: plain values, which nothing of Cadastre computes.
///
/// Objects have their serial numbers as identity. Rows are in the order of the serial numbers.
struct MarinaModel {
  struct MateRow {
    let id: Int
    var note = 0
    var age = 0
    var friend: Int?
    /// The number of the last write to each property.
    var writes: [String: Int] = [:]
  }

  struct GalleyRow: Equatable {
    var city = ""
    var guest: Int?
  }

  struct YachtRow {
    let id: Int
    var note = 0
    var rank = 0
    var weight: Double?
    var captain: Int?
    var crew: [Int] = []
    var tags: Set<String> = []
    var marks: [String: Int] = [:]
    var watches: [String: Int?] = [:]
    var galley: GalleyRow?
    /// The longitude of a location on the equator.
    var longitude: Double?
    /// The number of the last write to each property.
    var writes: [String: Int] = [:]
  }

  var mates: [Int: MateRow] = [:]
  var yachts: [Int: YachtRow] = [:]
  /// The texts of ``writes(toYacht:)``; a model that is changed gets new ones when it is committed.
  private var texts = Texts()

  private final class Texts { var yachts: [Int: String] = [:] }

  /// This content, as of a commit.
  var committed: MarinaModel {
    var copy = self
    copy.texts = Texts()
    return copy
  }

  /// The serial numbers in the order of the rows.
  var mateSerials: [Int] { mates.keys.sorted() }
  var yachtSerials: [Int] { yachts.keys.sorted() }

  func yacht(id: Int) -> Int? { yachts.first { $0.value.id == id }?.key }
  func mate(id: Int) -> Int? { mates.first { $0.value.id == id }?.key }

  // MARK: Text

  /// Returns the writes to a mate and to the friends within a number of links.
  func writes(toMate serial: Int?, links: Int) -> String {
    guard let serial, let mate = mates[serial], links >= 0 else { return "-" }
    let own = mate.writes.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }
    return "m\(serial)\(own)\(writes(toMate: mate.friend, links: links - 1))"
  }

  /// Returns the writes to a yacht and to the mates within four links.
  func writes(toYacht serial: Int) -> String {
    guard let yacht = yachts[serial] else { return "-" }
    if let text = texts.yachts[serial] { return text }
    let own = yacht.writes.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }
    let linked =
      [yacht.captain, yacht.galley?.guest] + yacht.crew
      + yacht.watches.sorted { $0.key < $1.key }.map(\.value)
    let text =
      "y\(serial)\(own)" + linked.map { writes(toMate: $0, links: 3) }.joined(separator: ",")
    texts.yachts[serial] = text
    return text
  }

  /// Returns the content of a yacht.
  func content(ofYacht serial: Int) -> String {
    guard let yacht = yachts[serial] else { return "-" }
    return MarinaText.yacht(
      [serial, yacht.id, yacht.note, yacht.rank], yacht.weight, yacht.captain, yacht.crew,
      yacht.tags.sorted(), yacht.marks, yacht.watches, yacht.galley?.city, yacht.galley?.guest,
      yacht.longitude)
  }

  /// Returns the content of a mate.
  func content(ofMate serial: Int) -> String {
    guard let mate = mates[serial] else { return "-" }
    return "\([serial, mate.id, mate.note, mate.age]) \(MarinaText.link(mate.friend))"
  }
}

/// The content of objects as text.
enum MarinaText {
  static func yacht(
    _ numbers: [Int], _ weight: Double?, _ captain: Int?, _ crew: [Int], _ tags: [String],
    _ marks: [String: Int], _ watches: [String: Int?], _ city: String?, _ guest: Int?,
    _ longitude: Double?
  ) -> String {
    let marks = marks.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" }
    let watches = watches.sorted { $0.key < $1.key }.map { "\($0.key)\(link($0.value))" }
    return "\(numbers) \(weight.map { "\($0)" } ?? "-") \(link(captain)) \(crew) \(tags) \(marks) "
      + "\(watches) \(city ?? "-") \(link(guest)) \(longitude.map { "\($0)" } ?? "-")"
  }

  static func link(_ serial: Int?) -> String { serial.map { "\($0)" } ?? "-" }

  static func content(of yacht: Yacht) -> String {
    var marks: [String: Int] = [:]
    for key in yacht.marks.keys { marks[key] = yacht.marks[key] }
    var watches: [String: Int?] = [:]
    for key in yacht.watches.keys { watches[key] = .some((yacht.watches[key] ?? nil)?.serial) }
    return MarinaText.yacht(
      [yacht.serial, yacht.id, yacht.note, yacht.rank], yacht.weight, yacht.captain?.serial,
      yacht.crew.map(\.serial), Array(yacht.tags), marks, watches, yacht.galley?.city,
      yacht.galley?.guest?.serial, yacht.location?.longitude)
  }

  static func content(of mate: Mate) -> String {
    "\([mate.serial, mate.id, mate.note, mate.age]) \(link(mate.friend?.serial))"
  }
}

/// A source of random changes, each made to a Realm and to the model.
// Safe because the threads that write run one after another.
final class MarinaWriter: @unchecked Sendable {
  var random: SeededGenerator
  /// The content with the changes of the open transaction.
  private(set) var model = MarinaModel()
  /// The last serial number; rolled-back insertions use numbers too.
  private var serial = 0
  /// The number of writes.
  private var writes = 0
  /// The changes of the current transaction, for failures.
  private(set) var log: [String] = []

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  static func configuration() -> Realm.Configuration {
    Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString,
      objectTypes: [Yacht.self, Mate.self, Galley.self, Location.self])
  }

  /// Makes some changes in a transaction, which may be cancelled.
  func commit(to realm: Realm, changes: Int, isCancelled: Bool = false) throws {
    let before = model
    log.append(isCancelled ? "begin, to be cancelled" : "begin")
    realm.beginWrite()
    for _ in 0..<changes { change(realm) }
    if isCancelled {
      realm.cancelWrite()
      model = before
    } else {
      try realm.commitWrite()
    }
  }

  func clearLog() { log = [] }

  // MARK: Objects

  private func digit() -> Int { random.below(10) }
  private func tick() -> Int {
    writes += 1
    return writes
  }

  private func object(_ serial: Int?, _ realm: Realm) -> Yacht? {
    serial.flatMap { model.yachts[$0] }.flatMap {
      realm.object(ofType: Yacht.self, forPrimaryKey: $0.id)
    }
  }
  private func mateObject(_ serial: Int?, _ realm: Realm) -> Mate? {
    serial.flatMap { model.mates[$0] }.flatMap {
      realm.object(ofType: Mate.self, forPrimaryKey: $0.id)
    }
  }

  private func anyYacht() -> Int? { model.yachtSerials.randomElement(using: &random) }
  private func anyMate() -> Int? { model.mateSerials.randomElement(using: &random) }

  private func write(
    _ names: String..., to serial: Int, _ body: (inout MarinaModel.YachtRow) -> Void
  ) {
    let number = tick()
    body(&model.yachts[serial, default: MarinaModel.YachtRow(id: 0)])
    for name in names { model.yachts[serial]?.writes[name] = number }
    log.append("yacht \(serial): \(names)")
  }

  private func writeMate(_ name: String, _ serial: Int, _ body: (inout MarinaModel.MateRow) -> Void)
  {
    body(&model.mates[serial, default: MarinaModel.MateRow(id: 0)])
    model.mates[serial]?.writes[name] = tick()
    log.append("mate \(serial): \(name)")
  }

  // MARK: Changes

  private func change(_ realm: Realm) {
    switch random.below(40) {
    case 0...3: insertYacht(realm)
    case 4...6: insertMate(realm)
    case 7, 8: deleteYacht(realm, isReinserted: random.oneIn(2))
    case 9, 10: deleteMate(realm, isReinserted: random.oneIn(2))
    case 11: if random.oneIn(12) { deleteAll(realm) }
    case 12: if random.oneIn(5) { changeMany(realm) }
    case 13...18: changeMate(realm)
    case 19...28: changeScalar(realm)
    case 29, 30: changeCaptain(realm)
    case 31...34: changeCrew(realm)
    case 35...37: changeSetOrMap(realm)
    default: changeGalley(realm)
    }
  }

  /// Returns a primary key without an object: 1 first, because observers have that object.
  private func freeId(_ isFree: (Int) -> Bool) -> Int {
    if isFree(1) { return 1 }
    let start = random.below(60)
    return (start...).first { $0 > 0 && isFree($0) } ?? 0
  }

  func insertYacht(_ realm: Realm, id: Int? = nil) {
    let id = id ?? freeId { model.yacht(id: $0) == nil }
    serial += 1
    var row = MarinaModel.YachtRow(id: id)
    row.rank = digit()
    row.weight = random.oneIn(4) ? nil : Double(random.below(5))
    let yacht = realm.create(Yacht.self, value: ["id": id, "serial": serial, "rank": row.rank])
    yacht.weight = row.weight
    if random.oneIn(2), let mate = anyMate() {
      row.crew = [mate]
      row.captain = mate
      yacht.captain = mateObject(mate, realm)
      if let object = mateObject(mate, realm) { yacht.crew.append(object) }
    }
    if !random.oneIn(3) {
      let longitude = Double(random.below(20))
      row.longitude = longitude
      yacht.location = Location(longitude: longitude, latitude: 0)
    }
    model.yachts[serial] = row
    log.append("insert yacht \(serial), id \(id)")
  }

  func insertMate(_ realm: Realm, id: Int? = nil) {
    let id = id ?? freeId { model.mate(id: $0) == nil }
    serial += 1
    let age = digit()
    realm.create(Mate.self, value: ["id": id, "serial": serial, "age": age])
    model.mates[serial] = MarinaModel.MateRow(id: id, age: age)
    log.append("insert mate \(serial), id \(id)")
  }

  private func deleteYacht(_ realm: Realm, isReinserted: Bool) {
    guard let serial = anyYacht(), let yacht = object(serial, realm) else { return }
    let id = yacht.id
    realm.delete(yacht)
    model.yachts[serial] = nil
    log.append("delete yacht \(serial)")
    if isReinserted { insertYacht(realm, id: id) }
  }

  private func deleteMate(_ realm: Realm, isReinserted: Bool) {
    guard let serial = anyMate(), let mate = mateObject(serial, realm) else { return }
    let id = mate.id
    realm.delete(mate)
    log.append("delete mate \(serial)")
    remove(mate: serial)
    if isReinserted { insertMate(realm, id: id) }
  }

  /// Removes a mate and the links to it, which are writes to the objects that have them.
  private func remove(mate serial: Int) {
    let number = tick()
    model.mates[serial] = nil
    for (other, mate) in model.mates where mate.friend == serial {
      model.mates[other]?.friend = nil
      model.mates[other]?.writes["friend"] = number
    }
    for (owner, old) in model.yachts {
      var yacht = old
      if yacht.captain == serial {
        yacht.captain = nil
        yacht.writes["captain"] = number
      }
      if yacht.crew.contains(serial) {
        yacht.crew.removeAll { $0 == serial }
        yacht.writes["crew"] = number
      }
      for (key, mate) in yacht.watches where mate == serial {
        yacht.watches[key] = .some(nil)
        yacht.writes["watches"] = number
      }
      if yacht.galley?.guest == serial {
        yacht.galley?.guest = nil
        yacht.writes["galley.guest"] = number
      }
      model.yachts[owner] = yacht
    }
  }

  private func deleteAll(_ realm: Realm) {
    realm.deleteAll()
    model = MarinaModel()
    log.append("delete all")
  }

  /// Changes more objects than are maintained one by one.
  private func changeMany(_ realm: Realm) {
    switch random.below(4) {
    case 0: for _ in 0..<90 { insertYacht(realm) }
    case 1:
      for serial in model.yachtSerials {
        let rank = digit()
        object(serial, realm)?.rank = rank
        write("rank", to: serial) { $0.rank = rank }
      }
    case 2:
      let age = digit()
      realm.objects(Mate.self).setValue(age, forKey: "age")
      for serial in model.mateSerials { writeMate("age", serial) { $0.age = age } }
    default:
      let rank = digit()
      realm.delete(realm.objects(Yacht.self).where { $0.rank > rank })
      for (serial, yacht) in model.yachts where yacht.rank > rank { model.yachts[serial] = nil }
      log.append("delete the yachts above rank \(rank)")
    }
  }

  private func changeMate(_ realm: Realm) {
    guard let serial = anyMate(), let mate = mateObject(serial, realm) else { return }
    let (age, friend) = (digit(), anyMate())
    switch random.below(4) {
    case 0:
      mate.note = writes
      writeMate("note", serial) { [writes] in $0.note = writes }
    case 1, 2:
      // The same age as before is a change too.
      mate.age = age
      writeMate("age", serial) { $0.age = age }
    default:
      guard friend != model.mates[serial]?.friend else { return }
      mate.friend = mateObject(friend, realm)
      writeMate("friend", serial) { $0.friend = friend }
    }
  }

  private func changeScalar(_ realm: Realm) {
    guard let serial = anyYacht(), let yacht = object(serial, realm) else { return }
    let rank = digit()
    switch random.below(6) {
    case 0, 1:
      yacht.note = writes
      write("note", to: serial) { [writes] in $0.note = writes }
    case 2, 3:
      yacht.rank = rank
      write("rank", to: serial) { $0.rank = rank }
    case 4:
      let weight = random.oneIn(4) ? nil : Double(random.below(5))
      yacht.weight = weight
      write("weight", to: serial) { $0.weight = weight }
    default:
      let longitude = random.oneIn(4) ? nil : Double(random.below(20))
      guard longitude != nil || model.yachts[serial]?.longitude != nil else { return }
      yacht.location = longitude.map { Location(longitude: $0, latitude: 0) }
      write("location", to: serial) { $0.longitude = longitude }
    }
  }

  private func changeCaptain(_ realm: Realm) {
    guard let serial = anyYacht(), let yacht = object(serial, realm) else { return }
    let captain = random.oneIn(4) ? nil : anyMate()
    guard captain != model.yachts[serial]?.captain else { return }
    yacht.captain = mateObject(captain, realm)
    write("captain", to: serial) { $0.captain = captain }
  }

  /// Returns the yacht that observers have, or another one.
  private func observedYacht() -> Int? {
    random.oneIn(2) ? model.yacht(id: 1) ?? anyYacht() : anyYacht()
  }

  private func changeCrew(_ realm: Realm) {
    guard let serial = observedYacht(), let crew = object(serial, realm)?.crew,
      let mate = anyMate(), let linked = mateObject(mate, realm)
    else { return }
    let count = model.yachts[serial]?.crew.count ?? 0
    let index = count == 0 ? 0 : random.below(count)
    switch random.below(5) {
    case 0, 1:
      crew.append(linked)
      write("crew", to: serial) { $0.crew.append(mate) }
    case 2:
      crew.insert(linked, at: index)
      write("crew", to: serial) { $0.crew.insert(mate, at: index) }
    case 3 where count > 0:
      crew.remove(at: index)
      write("crew", to: serial) { $0.crew.remove(at: index) }
    case 4 where count > 0 && model.yachts[serial]?.crew[index] != mate:
      crew[index] = linked
      write("crew", to: serial) { $0.crew[index] = mate }
    default: break
    }
  }

  private func changeSetOrMap(_ realm: Realm) {
    guard let serial = observedYacht(), let yacht = object(serial, realm),
      let row = model.yachts[serial]
    else { return }
    let key = "k\(random.below(4))"
    switch random.below(5) {
    case 0, 1:
      if row.tags.contains(key) { yacht.tags.remove(key) } else { yacht.tags.insert(key) }
      write("tags", to: serial) { $0.tags.formSymmetricDifference([key]) }
    case 2:
      yacht.marks[key] = writes
      write("marks", to: serial) { [writes] in $0.marks[key] = writes }
    case 3:
      guard row.marks[key] != nil else { return }
      yacht.marks[key] = nil
      write("marks", to: serial) { $0.marks[key] = nil }
    default:
      let mate = anyMate()
      if let old = row.watches[key], old == mate { return }
      yacht.watches[key] = .some(mateObject(mate, realm))
      write("watches", to: serial) { $0.watches[key] = .some(mate) }
    }
  }

  private func changeGalley(_ realm: Realm) {
    guard let serial = anyYacht(), let yacht = object(serial, realm) else { return }
    let (city, guest) = (random.pick(["a", "b", "c"]), anyMate())
    switch random.below(4) {
    case 0 where yacht.galley != nil:
      yacht.galley?.city = city
      write("galley.city", to: serial) { $0.galley?.city = city }
    case 1 where yacht.galley != nil && model.yachts[serial]?.galley?.guest != guest:
      yacht.galley?.guest = mateObject(guest, realm)
      write("galley.guest", to: serial) { $0.galley?.guest = guest }
    case 2 where yacht.galley != nil:
      yacht.galley = nil
      write("galley", "galley.city", "galley.guest", to: serial) { $0.galley = nil }
    default:
      let galley = Galley()
      galley.city = city
      galley.guest = mateObject(guest, realm)
      yacht.galley = galley
      write("galley", "galley.city", "galley.guest", to: serial) {
        $0.galley = MarinaModel.GalleyRow(city: city, guest: guest)
      }
    }
  }
}
