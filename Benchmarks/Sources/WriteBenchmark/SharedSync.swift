import BenchmarkSupport
import Cadastre
import Foundation

/// The location of a point.
class PointLocation: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>
}

/// An object with a spatial index.
class Point: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var location: PointLocation?
}

/// An actor with a Realm of its own, which adds points.
private actor PointWriter {
  private var realm: Realm?

  func open(_ configuration: Realm.Configuration) async throws {
    realm = try await Realm.open(configuration: configuration)
  }

  func add(_ id: Int) async throws {
    guard let realm else { return }
    try await realm.asyncWrite {
      realm.create(
        Point.self, value: ["id": id, "location": ["coordinates": [longitude(id), latitude(id)]]])
    }
  }

  var count: Int { realm?.objects(Point.self).count ?? 0 }
}

private func longitude(_ id: Int) -> Double { Double(id * 37 % 360) - 180 }
private func latitude(_ id: Int) -> Double { Double(id * 17 % 180) - 90 }

/// Compares commits of one object with a location that share synchronisations of the disk with commits that do not.
///
/// The ceiling is a store in memory, with `synchronous=OFF`.
func measureSharedSync(_ folder: URL) async throws {
  print("\ncommits per second of one object with a location, medians of 5 runs")
  let full = configuration(folder, Point.self, PointLocation.self)
  var normal = full
  normal.durability = .normal
  for (tasks, writes) in [(50, 10), (1, 500)] {
    var rates: [String: [Double]] = [:]
    for _ in 0..<5 {
      for (kind, base) in [("full", full), ("normal", normal), ("in memory, OFF", full)] {
        var store = base
        if kind == "in memory, OFF" {
          store.inMemoryIdentifier = "\(UUID())"
        } else {
          store.fileURL = folder.appendingPathComponent("\(UUID()).cadastre")
        }
        rates["Cadastre, \(kind)", default: []].append(try await rate(store, tasks, writes))
      }
      for synchronous in ["FULL", "NORMAL"] {
        rates["SQLite, \(synchronous)", default: []].append(
          plainRate(folder, synchronous, tasks * writes))
      }
    }
    print("\n\(tasks) tasks, \(writes) writes each")
    for (kind, values) in rates.sorted(by: { $0.key < $1.key }) {
      print(kind.padding(toLength: 28, withPad: " ", startingAt: 0) + "\(Int(median(values)))")
    }
  }
}

/// Returns the acknowledged writes per second of tasks that use one Realm.
private func rate(
  _ configuration: Realm.Configuration, _ tasks: Int, _ writes: Int
) async throws -> Double {
  let writer = PointWriter()
  try await writer.open(configuration)
  let start = ContinuousClock.now
  try await withThrowingTaskGroup(of: Void.self) { group in
    for task in 0..<tasks {
      group.addTask {
        for write in 0..<writes { try await writer.add(task * writes + write) }
      }
    }
    try await group.waitForAll()
  }
  let rate = Double(tasks * writes) / seconds(since: start)
  let count = await writer.count
  precondition(count == tasks * writes, "all points are stored")
  return rate
}

/// Returns the commits per second of SQLite with a row and an entry of an R*Tree each.
private func plainRate(_ folder: URL, _ synchronous: String, _ count: Int) -> Double {
  let sqlite = PlainSQLite(folder.appendingPathComponent("\(UUID()).db").path)
  sqlite.run("PRAGMA synchronous = \(synchronous)")
  sqlite.run("CREATE TABLE point (id INTEGER PRIMARY KEY, longitude REAL, latitude REAL)")
  sqlite.run("CREATE VIRTUAL TABLE tree USING rtree (id, x0, x1, y0, y1)")
  let start = ContinuousClock.now
  for id in 0..<count {
    let (x, y) = (longitude(id), latitude(id))
    sqlite.step("BEGIN IMMEDIATE")
    sqlite.insert("INSERT INTO point VALUES (?, ?, ?)", [], [Int64(id)], [x, y])
    sqlite.insert("INSERT INTO tree VALUES (?, ?, ?, ?, ?)", [], [Int64(id)], [x, x, y, y])
    sqlite.step("COMMIT")
  }
  return Double(count) / seconds(since: start)
}
