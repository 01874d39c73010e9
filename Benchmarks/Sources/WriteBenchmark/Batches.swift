import BenchmarkSupport
import Cadastre
import Foundation

/// Compares changes of 100,000 of 200,000 objects by a query with one SQL statement on the same table.
func measureBatches(_ folder: URL) throws {
  header("one of 100,000 objects, by a query", "Cadastre", "SQL")
  let count = 200_000
  let realm = try Realm(configuration: configuration(folder, Item.self))
  let sqlite = PlainSQLite(folder.appendingPathComponent("plain.db").path)
  sqlite.run("PRAGMA synchronous = FULL")
  sqlite.run(
    "CREATE TABLE item (key INTEGER PRIMARY KEY, id INTEGER UNIQUE, grp INTEGER, name TEXT, "
      + "amount REAL)")
  sqlite.run("CREATE INDEX item_group ON item (grp)")
  func fill() throws {
    sqlite.run("DELETE FROM item")
    sqlite.run("BEGIN")
    for id in 0..<count {
      sqlite.insert(
        "INSERT INTO item (name, id, grp, amount) VALUES (?, ?, ?, ?)", ["n\(id)"],
        [Int64(id), Int64(id % 2)], [0])
    }
    sqlite.run("COMMIT")
    try realm.write {
      realm.delete(realm.objects(Item.self))
      for id in 0..<count {
        let item = Item()
        (item.id, item.group, item.name) = (id, id % 2, "n\(id)")
        realm.add(item)
      }
    }
  }
  var amount = 0.0
  func compare(
    _ name: String, before: () throws -> Void = {}, _ change: (Results<Item>) -> Void, _ sql: String
  ) throws {
    var times: (ours: [Double], peer: [Double]) = ([], [])
    for _ in 0..<5 {
      try before()
      amount += 1
      var start = ContinuousClock.now
      try realm.write { change(realm.objects(Item.self).where { $0.group == 1 }) }
      times.ours.append(seconds(since: start))
      start = ContinuousClock.now
      sqlite.run(sql)
      times.peer.append(seconds(since: start))
    }
    let each = 1e9 / Double(count / 2)
    report(name, median(times.ours) * each, sqlite: median(times.peer) * each)
  }
  try fill()
  try compare(
    "set a property, setValue(_:for:)", { $0.setValue(amount, for: \.amount) },
    "UPDATE item SET amount = amount + 1 WHERE grp = 1")
  try compare(
    "set a property, object by object", { for item in Array($0) { item.amount = amount } },
    "UPDATE item SET amount = amount + 1 WHERE grp = 1")
  try compare(
    "delete", before: fill, { $0.realm?.delete($0) }, "DELETE FROM item WHERE grp = 1")
}
