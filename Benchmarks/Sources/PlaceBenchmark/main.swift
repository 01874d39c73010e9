import BenchmarkPlaces
import BenchmarkSupport
import Cadastre
import Foundation

// Measures queries, writes and reads of a million places, compared with SQL on SQLite and with
// DuckDB in the same run. Milliseconds, medians of 7; the hits must be equal.

/// If it is not empty, only benchmarks whose names contain it run.
let part = CommandLine.arguments.dropFirst(3).first ?? ""
let count = CommandLine.arguments.dropFirst(2).first.flatMap(Int.init) ?? 1_000_000
let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
var generator = try PlaceGenerator(cities: CommandLine.arguments[1])
let places = generator.places(count)
let file = folder.appendingPathComponent("places.cadastre")
let plain = folder.appendingPathComponent("places.sqlite").path
let sqlite = PlainSQLite(plain)

func milliseconds(
  rounds: Int = 7,
  _ body: () throws -> Void
) rethrows -> Double {
  try nanoseconds(rounds: rounds, 1, body) / 1e6
}

func wants(_ name: String) -> Bool { part.isEmpty || name.contains(part) }

func text(_ number: Double?) -> String {
  guard let number else { return "-".leftPadded(11) }
  return String(format: number < 10 ? "%.3f" : "%.1f", number).leftPadded(11)
}

func line(_ name: String, _ ours: Double, _ peers: [Double?], _ rest: String = "") {
  print(
    name.padding(toLength: 44, withPad: " ", startingAt: 0) + text(ours)
      + peers.map(text).joined() + "  \(rest)")
}

extension String {
  func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}

// MARK: Writing

print("\(count) places; milliseconds")
print("".padding(toLength: 44, withPad: " ", startingAt: 0) + "       ours     SQLite     DuckDB")
let configuration = Realm.Configuration(
  fileURL: file, objectTypes: [Place.self, Location.self, IndexedPlace.self])
do {
  let realm = try Realm(configuration: configuration)
  let objects = places.enumerated().map { id, place in
    let object = Place()
    object.id = id
    object.name = place.name
    object.category = place.category
    object.population = place.population
    object.rating = place.rating
    let location = Location()
    location.coordinates.append(objectsIn: [place.longitude, place.latitude])
    object.location = location
    return object
  }
  realm.beginWrite()
  let adding = milliseconds(rounds: 1) { realm.add(objects) }
  let ours = try adding + milliseconds(rounds: 1) { try realm.commitWrite() }
  sqlite.run(
    "CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, category TEXT, population INTEGER, "
      + "rating REAL, longitude REAL, latitude REAL)")
  let peer = milliseconds(rounds: 1) {
    sqlite.run("BEGIN")
    for (id, place) in places.enumerated() {
      sqlite.insert(
        "INSERT INTO place(name, category, id, population, rating, longitude, latitude) "
          + "VALUES (?, ?, ?, ?, ?, ?, ?)", [place.name, place.category],
        [Int64(id), Int64(place.population)], [place.rating, place.longitude, place.latitude])
    }
    sqlite.run("COMMIT")
  }
  line(
    "add all, one transaction, R*Tree", ours, [peer, nil],
    "SQLite: rows only; ours before the commit \(text(adding))")
  try realm.write {
    for (id, place) in places.enumerated() {
      let object = IndexedPlace()
      object.id = id
      object.name = place.name
      object.population = place.population
      realm.add(object)
    }
  }
}
sqlite.run("CREATE TABLE indexed(id INTEGER PRIMARY KEY, name TEXT, population INTEGER)")
sqlite.run("INSERT INTO indexed SELECT id, name, population FROM place")
sqlite.run("CREATE INDEX indexed_name ON indexed(name)")
sqlite.run("CREATE INDEX indexed_population ON indexed(population)")

// MARK: Cold

if part == "add" {
  try FileManager.default.removeItem(at: folder)
  exit(0)
}
let realm = try Realm(configuration: configuration)
@MainActor func keys(_ query: PlaceQuery) -> (hits: Int, first: Object?) {
  var results = realm.dynamicObjects(query.type.className()).filter(query.predicate)
  if let order = query.order {
    results = results.sorted(byKeyPath: order, ascending: false)
  }
  if let limit = query.limit { results = results.limit(limit) }
  // Creating an iterator computes the list of all keys, from which `count` is taken.
  let first = results.makeIterator().next()
  return (results.count, first)
}

do {
  let cold = PlaceQuery.all[1]
  var ours = 0.0
  do {
    let realm = try Realm(configuration: configuration)
    ours = milliseconds(rounds: 1) {
      _ = realm.objects(Place.self).filter(cold.predicate).count
    }
  }
  // A new connection, whose cache is empty too.
  let peer = milliseconds(rounds: 1) { _ = PlainSQLite(plain).integers(cold.sql) }
  line("first scan of a column", ours, [peer, nil])
  var (empty, limited) = (configuration, configuration)
  empty.columnMemoryLimit = 0
  limited.columnMemoryLimit = 256 << 20
  var times: [Double] = []
  for _ in 0..<7 {
    // A limit of 0 removes the cached columns; SQLite's page cache stays.
    _ = try Realm(configuration: empty)
    let realm = try Realm(configuration: limited)
    times.append(
      milliseconds(rounds: 1) { _ = realm.objects(Place.self).filter(cold.predicate).count })
  }
  line(
    "scan of a column that is not cached", times.sorted()[3],
    [milliseconds { _ = sqlite.integers(cold.sql) }, nil])
}

// MARK: Queries

let queries = PlaceQuery.all.map {
  $0.filled(places[count / 3].longitude, places[count / 3].latitude)
}
let csv = folder.appendingPathComponent("places.csv")
do {
  var lines = "id,name,category,population,rating,longitude,latitude\n"
  for (id, place) in places.enumerated() {
    lines +=
      "\(id),\"\(place.name.replacing("\"", with: "\"\""))\",\(place.category),\(place.population),\(place.rating),"
      + "\(place.longitude),\(place.latitude)\n"
  }
  try lines.write(to: csv, atomically: false, encoding: .utf8)
}
let average = PlaceQuery(
  name: "Q14 average where category ==", type: Place.self, predicate: "category == 'category 3'",
  sql: "SELECT avg(rating) FROM place WHERE category = 'category 3'")
let duckResults = try DuckDB.measure(queries + [average], places: csv)
for query in queries where wants(query.name) {
  var hits = 0
  _ = keys(query)
  let ours = milliseconds { hits = keys(query).hits }
  var ids: [Int64] = []
  let peer = milliseconds { ids = sqlite.integers(query.sql) }
  let duck = duckResults[query.name]
  var rest = "\(hits) hits"
  if ids.count != hits { rest += ", SQLite \(ids.count)" }
  if let duck, duck.hits != hits { rest += ", DuckDB \(duck.hits)" }
  line(query.name, ours, [peer, duck?.milliseconds], rest)
}
if wants(average.name) {
  var ours: Double?
  let time = milliseconds {
    ours = realm.objects(Place.self).filter(average.predicate).average(ofProperty: "rating")
  }
  let peer = milliseconds { _ = sqlite.integers(average.sql) }
  line(average.name, time, [peer, duckResults[average.name]?.milliseconds], "\(ours ?? 0)")
}

// MARK: Sorting and grouping

/// Measures a count, compared with SQL that returns the same number of rows.
@MainActor func compare(_ name: String, _ sql: String, _ count: () -> Int) {
  guard wants(name) else { return }
  var (ours, theirs) = (count(), 0)
  let time = milliseconds { ours = count() }
  let peer = milliseconds { theirs = sqlite.integers(sql).count }
  line(name, time, [peer, nil], "\(ours) hits" + (ours == theirs ? "" : ", SQLite \(theirs)"))
}

// The last object is only known after sorting all objects.
compare("order all by population", "SELECT id FROM place ORDER BY population, id") {
  let all = realm.objects(Place.self).sorted(byKeyPath: "population")
  return all.last == nil ? 0 : all.count
}
compare("order all by name", "SELECT id FROM place ORDER BY name, id") {
  let all = realm.objects(Place.self).sorted(byKeyPath: "name")
  return all.last == nil ? 0 : all.count
}
compare("distinct categories", "SELECT DISTINCT category FROM place") {
  realm.objects(Place.self).distinct(by: [\.category]).count
}
compare("distinct populations", "SELECT DISTINCT population FROM place") {
  realm.objects(Place.self).distinct(by: [\.population]).count
}
compare("distinct populations, index", "SELECT DISTINCT population FROM indexed") {
  realm.objects(IndexedPlace.self).distinct(by: [\.population]).count
}
compare("sections by category", "SELECT category, count(*) FROM place GROUP BY category") {
  realm.objects(Place.self).sectioned(by: \.category).count
}

// MARK: Reading and changing

var sum = 0
if wants("read") {
  let ours = milliseconds { for place in realm.objects(Place.self) { sum &+= place.population } }
  let peer = milliseconds {
    for number in sqlite.integers("SELECT population FROM place") { sum &+= Int(number) }
  }
  line("read one Int of each of all results", ours, [peer, nil])
}
if wants("look-up") {
  let many = 100_000
  let ours = milliseconds {
    for step in 0..<many {
      sum &+= realm.object(ofType: Place.self, forPrimaryKey: step * 7919 % count)?.population ?? 0
    }
  }
  let peer = milliseconds {
    sqlite.run("BEGIN")
    for step in 0..<many {
      sum &+= Int(
        sqlite.step("SELECT population FROM place WHERE id = ?", Int64(step * 7919 % count)))
    }
    sqlite.run("COMMIT")
  }
  line("100,000 look-ups by primary key", ours, [peer, nil])
}
if wants("set") {
  let many = 100_000
  realm.beginWrite()
  let some = (0..<many).compactMap {
    realm.object(ofType: Place.self, forPrimaryKey: $0 * 7 % count)
  }
  var round = 0
  let ours = milliseconds {
    round += 1
    for place in some { place.population = round }
  }
  realm.cancelWrite()
  sqlite.run("BEGIN")
  let peer = milliseconds {
    round += 1
    for step in 0..<many {
      sqlite.step(
        "UPDATE place SET population = ? WHERE id = ?", Int64(round), Int64(step * 7 % count))
    }
  }
  sqlite.run("ROLLBACK")
  line("set an Int of 100,000 objects", ours, [peer, nil])
}
if wants("commit") {
  let one = realm.object(ofType: Place.self, forPrimaryKey: 1)
  let ours = try milliseconds(rounds: 1) {
    for step in 0..<300 { try realm.write { one?.population = step } }
  }
  let peer = milliseconds(rounds: 1) {
    sqlite.run("PRAGMA synchronous = FULL")
    for step in 0..<300 { sqlite.step("UPDATE place SET population = ? WHERE id = 1", Int64(step)) }
  }
  line("300 durable commits of one object", ours, [peer, nil])
}
let usage = realm.columnMemory
print("cached columns: \(usage.byteCount >> 20) of \(usage.limit >> 20) MB")
for (column, bytes) in (usage.byteCountByColumn["Place"] ?? [:]).sorted(by: { $0.key < $1.key }) {
  print(
    "  \(column): \(bytes) bytes, \(Double(bytes) / Double(realm.objects(Place.self).count)) a row")
}
print("peak memory: \(peakMemory() >> 10) MB (\(sum & 1))")

/// Returns the peak memory of this process in kilobytes.
func peakMemory() -> Int {
  var usage = rusage()
  // 0 is RUSAGE_SELF, whose type differs between platforms.
  getrusage(0, &usage)
  return usage.ru_maxrss
}
