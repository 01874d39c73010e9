import Cadastre
import CadastreDatasets
import CadastreModel
import CadastrePredicate
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

private enum Town {
  class Place: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String?
    @Persisted var rank: Int
    @Persisted var price: Decimal128?
    @Persisted var opened: Date?
    @Persisted var tags: List<String>
    @Persisted var marks: MutableSet<Int>
    @Persisted var prices: Map<String, Double?>
    @Persisted var anything: AnyRealmValue
    @Persisted var twin: Place?
    @Persisted var friends: List<Place>
    @Persisted var spot: Spot?
    @Persisted var address: Address?
    @Persisted var stops: List<Stop>
    @Persisted var corners: List<Spot>
    @Persisted var border: Geometry?
  }

  class Street: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var code: String
    @Persisted var places: Map<String, Place?>
    @Persisted var best: Place?
  }

  class Spot: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    convenience init(_ longitude: Double, _ latitude: Double) {
      self.init()
      coordinates.append(objectsIn: [longitude, latitude])
    }
  }

  class Address: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var city = ""
    @Persisted var owner: Place?
    @Persisted var spot: Spot?
    @Persisted var lines: List<String>
  }

  class Stop: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var minutes = 0
    @Persisted var place: Place?
    @Persisted var next: List<Stop>
  }

  static let types: [ObjectBase.Type] = [
    Place.self, Street.self, Spot.self, Address.self, Stop.self,
  ]
}

/// Random changes, undone from the last to the first and repeated, compared with exports of all objects.
@Suite(.serialized) struct UndoTests {
  private static let count = 24

  private func fill(_ store: String, _ random: inout SeededGenerator) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: store), objectTypes: Town.types))
    try realm.write {
      let places = (0..<Self.count).map { id in
        let place = Town.Place()
        (place.id, place.rank) = (id, random.below(10))
        place.name = random.below(5) == 0 ? nil : "n\(random.below(6)) 'é'"
        place.price = random.below(3) == 0 ? nil : Decimal128(value: Double(id) / 4)
        place.opened = Date(timeIntervalSince1970: Double(random.below(2_000_000_000)) / 8)
        place.tags.append(objectsIn: (0..<random.below(4)).map { "t\($0)" })
        place.marks.insert(objectsIn: (0..<random.below(4)).map { $0 * 3 })
        for key in 0..<random.below(3) { place.prices["k\(key)"] = key == 1 ? nil : 1.5 }
        place.spot = random.below(4) == 0 ? nil : Town.Spot(Double(id), 1)
        place.corners.append(objectsIn: (0..<random.below(3)).map { Town.Spot(Double($0), 2) })
        place.border =
          random.below(2) == 0
          ? nil : try? Geometry(wkt: "POLYGON ((0 0, 0 1, \(id + 1) 1, 0 0))")
        return place
      }
      realm.add(places)
      let other = { (random: inout SeededGenerator) in places[random.below(places.count)] }
      for place in places {
        place.twin = random.below(2) == 0 ? nil : other(&random)
        place.friends.append(objectsIn: (0..<random.below(4)).map { _ in other(&random) })
        place.anything =
          switch random.below(4) {
          case 0: .none
          case 1: .int(random.below(9))
          case 2: .object(other(&random))
          default: AnyRealmValue.fromArray([.string("x"), .object(other(&random))])
          }
        if random.below(3) > 0 {
          let address = Town.Address()
          address.city = "c\(random.below(4))"
          address.owner = random.below(2) == 0 ? nil : other(&random)
          address.spot = random.below(2) == 0 ? nil : Town.Spot(3, 4)
          address.lines.append(objectsIn: (0..<random.below(3)).map { "l\($0)" })
          place.address = address
        }
        for _ in 0..<random.below(3) {
          let (stop, inner) = (Town.Stop(), Town.Stop())
          (stop.minutes, stop.place, inner.place) = (
            random.below(60), other(&random), other(&random)
          )
          if random.below(2) == 0 { stop.next.append(inner) }
          place.stops.append(stop)
        }
      }
      for code in ["A", "B", "C"] {
        let street = Town.Street()
        (street.code, street.best) = (code, other(&random))
        for key in 0..<random.below(4) { street.places["p\(key)"] = other(&random) }
        realm.add(street)
      }
    }
  }

  /// Makes a random change of a store, which may have the classes of earlier ones; returns what it was.
  private func change(
    _ store: String, _ folder: Scratch, _ number: Int, _ random: inout SeededGenerator
  ) throws -> String {
    let schema = try OpenStores.readableStore(at: store).snapshot().catalogue.schema
    let classes = schema.objectSchema.filter { !$0.isEmbedded }.map(\.className).sorted()
    let name = classes[random.below(classes.count)]
    let fields = try #require(schema[name]).properties.filter { !$0.isPrimaryKey }.map(\.name)
    let field = fields.isEmpty ? "id" : fields[random.below(fields.count)]
    let id = schema[name]?.primaryKeyProperty?.type == .int ? "id" : nil
    let some = id.map { "\($0) % 5 == \(random.below(5))" } ?? "TRUEPREDICATE"
    let matches = MatchChange(store: store, className: name, predicate: some)
    let kind = random.below(12)
    RecordedChanges.record(as: "change \(number), \(kind) of \(name).\(field)", limit: 1 << 20)
    switch kind {
    case 0, 1, 2: _ = try matches.delete(isDryRun: false)
    case 3:
      let allowed = ["name=z", "rank=rank + 1", "spot=5,6", "address.city=q", "border=null"]
      let chosen = allowed.filter { fields.contains(String($0.prefix { !"=.".contains($0) })) }
      if !chosen.isEmpty {
        _ = try matches.set([chosen[random.below(chosen.count)]], isDryRun: false)
      }
    case 4: _ = try matches.set([], adding: ["new\(number) int=\(number)"], isDryRun: false)
    case 5: try SchemaEdit(store: store).drop(field: field, of: name)
    case 6: try SchemaEdit(store: store).rename(field: field, of: name, to: "f\(number)")
    case 7: try SchemaEdit(store: store).rename(class: name, to: "C\(number)")
    case 8: _ = try SchemaEdit(store: store).copy(class: name, to: "D\(number)")
    case 9: _ = try SchemaEdit(store: store).drop(class: name)
    case 10:
      if let id {
        let file = try folder.csv(
          "\(id),rank,extra\(number)\n3,7,x\n5,8,\n999,9,y\n", "\(number).csv")
        var settings = ImportSettings(files: [file], store: store, className: name)
        settings.keyPolicy = .update
        settings.altersClass = true
        _ = try Importer(settings).run()
      }
    default:
      if fields.contains("rank") {
        _ = try IndexChange(
          store: store, className: name, fields: ["rank"],
          isRemoving: schema[name]?["rank"]?.isIndexed == true
        ).run()
      }
    }
    return "\(kind) of \(name).\(field) where \(some)"
  }

  @Test(
    arguments: 0..<(ProcessInfo.processInfo.environment["CADASTRE_ROUNDS"].flatMap(Int.init) ?? 6))
  func `undoing restores every state, and can be undone`(round: Int) throws {
    let seed = UInt64(round) &* 7_919 &+ 20_261_130
    var random = SeededGenerator(seed: seed)
    let folder = try Scratch()
    let store = folder.path("a")
    try fill(store, &random)
    var states = [try StoreDump.contents(store)]
    var done: [String] = []
    for number in 1...40 where done.count < 8 {
      do {
        let text = try change(store, folder, number, &random)
        let state = try StoreDump.contents(store)
        guard state != states.last else { continue }
        states.append(state)
        done.append(text)
      } catch let error where !(error is StoreError) {
        // A class to which others link cannot be removed, for example.
        #expect(try StoreDump.contents(store) == states.last, "seed \(seed): \(error)")
      }
    }
    let comment = "seed \(seed): \(done)"
    RecordedChanges.record(as: "undo", limit: 1 << 20)
    var undone: [Int64] = []
    for state in states.dropLast().reversed() {
      _ = try RecordedChanges.undo(nil, in: store, isDryRun: true)
      let report = try RecordedChanges.undo(nil, in: store, isDryRun: false)
      let found = StoreDump.difference(try StoreDump.contents(store), state)
      try #require(found == "", "\(comment), undone \(report.entry.number)")
      undone.append(try #require(try last(store)))
    }
    for (number, state) in zip(undone.reversed(), states.dropFirst()) {
      _ = try RecordedChanges.undo(number, in: store, isDryRun: false)
      let found = StoreDump.difference(try StoreDump.contents(store), state)
      try #require(found == "", "\(comment), repeated \(number)")
    }
    // The first change can be undone again after the others.
    for state in states.dropLast().reversed() {
      _ = try RecordedChanges.undo(nil, in: store, isDryRun: false)
      let found = StoreDump.difference(try StoreDump.contents(store), state)
      try #require(found == "", "\(comment), undone again")
    }
  }

  /// The number of the last recorded change.
  private func last(_ store: String) throws -> Int64? {
    try OpenStores.readableStore(at: store).snapshot().recordedChanges().first?.number
  }

  @Test func `copies have the points of lists, and renamed classes the links in lists of values`()
    throws
  {
    var random = SeededGenerator(seed: 20_261_130)
    let folder = try Scratch()
    let (store, other) = (folder.path("a"), folder.path("b"))
    try fill(store, &random)
    let places = try StoreDump.contents(store).filter { $0.contains("\"corners\":[{") }
    #expect(!places.isEmpty)
    try SchemaEdit(store: store).rename(class: "Place", to: "Site")
    // `contents` fails for a link to a class that does not exist.
    let renamed = try StoreDump.contents(store).filter { $0.contains("\"corners\":[{") }
    #expect(renamed == places.map { $0.replacing("Place ", with: "Site ") })
    _ = try StoreCopy(from: store, className: "Site").run(to: other, as: "Place")
    let pattern = /"corners":(\[.*?\}\])/
    #expect(
      try StoreDump.contents(other).compactMap { $0.firstMatch(of: pattern)?.1 }.map(String.init)
        .sorted()
        == places.compactMap { $0.firstMatch(of: pattern)?.1 }.map(String.init).sorted())
  }
}
