import BenchmarkPlaces
import Cadastre
import EngineSupport
import Foundation

/// Cadastre through its public API.
///
/// The ids of a result are the values of the primary key `id`, which `Results.values(of:)` returns.
@main struct CadastreBenchmarkEngine: MeasuredEngine {
  static let name = "Cadastre"
  static let version = "this commit"
  static let threads = ProcessInfo.processInfo.activeProcessorCount
  static let edges = ["spherical", "planar"]
  static let note =
    "public API; ids are the values of the results' primary key; W2 is the commit of objects that have "
    + "only a location, which builds the index and also makes the rows durable"

  private let data: EngineData
  private let work: URL
  private var realm: Realm?

  static func main() throws { try runEngine(Self.self) }

  init(_ data: EngineData, _ work: URL) { (self.data, self.work) = (data, work) }

  private func opened() throws -> Realm {
    guard let realm else { throw Skipped("no store is loaded") }
    return realm
  }

  // MARK: The store

  private static let classes: [ObjectBase.Type] = [Place.self, Location.self, IndexedPlace.self]

  private var file: URL { work.appendingPathComponent("places.cadastre") }

  mutating func load() throws -> Loaded {
    let places = try data.places()
    realm = nil
    try remove(file)
    let configuration = Realm.Configuration(fileURL: file, objectTypes: Self.classes)
    let time = try seconds {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for (index, place) in places.enumerated() { realm.add(Place(id: index + 1, place)) }
      }
      try realm.write {
        for (index, place) in places.enumerated() { realm.add(IndexedPlace(id: index + 1, place)) }
      }
      try Realm.optimize(for: configuration)
    }
    try open()
    return Loaded(seconds: time, bytes: bytes(of: file))
  }

  mutating func open() throws {
    var configuration = Realm.Configuration(fileURL: file, objectTypes: Self.classes)
    if let limit = ProcessInfo.processInfo.environment["CADASTRE_COLUMN_MEMORY"].flatMap(Int.init) {
      configuration.columnMemoryLimit = limit
    }
    realm = try Realm(configuration: configuration)
  }

  // MARK: Writing

  func write(_ task: String) throws -> Written {
    let file = work.appendingPathComponent("written.cadastre")
    switch task {
    case "W1":
      let places = try data.places()
      try remove(file)
      let time = try seconds {
        let classes = [Place.self, Location.self]
        let realm = try Realm(configuration: .init(fileURL: file, objectTypes: classes))
        try realm.write {
          for (index, place) in places.enumerated() { realm.add(Place(id: index + 1, place)) }
        }
      }
      return Written(seconds: time, count: places.count, bytes: bytes(of: file))
    case "W2":
      let spots = work.appendingPathComponent("spots.cadastre")
      try remove(spots)
      let classes = [Spot.self, Location.self]
      let realm = try Realm(configuration: .init(fileURL: spots, objectTypes: classes))
      realm.beginWrite()
      for place in try data.places() { realm.add(Spot(place)) }
      let time = try seconds { try realm.commitWrite() }
      return Written(seconds: time, count: data.count)
    case "W3":
      let classes = [WithIndexes.Place.self, Location.self]
      let realm = try Realm(configuration: .init(fileURL: file, objectTypes: classes))
      let time = try seconds {
        for number in 0..<commitsOfW3 {
          let (id, place) = data.newPlace(number)
          try realm.write { realm.add(WithIndexes.Place(id: id, place)) }
        }
      }
      return Written(seconds: time, count: commitsOfW3)
    default: throw Skipped("\(task) does not apply to a library")
    }
  }

  func commit(_ number: Int) throws {
    let realm = try opened()
    let (id, place) = data.newPlace(number)
    try realm.write { realm.add(Place(id: id, place)) }
  }

  func removeNew() throws {
    let realm = try opened()
    try realm.write { realm.delete(realm.objects(Place.self).where { $0.id > data.count }) }
  }

  // MARK: Queries

  func query(
    _ name: String, _ constants: EngineQuery, planar: Bool
  ) throws -> () throws -> EngineResult {
    let realm = try opened()
    let queries = EngineQueries(constants, planar ? .planar : .spherical)
    return {
      // On a thread without a run loop a realm does not refresh automatically.
      realm.refresh()
      return try queries.result(name, realm)
    }
  }
}
