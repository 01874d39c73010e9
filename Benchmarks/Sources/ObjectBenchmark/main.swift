import BenchmarkSupport
import Cadastre
import Foundation

// Measures reads and writes of properties and collections, for one object and for lists of many
// elements, compared with prepared statements on SQLite. Nanoseconds per operation, medians of 7
// rounds.

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

let realm = try Realm(
  configuration: Realm.Configuration(fileURL: folder.appendingPathComponent("a.cadastre")))
let sqlite = PlainSQLite(folder.appendingPathComponent("b.sqlite").path)
sqlite.run("CREATE TABLE person(key INTEGER PRIMARY KEY, age INTEGER, name TEXT, friend INTEGER)")
sqlite.run(
  "CREATE TABLE marks(owner INTEGER, position INTEGER, value INTEGER, "
    + "PRIMARY KEY (owner, position)) WITHOUT ROWID")
sqlite.run("INSERT INTO person VALUES (1, 3, 'Ada', 2), (2, 4, 'Bob', 1)")

let ada = Person(value: ["id": 1, "age": 3, "name": "Ada", "friend": ["id": 2, "name": "Bob"]])
try realm.write { realm.add(ada) }
let bob = ada.friend

print("".padding(toLength: 52, withPad: " ", startingAt: 0) + "     ours ns   SQLite ns     ratio")
let many = 100_000
var sum = 0
report("read an Int property", nanoseconds(many) { for _ in 0..<many { sum &+= ada.age } })
report(
  "read a String property", nanoseconds(many) { for _ in 0..<many { sum &+= ada.name.utf8.count } })
report(
  "read a link property",
  nanoseconds(many) { for _ in 0..<many { sum &+= ada.friend == nil ? 0 : 1 } })
report(
  "an object by primary key, one property read",
  nanoseconds(many) {
    for _ in 0..<many { sum &+= realm.object(ofType: Person.self, forPrimaryKey: 2)?.age ?? 0 }
  },
  sqlite: nanoseconds(many) {
    sqlite.run("BEGIN")
    for _ in 0..<many { sum &+= Int(sqlite.step("SELECT age FROM person WHERE key = ?", 2)) }
    sqlite.run("COMMIT")
  })

let few = 10_000
try measureTransactions(realm, sqlite, ada, few)

realm.beginWrite()
sqlite.run("BEGIN")
for size in [1_000, 1_000_000] {
  let owner = realm.create(Person.self, value: ["id": 10 + size])
  owner.marks.append(objectsIn: 0..<size)
  for position in 0..<size {
    sqlite.step("INSERT INTO marks VALUES (?, ?, 7)", Int64(size), Int64(position) << 24)
  }
  let marks = owner.marks
  let name = "a list of \(size)"
  var end = Int64(size) << 24
  // Each round restores the length of the list.
  let short = size / 10
  var appended: [Double] = []
  var peer: [Double] = []
  for _ in 0..<7 {
    appended.append(
      nanoseconds(rounds: 1, short) { for step in 0..<short { owner.marks.append(step) } })
    marks.removeLast(short)
    peer.append(
      nanoseconds(rounds: 1, short) {
        for _ in 0..<short {
          end += 1 << 24
          sqlite.step("INSERT INTO marks VALUES (?, ?, 7)", Int64(size), end)
        }
      })
    sqlite.step(
      "DELETE FROM marks WHERE owner = ? AND position >= ?", Int64(size), Int64(size) << 24)
  }
  report("\(name): append an Int", appended.sorted()[3], sqlite: peer.sorted()[3])
  report("\(name): count", nanoseconds(few) { for _ in 0..<few { sum &+= marks.count } })
  report("\(name): last", nanoseconds(few) { for _ in 0..<few { sum &+= marks.last ?? 0 } })
  report("\(name): first random access", nanoseconds(rounds: 1, 1) { sum &+= marks[size / 2] })
  var random = SystemRandomNumberGenerator()
  report(
    "\(name): random access",
    nanoseconds(few) {
      for _ in 0..<few { sum &+= marks[Int.random(in: 0..<size, using: &random)] }
    })
  let indexes = (0..<100).map { _ in Int.random(in: 0..<size, using: &random) }
  report(
    "\(name): insert at a random index and remove",
    nanoseconds(2 * indexes.count) {
      for index in indexes { marks.insert(1, at: index) }
      for index in indexes.reversed() { marks.remove(at: index) }
    })
  report(
    "\(name): iterate, an element",
    nanoseconds(rounds: 3, marks.count) { for mark in marks { sum &+= mark } },
    sqlite: nanoseconds(rounds: 3, marks.count) {
      sum &+= Int(sqlite.step("SELECT sum(value) FROM marks WHERE owner = ?", Int64(size)))
    })
}

let words = ada.words
var next = 0
report(
  "a set: insert a String",
  nanoseconds(few) {
    for _ in 0..<few {
      words.insert("word\(next)")
      next += 1
    }
  })
report(
  "a set: contains",
  nanoseconds(few) { for step in 0..<few { sum &+= words.contains("word\(step)") ? 1 : 0 } })
let parks = ada.parks
report("a map: set a key", nanoseconds(few) { for step in 0..<few { parks["k\(step)"] = step } })
report(
  "a map: read a key", nanoseconds(few) { for step in 0..<few { sum &+= parks["k\(step)"] ?? 0 } })
sqlite.run("COMMIT")
try realm.commitWrite()
try realm.write { for id in 0..<200_000 { realm.add(Person(value: [10_000_000 + id, id, "x"])) } }
let people = realm.objects(Person.self)
let count = people.count
report(
  "iterate objects, one Int read",
  nanoseconds(rounds: 3, count) { for person in people { sum &+= person.age } },
  sqlite: nanoseconds(rounds: 3, count) {
    sqlite.run("BEGIN")
    for key in 0..<count {
      sum &+= Int(sqlite.step("SELECT age FROM person WHERE key = ?", Int64(key)))
    }
    sqlite.run("COMMIT")
  })
print("(\(sum))")
