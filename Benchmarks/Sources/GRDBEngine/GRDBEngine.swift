import BenchmarkPlaces
import EngineSupport
import Foundation
import GRDB

/// GRDB with a table and an R*Tree, and exact tests in Swift.
@main struct GRDBEngine: MeasuredEngine {
  static let name = "GRDB"
  static let version = "7.10.0"
  static let edges = ["planar"]
  static let note =
    "R*Tree joined with the exact coordinates, circles by haversines and polygons by a ray cast in Swift; "
    + "WAL, synchronous = FULL"

  private let data: EngineData
  private let work: URL
  private var pool: DatabasePool?

  static func main() throws { try runEngine(Self.self) }

  init(_ data: EngineData, _ work: URL) { (self.data, self.work) = (data, work) }

  private func opened() throws -> DatabasePool {
    guard let pool else { throw Skipped("no store is loaded") }
    return pool
  }

  private static func pool(_ file: URL) throws -> DatabasePool {
    var configuration = Configuration()
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA cache_size = -262144")
      try database.execute(sql: "PRAGMA mmap_size = 1073741824")
    }
    let pool = try DatabasePool(path: file.path, configuration: configuration)
    // After preparing a connection a pool sets synchronous = NORMAL, which may lose the last
    // commits in a power failure.
    try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    return pool
  }

  // MARK: The store

  private var file: URL { work.appendingPathComponent("grdb.sqlite") }

  mutating func load() throws -> Loaded {
    let places = try data.places()
    pool = nil
    try remove(file)
    let time = try seconds {
      let pool = try Self.pool(file)
      try Self.fill(pool, places)
      try pool.write(Tables.createIndexed)
      _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      self.pool = pool
    }
    return Loaded(seconds: time, bytes: bytes(of: file))
  }

  private static func fill(_ pool: DatabasePool, _ places: [Place]) throws {
    try pool.write { database in
      try Tables.create(database)
      for (index, place) in places.enumerated() { try Tables.insert(index + 1, place, database) }
    }
  }

  mutating func open() throws { pool = try Self.pool(file) }

  // MARK: Writing

  func write(_ task: String) throws -> Written {
    let file = work.appendingPathComponent("written.sqlite")
    switch task {
    case "W1":
      let places = try data.places()
      try remove(file)
      let pool = try Self.pool(file)
      let time = try seconds { try Self.fill(pool, places) }
      _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      return Written(seconds: time, count: places.count, bytes: bytes(of: file))
    case "W2":
      let time = try Self.pool(file).write { database in
        try database.drop(table: "spot")
        return try seconds {
          try Tables.createIndex(database)
          try database.execute(
            sql: "INSERT INTO spot SELECT id, longitude, longitude, latitude, latitude FROM place")
        }
      }
      return Written(seconds: time, count: data.count)
    case "W3":
      let pool = try Self.pool(file)
      try pool.write { try Tables.addIndexes(to: "place", $0) }
      let time = try seconds {
        for number in 0..<commitsOfW3 {
          let (id, place) = data.newPlace(number)
          try pool.write { try Tables.insert(id, place, $0) }
        }
      }
      return Written(seconds: time, count: commitsOfW3)
    default: throw Skipped("\(task) does not apply to a library")
    }
  }

  func commit(_ number: Int) throws {
    let (id, place) = data.newPlace(number)
    try opened().write { try Tables.insert(id, place, $0) }
  }

  func removeNew() throws {
    try opened().write { database in
      try database.execute(sql: "DELETE FROM place WHERE id > ?", arguments: [data.count])
      try database.execute(sql: "DELETE FROM spot WHERE id > ?", arguments: [data.count])
    }
  }

  // MARK: Queries

  func query(
    _ name: String, _ constants: EngineQuery, planar: Bool
  ) throws -> () throws -> EngineResult {
    let pool = try opened()
    let queries = EngineQueries(constants)
    return { try pool.read { try queries.result(name, $0) } }
  }
}
