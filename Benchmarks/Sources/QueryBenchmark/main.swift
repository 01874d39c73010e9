import BenchmarkSupport
import Cadastre
import Foundation

// Measures queries on collections, links and full text, compared with SQL on the same file. The
// numbers of hits must be equal; differences are printed.

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let file = folder.appendingPathComponent("a.cadastre")

let people = 100_000
let dogs = 50_000
let words = ["wind", "rain", "snow", "sun", "cloud", "storm", "fog", "hail", "dew", "frost"]
let realm = try Realm(configuration: Realm.Configuration(fileURL: file))
try realm.write {
  let all = (0..<dogs).map { number in
    realm.create(Dog.self, value: ["name": "dog \(number / 10)", "age": number % 15])
  }
  var previous: Person?
  for id in 0..<people {
    let person = Person()
    person.id = id
    person.city = "city \(id % 500)"
    person.dogs.append(objectsIn: (0..<id % 5).map { all[(id * 7 + $0 * 31) % dogs] })
    person.tags.insert("tag \(id % 1000)")
    person.tags.insert("tag \(id % 7)")
    person.scores["a"] = id % 100
    person.friend = previous
    person.story = "\(words[id % 10]) and \(words[id / 10 % 10]) on day \(id)"
    realm.add(person)
    previous = id % 3 == 0 ? person : previous
  }
}
let sqlite = PlainSQLite(file.path)

print("".padding(toLength: 52, withPad: " ", startingAt: 0) + "     ours ns   SQLite ns     ratio")

@MainActor func compare(_ text: String, of type: Object.Type = Person.self, sql: String) {
  let base = realm.dynamicObjects(type.className())
  var (ours, theirs) = (0, 0)
  let time = nanoseconds(rounds: 5, 1) { ours = base.filter(text).count }
  let peer = nanoseconds(rounds: 5, 1) { theirs = Int(sqlite.step(sql)) }
  report(text, time, sqlite: peer)
  if ours != theirs { print("  \(ours) hits, SQLite \(theirs)") }
}

let links = "\"Person.dogs\" c JOIN Dog d ON d.\"#key\" = c.value"
compare("dogs.@count > 3", sql: "SELECT count(*) FROM Person WHERE dogs > 3")
compare(
  "ANY dogs.age > 12",
  sql: "SELECT count(DISTINCT c.owner) FROM \(links) WHERE d.age > 12")
compare(
  "ALL dogs.age > 5",
  sql: "SELECT count(*) FROM Person p WHERE NOT EXISTS "
    + "(SELECT 1 FROM \(links) WHERE c.owner = p.\"#key\" AND d.age <= 5)")
compare(
  "ANY dogs.name == 'dog 77'",
  sql: "SELECT count(DISTINCT c.owner) FROM Dog d JOIN \"Person.dogs\" c ON c.value = d.\"#key\" "
    + "WHERE d.name = 'dog 77'")
compare(
  "SUBQUERY(dogs, $d, $d.age > 5 AND $d.name BEGINSWITH 'dog 1').@count > 1",
  sql: "SELECT count(*) FROM (SELECT c.owner FROM \(links) WHERE d.age > 5 "
    + "AND substr(d.name, 1, 5) = 'dog 1' GROUP BY c.owner HAVING count(*) > 1)")
compare(
  "dogs.@avg.age > 10",
  sql: "SELECT count(*) FROM (SELECT c.owner FROM \(links) GROUP BY c.owner HAVING avg(d.age) > 10)"
)
compare(
  "ANY tags == 'tag 77'",
  sql: "SELECT count(DISTINCT owner) FROM \"Person.tags\" WHERE value = 'tag 77'")
compare(
  "scores['a'] > 90",
  sql: "SELECT count(*) FROM Person p WHERE (SELECT value FROM \"Person.scores\" "
    + "WHERE owner = p.\"#key\" AND key = 'a') > 90")
compare(
  "friend.city == 'city 3'",
  sql:
    "SELECT count(*) FROM Person f JOIN Person p ON p.friend = f.\"#key\" WHERE f.city = 'city 3'")
compare(
  "friend.friend.id < 100",
  sql: "SELECT count(*) FROM Person p JOIN Person f ON f.\"#key\" = p.friend "
    + "JOIN Person g ON g.\"#key\" = f.friend WHERE g.id < 100")
compare(
  "owners.@count == 0", of: Dog.self,
  sql: "SELECT count(*) FROM Dog d WHERE NOT EXISTS "
    + "(SELECT 1 FROM \"Person.dogs\" WHERE value = d.\"#key\")")
compare(
  "ANY owners.city == 'city 3'", of: Dog.self,
  sql:
    "SELECT count(DISTINCT c.value) FROM Person p JOIN \"Person.dogs\" c ON c.owner = p.\"#key\" "
    + "WHERE p.city = 'city 3'")
compare(
  "story TEXT 'wind rain'",
  sql: "SELECT count(*) FROM \"fts_Person.story\" WHERE \"fts_Person.story\" MATCH 'wind AND rain'")
let groups = nanoseconds(1) { _ = realm.objects(Person.self).grouped(by: \.city).count() }
report(
  "grouped(by: city).count()", groups,
  sqlite: nanoseconds(1) {
    sqlite.step(
      "SELECT max(n) FROM (SELECT count(*) n FROM Person NOT INDEXED GROUP BY city)")
  })
