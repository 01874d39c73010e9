import BenchmarkSupport
import Cadastre

/// Measures transactions that add or change many objects, with their commit.
func measureTransactions(
  _ realm: Realm, _ sqlite: PlainSQLite, _ ada: Person, _ count: Int
) throws {
  sqlite.run(
    """
    CREATE TABLE station(key INTEGER PRIMARY KEY, id INTEGER, level INTEGER, name TEXT, warden INTEGER,
      marks INTEGER, samples INTEGER);
    CREATE UNIQUE INDEX station_id ON station(id);
    CREATE INDEX station_warden ON station(warden);
    CREATE TABLE samples(owner INTEGER, position INTEGER, value INTEGER, time INTEGER,
      PRIMARY KEY (owner, position)) WITHOUT ROWID
    """)
  var next = 0
  /// Adds stations with more content; the peer inserts the same rows.
  func adding(
    _ name: String, _ fill: (Station) -> Void, elements: String? = nil
  ) throws {
    try creating(name, elements: elements) {
      let station = Station()
      station.id = next
      station.name = "Station"
      fill(station)
      realm.add(station)
    }
  }
  /// Adds stations as a closure does; the peer inserts the rows that result.
  func creating(_ name: String, elements: String? = nil, _ create: () -> Void) throws {
    let first = next
    let ours = try nanoseconds(rounds: 5, count) {
      try realm.write {
        for _ in 0..<count {
          create()
          next += 1
        }
      }
    }
    var id = Int64(first)
    let peer = nanoseconds(rounds: 5, count) {
      sqlite.run("BEGIN")
      for _ in 0..<count {
        sqlite.insert(
          "INSERT INTO station(name, key, id, level, warden) VALUES (?, ?, ?, 0, ?)", ["Station"],
          [id, id, 1], [])
        if let elements { for position in 0..<10 { sqlite.step(elements, id, Int64(position)) } }
        id += 1
      }
      sqlite.run("COMMIT")
    }
    report(name, ours, sqlite: peer)
  }
  try adding("add an object", { _ in })
  try creating("create an object and set three properties") {
    let station = realm.create(Station.self, value: ["id": next])
    station.name = "Station"
    station.level = 0
    station.warden = ada
  }
  try adding("add an object with a link", { $0.warden = ada })
  try adding(
    "add an object with a list of 10 Ints", { $0.marks.append(objectsIn: 0..<10) },
    elements: "INSERT INTO marks VALUES (?, ?, 7)")
  try adding(
    "add an object with 10 embedded objects",
    { station in
      for value in 0..<10 { station.samples.append(Sample(value: [value, value])) }
    }, elements: "INSERT INTO samples VALUES (?, ?, 7, 7)")

  let stations = Array(realm.objects(Station.self).where { $0.id < count })
  /// Changes each station; the peer runs a statement for each.
  func changing(_ name: String, _ change: (Station, Int) -> Void, sql: String) throws {
    var step = 0
    let ours = try nanoseconds(rounds: 5, count) {
      step += 1
      try realm.write { for station in stations { change(station, step) } }
    }
    let peer = nanoseconds(rounds: 5, count) {
      step += 1
      sqlite.run("BEGIN")
      for id in 0..<count { sqlite.step(sql, Int64(step % 2), Int64(id)) }
      sqlite.run("COMMIT")
    }
    report(name, ours, sqlite: peer)
  }
  try changing(
    "write an Int of each object", { $0.level = $1 },
    sql: "UPDATE station SET level = ? WHERE key = ?")
  try changing(
    "read an Int of each object and write it", { $0.level += $1 },
    sql: "UPDATE station SET level = level + ? WHERE key = ?")
  try changing(
    "write a String of each object", { $0.name = $1 % 2 == 0 ? "North" : "South" },
    sql: "UPDATE station SET name = iif(?, 'North', 'South') WHERE key = ?")
  try changing(
    "update two properties by primary key",
    {
      realm.create(
        Station.self, value: ["id": $0.id, "level": $1, "name": "South"], update: .modified)
    },
    sql: """
      INSERT INTO station(level, key, id, name) VALUES (?1, ?2, ?2, 'South')
      ON CONFLICT DO UPDATE SET level = excluded.level, name = excluded.name
      """)
  try changing(
    "write a link of each object", { $0.warden = $1 % 2 == 0 ? nil : ada },
    sql: "UPDATE station SET warden = ? WHERE key = ?")
}
