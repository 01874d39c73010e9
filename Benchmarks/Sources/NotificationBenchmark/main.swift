import BenchmarkSupport
import Cadastre
import Foundation

// What it costs to follow a change of one object: to be told of it, and to read live results again, beside
// asking the same question anew. The cost should follow the change, not the number of results.

class Reading: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var level = 0
  @Persisted var note = ""
}

/// A place for a Realm of its own.
final class Corner {
  let queue = DispatchQueue(label: "corner")
  let realm: Realm

  init(_ configuration: Realm.Configuration) throws {
    let queue = queue
    realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
  }

  func enter<Result>(_ body: (Realm) throws -> Result) rethrows -> Result {
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
let questions: [(String, (Realm) -> Results<Reading>)] = [
  ("all", { $0.objects(Reading.self) }),
  ("filtered", { $0.objects(Reading.self).where { $0.level < 900 } }),
  ("sorted", { $0.objects(Reading.self).sorted(byKeyPath: "level") }),
]
for size in sizes {
  let configuration = Realm.Configuration(inMemoryIdentifier: "size \(size)")
  let (reader, writer) = (try Corner(configuration), try Corner(configuration))
  try writer.enter { realm in
    try realm.write {
      for id in 0..<size {
        realm.create(Reading.self, value: ["id": id, "level": id &* 7919 % 1000, "note": "n\(id)"])
      }
    }
  }
  reader.enter { $0.autorefresh = false }
  var next = size
  func insertOne() throws {
    next += 1
    try writer.enter { realm in
      try realm.write { realm.create(Reading.self, value: ["id": next, "level": next % 1000]) }
    }
  }
  for (name, question) in questions {
    var told = 0
    let token = reader.enter { realm in question(realm).observe { _ in told += 1 } }
    _ = reader.enter { $0.refresh() }
    var times: [Double] = []
    for _ in 0..<15 {
      try insertOne()
      times.append(reader.enter { realm in nanoseconds { realm.refresh() } })
    }
    reader.enter { _ in token.invalidate() }
    table["told of one insertion, \(name)", default: []].append(median(times))
    guard told == 16 else { fatalError("told \(told) times") }

    let live = reader.enter { question($0) }
    _ = reader.enter { _ in live.last }
    (times, told) = ([], 0)
    var anew: [Double] = []
    for _ in 0..<7 {
      try insertOne()
      reader.enter { realm in
        realm.refresh()
        times.append(nanoseconds { told &+= live.last?.id ?? 0 })
        let fresh = question(realm)
        anew.append(nanoseconds { told &+= fresh.last?.id ?? 0 })
      }
    }
    table["live results read again, \(name)", default: []].append(median(times))
    table["the same question anew, \(name)", default: []].append(median(anew))
  }
  guard size == 10_000 else { continue }
  // A thousand results of one Realm, and one object more.
  let many = reader.enter { realm in
    (0..<1000).map { number in realm.objects(Reading.self).where { $0.level < number } }
  }
  reader.enter { _ in for results in many { _ = results.last } }
  var (times, anew) = ([Double](), [Double]())
  for _ in 0..<5 {
    try insertOne()
    reader.enter { realm in
      realm.refresh()
      times.append(nanoseconds { for results in many { _ = results.last } })
      let fresh = (0..<1000).map { number in realm.objects(Reading.self).where { $0.level < number }
      }
      anew.append(nanoseconds { for results in fresh { _ = results.last } })
    }
  }
  print(
    "1,000 live results of 10,000 objects after one insertion: \(Int(median(times) / 1000)) us, "
      + "asked anew \(Int(median(anew) / 1000)) us")
}
for name in table.keys.sorted() { line(name, table[name] ?? []) }
