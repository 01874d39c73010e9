import BenchmarkSupport
import Cadastre
import Foundation

// Measures a change of one object: the delivery of its notification, and the incremental update of
// live results, compared with a new query. The cost should depend on the change, not on the number
// of results.

class Reading: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var level = 0
  @Persisted var note = ""
}

/// A queue with its own realm.
final class RealmQueue {
  let queue = DispatchQueue(label: "realm")
  let realm: Realm

  init(_ configuration: Realm.Configuration) throws {
    let queue = queue
    realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
  }

  func sync<Result>(_ body: (Realm) throws -> Result) rethrows -> Result {
    try queue.sync { try body(realm) }
  }
}

func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body).components
  return Double(time.seconds) * 1e9 + Double(time.attoseconds) / 1e9
}

func line(_ name: String, _ times: [Double]) {
  let columns = times.map { time in
    let text = String(format: "%.1f", time / 1000)
    return String(repeating: " ", count: max(0, 14 - text.count)) + text
  }
  print(name.padding(toLength: 52, withPad: " ", startingAt: 0) + columns.joined())
}

let sizes = [100, 10_000, 1_000_000]
print(
  "microseconds, medians; results:".padding(toLength: 52, withPad: " ", startingAt: 0),
  terminator: "")
print(
  sizes.map { size in
    let text = "\(size)"
    return String(repeating: " ", count: 14 - text.count) + text
  }.joined())

var table: [String: [Double]] = [:]
let queries: [(String, (Realm) -> Results<Reading>)] = [
  ("all", { $0.objects(Reading.self) }),
  ("filtered", { $0.objects(Reading.self).where { $0.level < 900 } }),
  ("sorted", { $0.objects(Reading.self).sorted(byKeyPath: "level") }),
]
for size in sizes {
  let configuration = Realm.Configuration(inMemoryIdentifier: "size \(size)")
  let (reader, writer) = (try RealmQueue(configuration), try RealmQueue(configuration))
  try writer.sync { realm in
    try realm.write {
      for id in 0..<size {
        realm.create(Reading.self, value: ["id": id, "level": id &* 7919 % 1000, "note": "n\(id)"])
      }
    }
  }
  reader.sync { $0.autorefresh = false }
  var next = size
  func insertOne() throws {
    next += 1
    _ = try writer.sync { realm in
      try realm.write { realm.create(Reading.self, value: ["id": next, "level": next % 1000]) }
    }
  }
  for (name, query) in queries {
    var notifications = 0
    let token = reader.sync { realm in query(realm).observe { _ in notifications += 1 } }
    _ = reader.sync { $0.refresh() }
    var times: [Double] = []
    for _ in 0..<15 {
      try insertOne()
      times.append(reader.sync { realm in nanoseconds { realm.refresh() } })
    }
    reader.sync { _ in token.invalidate() }
    table["notification of one insertion, \(name)", default: []].append(median(times))
    guard notifications == 16 else { fatalError("\(notifications) notifications, expected 16") }

    let live = reader.sync { query($0) }
    _ = reader.sync { _ in live.last }
    times = []
    var sum = 0
    var requeried: [Double] = []
    for _ in 0..<7 {
      try insertOne()
      reader.sync { realm in
        realm.refresh()
        times.append(nanoseconds { sum &+= live.last?.id ?? 0 })
        let fresh = query(realm)
        requeried.append(nanoseconds { sum &+= fresh.last?.id ?? 0 })
      }
    }
    table["live results updated, \(name)", default: []].append(median(times))
    table["new query, \(name)", default: []].append(median(requeried))
  }
  guard size == 10_000 else { continue }
  // A thousand live results of one realm, and one more object.
  let many = reader.sync { realm in
    (0..<1000).map { number in realm.objects(Reading.self).where { $0.level < number } }
  }
  reader.sync { _ in for results in many { _ = results.last } }
  var (times, requeried) = ([Double](), [Double]())
  for _ in 0..<5 {
    try insertOne()
    reader.sync { realm in
      realm.refresh()
      times.append(nanoseconds { for results in many { _ = results.last } })
      let fresh = (0..<1000).map { number in realm.objects(Reading.self).where { $0.level < number }
      }
      requeried.append(nanoseconds { for results in fresh { _ = results.last } })
    }
  }
  print(
    "1,000 live results of 10,000 objects after one insertion: \(Int(median(times) / 1000)) us, "
      + "new queries \(Int(median(requeried) / 1000)) us")
}
for name in table.keys.sorted() { line(name, table[name] ?? []) }
