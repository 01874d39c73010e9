import BenchmarkSupport
import Cadastre
import Foundation

// Measures schema migrations of a store of many objects, compared with the same change in SQL on a
// table with the same columns.

enum First {
  class Reading: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: Int
    @Persisted var note: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

enum Added {
  class Reading: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: Int
    @Persisted var note: String
    @Persisted var weight: Double
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

enum Renamed {
  class Reading: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level: Int
    @Persisted var remark: String
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}

// A smaller number of objects, for profiles, is the first argument.
let count = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 1_000_000
let rounds = 3
let folder = FileManager.default.temporaryDirectory
  .appendingPathComponent("cadastre-migration-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

/// Migrates the store to the next schema version.
var version: UInt64 = 0
@MainActor func migrate(_ type: ObjectBase.Type, _ block: MigrationBlock? = nil) throws {
  version += 1
  try Realm.performMigration(
    for: Realm.Configuration(
      fileURL: folder.appendingPathComponent("store.cadastre"), schemaVersion: version,
      migrationBlock: block, objectTypes: [type]))
}

try {
  let realm = try Realm(
    configuration: Realm.Configuration(
      fileURL: folder.appendingPathComponent("store.cadastre"), objectTypes: [First.Reading.self]))
  try realm.write {
    for number in 0..<count {
      realm.create(First.Reading.self, value: [number, number % 1000, "note \(number)"])
    }
  }
}()
let sqlite = PlainSQLite(folder.appendingPathComponent("plain.db").path)
sqlite.run("CREATE TABLE reading(key INTEGER PRIMARY KEY, id INTEGER, level INTEGER, note TEXT)")
sqlite.run("CREATE UNIQUE INDEX reading_id ON reading(id)")
sqlite.run("BEGIN")
for number in 0..<count {
  sqlite.insert(
    "INSERT INTO reading(note, id, level) VALUES (?, ?, ?)", ["note \(number)"],
    [Int64(number), Int64(number % 1000)], [])
}
sqlite.run("COMMIT")

/// Prints the median milliseconds of Cadastre and of SQLite.
func line(_ name: String, _ ours: [Double], _ peer: [Double]) {
  func text(_ times: [Double]) -> String {
    let text = String(format: "%.1f", times.sorted()[times.count / 2] / 1e6)
    return String(repeating: " ", count: max(0, 12 - text.count)) + text
  }
  print(name.padding(toLength: 52, withPad: " ", startingAt: 0) + text(ours) + text(peer))
}

print(
  "milliseconds, medians; \(count) objects".padding(toLength: 52, withPad: " ", startingAt: 0)
    + "    Cadastre      SQLite")
var times: [String: (ours: [Double], peer: [Double])] = [:]
for _ in 0..<rounds {
  @MainActor func measure(_ name: String, _ ours: () throws -> Void, _ peer: () -> Void) rethrows {
    let mine = try nanoseconds(rounds: 1, 1, ours)
    times[name, default: ([], [])].ours.append(mine)
    times[name, default: ([], [])].peer.append(nanoseconds(rounds: 1, 1, peer))
  }
  try measure("a property is added") {
    try migrate(Added.Reading.self)
  } _: {
    sqlite.run("ALTER TABLE reading ADD COLUMN weight REAL DEFAULT 0.0")
  }
  try measure("each object is visited, and a property set") {
    try migrate(Added.Reading.self) { migration, _ in
      migration.enumerateObjects(ofType: "Reading") { old, new in
        new?["weight"] = Double(old?["level"] as? Int ?? 0)
      }
    }
  } _: {
    sqlite.run("UPDATE reading SET weight = level")
  }
  try measure("a property is removed") {
    try migrate(First.Reading.self)
  } _: {
    sqlite.run("ALTER TABLE reading DROP COLUMN weight")
  }
  try measure("a property is renamed") {
    try migrate(Renamed.Reading.self) { migration, _ in
      migration.renameProperty(onType: "Reading", from: "note", to: "remark")
    }
  } _: {
    sqlite.run("ALTER TABLE reading ADD COLUMN remark TEXT DEFAULT ''")
    sqlite.run("UPDATE reading SET remark = note")
    sqlite.run("ALTER TABLE reading DROP COLUMN note")
  }
  try migrate(First.Reading.self) { migration, _ in
    migration.renameProperty(onType: "Reading", from: "remark", to: "note")
  }
  sqlite.run("ALTER TABLE reading RENAME COLUMN remark TO note")
}
let names = [
  "a property is added", "each object is visited, and a property set", "a property is removed",
  "a property is renamed",
]
for name in names { line(name, times[name]?.ours ?? [], times[name]?.peer ?? []) }
let realm = try Realm(
  configuration: Realm.Configuration(
    fileURL: folder.appendingPathComponent("store.cadastre"), schemaVersion: version,
    objectTypes: [First.Reading.self]))
guard realm.objects(First.Reading.self).where({ $0.note == "note \(count / 2)" }).count == 1 else {
  fatalError("the migrated objects differ from the original ones")
}
