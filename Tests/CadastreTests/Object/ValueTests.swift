import Cadastre
import Foundation
import Synchronization
import Testing

/// How often a default was made.
let defaultsMade = Mutex(0)

class Ticket: Object {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var serial: Int = defaultsMade.withLock {
    $0 += 1
    return $0
  }
  @Persisted var made: Date
  @Persisted var token: UUID
  @Persisted var zero = ObjectId()
  @Persisted var link: URL = URL(fileURLWithPath: "/")

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What goes into properties without types, and defaults.
@Suite struct ValueTests {
  @Test func `defaults are made once for each object`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Ticket.self]))
    let before = defaultsMade.withLock { $0 }
    let ticket = Ticket()
    #expect(ticket.serial == before + 1 && ticket.serial == before + 1)
    ticket.link = URL(fileURLWithPath: "/tmp")
    let other = Ticket()
    let start = Date()
    try realm.write { realm.add([ticket, other]) }
    #expect(defaultsMade.withLock { $0 } == before + 2)
    #expect(
      realm.objects(Ticket.self).count == 2 && realm.objects(Ticket.self).last?.serial == before + 2
    )
    #expect(defaultsMade.withLock { $0 } == before + 2)
    #expect(ticket.id != other.id && ticket.token != other.token && ticket.zero == other.zero)
    #expect(abs(other.made.timeIntervalSince(start)) < 60)
  }

  @Test func `numbers from JSON fit properties`() throws {
    let realm = try makeRealm()
    let text = """
      [{"icao": "A", "elevation": 12, "runways": 3, "isOpen": false, "address": {"number": 4},
      "location": {"type": "Point", "coordinates": [1, 2.5]}, "alternate": null},
      {"icao": "B", "elevation": 1.5, "alternate": {"icao": "C", "isOpen": true}}]
      """
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])
    try realm.write { for value in json { realm.create(Airport.self, value: value) } }
    let a = try #require(realm.object(ofType: Airport.self, forPrimaryKey: "A"))
    let b = try #require(realm.object(ofType: Airport.self, forPrimaryKey: "B"))
    #expect(a.elevation == 12 && a.runways == 3 && !a.isOpen && a.address?.number == 4)
    #expect(a.location?.latitude == 2.5 && a.location?.longitude == 1 && a.alternate == nil)
    #expect(b.elevation == 1.5 && b.alternate?.icao == "C" && b.alternate?.isOpen == true)
  }

  @Test func `a subscript reads and sets, managed or not`() throws {
    let realm = try makeRealm()
    let airport = Airport()
    airport["icao"] = "A"
    airport["elevation"] = 5
    airport["location"] = ["coordinates": [1.0, 2.0]]
    airport["alternate"] = Airport(value: ["icao": "B"])
    #expect(airport.elevation == 5 && airport.location?.latitude == 2)
    try realm.write { realm.add(airport) }
    #expect(airport["elevation"] as? Double == 5 && airport["opened"] == nil)
    #expect((airport["alternate"] as? Airport)?.icao == "B")
    try realm.write {
      airport["elevation"] = nil
      airport["runways"] = Int32(7)
      airport["alternate"] = NSNull()
      airport["location"] = nil
      airport["address"] = ["street": "s"]
    }
    #expect(airport["elevation"] == nil && airport.runways == 7 && airport.alternate == nil)
    #expect(airport.location == nil && airport.address?.street == "s")
  }

  @Test func `objects are equal by row where they have a key`() throws {
    let realm = try makeRealm()
    let airports = fiveAirports()
    #expect(airports[0] != fiveAirports()[0] && airports[0].isSameObject(as: airports[0]))
    try realm.write { realm.add(airports) }
    let again = try #require(realm.objects(Airport.self).first)
    #expect(again == airports[0] && again !== airports[0] && Set([again, airports[0]]).count == 1)
    #expect(again != airports[1] && !again.isSameObject(as: nil))
    #expect(airports[0].description.hasPrefix("Airport {\n\ticao = LFPG;"))
  }

  @Test func `an object of another class gives its properties of the same names`() throws {
    let heliport = Heliport(value: ["icao": "H", "pads": 3, "address": ["street": "s"]])
    let realm = try makeRealm()
    let airport = try realm.write { realm.create(Airport.self, value: heliport) }
    #expect(airport.icao == "H" && airport.address?.street == "s" && heliport.address?.realm == nil)
  }
}

/// What `where` can say.
@Suite struct ConditionTests {
  let all: Results<EveryScalar>
  let airports: Results<Airport>
  let uuid = UUID()

  init() throws {
    let realm = try makeRealm()
    let first = EveryScalar(value: ["int": 1, "optionalInt": 1, "data": Data([1, 2, 3])])
    first.optionalUUID = uuid
    first.optionalDate = Date(timeIntervalSince1970: 100)
    first.optionalString = "Grüße"
    let second = EveryScalar(value: ["int": 2, "optionalInt": 3, "optionalFlag": true])
    let airports = fiveAirports()
    airports[0].alternate = airports[1]
    airports[1].isOpen = false
    try realm.write {
      realm.add([first, second, EveryScalar(value: ["int": 3, "optionalFlag": false])])
      realm.add(airports)
    }
    all = realm.objects(EveryScalar.self)
    self.airports = realm.objects(Airport.self)
  }

  private func numbers(_ condition: (Query<EveryScalar>) -> Query<Bool>) -> [Int] {
    all.where(condition).map(\.int)
  }

  @Test func `ranges, lists with nil and their negations`() {
    #expect(numbers { $0.int.contains(1..<3) } == [1, 2])
    #expect(numbers { !$0.int.contains(1...2) } == [3])
    #expect(numbers { $0.optionalInt.contains(1...2) } == [1])
    #expect(numbers { !$0.optionalInt.contains(1...2) } == [2, 3])
    #expect(numbers { $0.optionalInt.in([1, nil]) } == [1, 3])
    #expect(numbers { !$0.optionalInt.in([1, nil]) } == [2])
    #expect(numbers { $0.int.in([]) }.isEmpty)
    #expect(numbers { $0.optionalInt > nil }.isEmpty)
    #expect(numbers { $0.optionalInt == nil || $0.optionalInt == 3 } == [2, 3])
  }

  @Test func `two properties, and every type`() {
    #expect(numbers { $0.optionalInt8 == nil && $0.int == $0.int }.count == 3)
    #expect(numbers { $0.double > 7 && $0.float <= 6.5 && $0.int8 < 3 }.count == 3)
    #expect(numbers { $0.optionalFlag == true } == [2])
    #expect(numbers { $0.optionalFlag != true } == [1, 3])
    #expect(numbers { $0.optionalUUID == uuid } == [1])
    #expect(numbers { $0.optionalUUID.in([uuid, UUID()]) } == [1])
    #expect(numbers { $0.data == Data([1, 2, 3]) } == [1])
    #expect(numbers { $0.data.contains(Data([2])) && $0.data.starts(with: Data([1])) } == [1])
    #expect(numbers { $0.data < Data([2]) } == [1])
    #expect(
      numbers { $0.optionalDate < Date() && $0.date == Date(timeIntervalSince1970: 10) } == [1])
    #expect(numbers { $0.optionalString.equals("GRÜSSE", options: .caseInsensitive) }.isEmpty)
    #expect(numbers { $0.optionalString.equals("GRÜßE", options: .caseInsensitive) } == [1])
    #expect(
      numbers {
        $0.optionalString.contains("gru", options: [.caseInsensitive, .diacriticInsensitive])
      } == [1])
    #expect(numbers { $0.optionalString.notEquals("Grüße") } == [2, 3])
    let id = all[0].id
    #expect(numbers { $0.id == id } == [1] && numbers { $0.id.in([id]) } == [1])
  }

  @Test func `a flag behind a link, alone and negated`() {
    #expect(airports.where { $0.alternate.isOpen }.isEmpty)
    #expect(airports.where { !$0.alternate.isOpen }.map(\.icao) == ["LFPG"])
    #expect(airports.where { !($0.alternate.isOpen == true) }.count == 5)
    #expect(airports.where { $0.isOpen && !$0.isOpen }.isEmpty)
    #expect(airports.where { $0.name == $0.alternate.name }.isEmpty)
    #expect(airports.sorted(by: \.alternate?.name).first?.icao == "LFPG")
    #expect(airports.sorted(by: \.location?.type).count == 5)
  }

  @Test func `cut and sorted results keep count, ends and order`() throws {
    let sorted = airports.sorted(by: \.elevation).sorted(by: \.country)
    #expect(sorted.map(\.icao) == ["EBBR", "NFFN", "LFPO", "LFPG", "EHAM"])
    #expect(sorted.where { $0.country == "FR" }.map(\.icao) == ["LFPO", "LFPG"])
    let cut = sorted.limit(3, offset: 1)
    #expect(cut.count == 3 && cut.first?.icao == "NFFN" && cut.last?.icao == "LFPG")
    #expect(cut[2].icao == "LFPG" && cut.limit(5, offset: 2).map(\.icao) == ["LFPG"])
    #expect(cut.limit(1, offset: 3).isEmpty && sorted.limit(9, offset: 9).first == nil)
    #expect(try cut.filter(parsing: "country == 'FR'").map(\.icao) == ["LFPO", "LFPG"])
    let realm = try #require(airports.realm)
    try realm.write {
      for airport in airports.where({ $0.country == "FR" }) { realm.delete(airport) }
      #expect(cut.map(\.icao) == ["NFFN", "EHAM"])
    }
  }
}
