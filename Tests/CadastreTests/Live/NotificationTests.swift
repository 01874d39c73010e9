import CadastreSQLite
import CadastreStore
import Foundation
import Synchronization
import Testing

@testable import Cadastre

/// The content, time and context of notifications.
@Suite struct NotificationTests {
  private let configuration = Shelter.configuration()
  private let here: Corner
  private let there: Corner

  init() throws {
    here = try Corner(configuration)
    there = try Corner(configuration)
    try there.write { realm in
      for id in 1...5 { realm.create(Keeper.self, value: ["id": id, "age": id]) }
      let hound = realm.create(Greyhound.self, value: ["id": 1, "age": 3])
      realm.objects(Keeper.self)[0].dogs.append(hound)
    }
    here.enter { realm in
      realm.refresh()
      // So that each test says when the Realm moves on.
      realm.autorefresh = false
    }
  }

  /// A notification as text.
  private final class Log {
    private(set) var lines: [String] = []
    func note(_ line: String) { lines.append(line) }
    func tell<C: RealmCollection>(_ change: RealmCollectionChange<C>) {
      switch change {
      case .initial(let collection): note("\(collection.count)")
      case .update(_, let deletions, let insertions, let modifications):
        note("-\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): note("\(error)")
      }
    }
    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  private func keeper(_ id: Int, _ realm: Realm) throws -> Keeper {
    try #require(realm.object(ofType: Keeper.self, forPrimaryKey: id))
  }

  @Test func `results tell how they are, and then what has changed`() throws {
    let log = Log()
    let token = here.enter { $0.objects(Keeper.self).where { $0.age > 2 }.observe(log.tell) }
    here.enter { $0.refresh() }
    #expect(log.take() == ["3"])
    try there.write { realm in
      try keeper(3, realm).age = 1
      try keeper(5, realm).age = 7
      realm.create(Keeper.self, value: ["id": 9, "age": 9])
    }
    here.enter { #expect($0.refresh()) }
    #expect(log.take() == ["-[0] +[2] ~[2]"])
    // Commits are coalesced.
    try there.write { try keeper(9, $0).age = 3 }
    try there.write { $0.delete(try keeper(9, $0)) }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[2] +[] ~[]"])
    token.invalidate()
    try there.write { $0.deleteAll() }
    here.enter { $0.refresh() }
    #expect(log.take() == [])
  }

  @Test func `own commits are notified in a later turn of the queue`() throws {
    let log = Log()
    let token = here.enter { realm in
      realm.autorefresh = true
      return realm.objects(Keeper.self).observe(log.tell)
    }
    here.enter { _ in }
    try here.write { $0.create(Keeper.self, value: ["id": 6]) }
    here.enter { _ in }
    try there.write { $0.create(Keeper.self, value: ["id": 7]) }
    // Autorefresh, without a call of refresh.
    here.enter { #expect($0.objects(Keeper.self).count == 7) }
    #expect(log.take() == ["5", "-[] +[5] ~[]", "-[] +[6] ~[]"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `without autorefresh the Realm stays where it is`() throws {
    let log = Log()
    let tokens = here.enter { realm in
      [
        realm.objects(Keeper.self).observe(log.tell),
        realm.observe { notification, _ in log.note("\(notification)") },
      ]
    }
    here.enter { _ in }
    try there.write { $0.create(Keeper.self, value: ["id": 6]) }
    here.enter { #expect($0.objects(Keeper.self).count == 5) }
    #expect(log.take() == ["5", "refreshRequired"])
    here.enter { #expect($0.refresh() && $0.objects(Keeper.self).count == 6) }
    #expect(log.take() == ["didChange", "-[] +[5] ~[]"])
    try here.write { $0.create(Keeper.self, value: ["id": 7]) }
    here.enter { _ in }
    #expect(log.take() == ["didChange", "-[] +[6] ~[]"])
    here.enter { _ in tokens.forEach { $0.invalidate() } }
  }

  @Test func `a write notifies of commits of others before it begins`() throws {
    let log = Log()
    let token = here.enter { realm in
      realm.objects(Keeper.self).observe(log.tell)
    }
    here.enter { $0.refresh() }
    try there.write { $0.create(Keeper.self, value: ["id": 6]) }
    try here.write { _ in #expect(log.take() == ["5", "-[] +[5] ~[]"]) }
    here.enter { _ in token.invalidate() }
  }

  @Test func `tokens in withoutNotifying are not notified, not later either`() throws {
    let (log, other) = (Log(), Log())
    let (token, second) = here.enter { realm in
      let all = realm.objects(Keeper.self)
      return (all.observe(log.tell), all.observe(other.tell))
    }
    here.enter { $0.refresh() }
    try here.enter { realm in
      try realm.write(withoutNotifying: [token]) {
        realm.create(Keeper.self, value: ["id": 6])
      }
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["5"])
    #expect(other.take() == ["5", "-[] +[5] ~[]"])
    try here.write { $0.create(Keeper.self, value: ["id": 7]) }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[] +[6] ~[]"])
    here.enter { _ in [token, second].forEach { $0.invalidate() } }
  }

  @Test func `a write without notifying keeps the earlier changes of an observer`() throws {
    let log = Log()
    var skipped: NotificationToken?
    var isWritten = false
    let token = here.enter { realm in
      realm.objects(Keeper.self).observe { change in
        guard case .update(let keepers, _, _, _) = change, !isWritten, let realm = keepers.realm
        else { return }
        isWritten = true
        do {
          try realm.write(withoutNotifying: [skipped].compactMap { $0 }) {
            realm.create(Keeper.self, value: ["id": 10])
          }
        } catch {
          log.note("\(error)")
        }
      }
    }
    skipped = here.enter { $0.objects(Keeper.self).observe(log.tell) }
    here.enter { $0.refresh() }
    #expect(log.take() == ["5"])
    try there.write { $0.create(Keeper.self, value: ["id": 6]) }
    here.enter { $0.refresh() }
    // The commit of the other Realm had not been delivered when the callback wrote.
    #expect(log.take() == ["-[] +[5, 6] ~[]"])
    here.enter { _ in [token, skipped].forEach { $0?.invalidate() } }
  }

  @Test func `a Realm that is observed as a whole moves with a notification only`() throws {
    let log = Log()
    let token = here.enter { realm in
      realm.autorefresh = true
      return realm.observe { notification, _ in log.note("\(notification)") }
    }
    here.enter { _ in }
    try here.enter { realm in
      try realm.write { realm.create(Keeper.self, value: ["id": 6]) }
      try there.write { $0.create(Keeper.self, value: ["id": 7]) }
      #expect(log.take() == ["didChange"])
      #expect(realm.objects(Keeper.self).count == 6)
    }
    here.enter { #expect($0.objects(Keeper.self).count == 7) }
    #expect(log.take() == ["didChange"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `key paths say which changes are modifications`() throws {
    func told(_ keyPaths: [String]?, _ change: (Realm) throws -> Void) throws -> [String] {
      let log = Log()
      let token = here.enter { $0.objects(Keeper.self).observe(keyPaths: keyPaths, log.tell) }
      here.enter { $0.refresh() }
      try there.write(change)
      here.enter { $0.refresh() }
      here.enter { _ in token.invalidate() }
      return Array(log.take().dropFirst())
    }
    let aged: (Realm) throws -> Void = { $0.objects(Greyhound.self)[0].age += 1 }
    let joined: (Realm) throws -> Void = { realm in
      try keeper(2, realm).dogs.append(
        realm.create(Greyhound.self, value: ["id": 2 + realm.objects(Greyhound.self).count]))
    }
    #expect(try told(nil, aged) == ["-[] +[] ~[0]"])
    #expect(try told([], aged) == [])
    #expect(try told(["dogs"], aged) == [])
    #expect(try told(["dogs.age"], aged) == ["-[] +[] ~[0]"])
    #expect(try told(["dogs.stamp", "age"], aged) == [])
    #expect(try told(["dogs"], joined) == ["-[] +[] ~[1]"])
    #expect(try told(["dogs.age"], joined) == ["-[] +[] ~[1]"])
    #expect(try told(["age"], joined) == [])
    #expect(
      try told(["age"]) { realm in realm.create(Keeper.self, value: ["id": 77]) } == [
        "-[] +[5] ~[]"
      ])
    let sent = Log()
    let token = here.enter {
      $0.objects(Greyhound.self).observe(keyPaths: [\Greyhound.age], sent.tell)
    }
    here.enter { $0.refresh() }
    try there.write { $0.objects(Greyhound.self)[0].stamp = 99 }
    try there.write(aged)
    here.enter { $0.refresh() }
    #expect(sent.take().last == "-[] +[] ~[0]")
    here.enter { _ in token.invalidate() }
  }

  @Test func `a key path back along links`() throws {
    let log = Log()
    let token = here.enter { realm in
      realm.objects(Greyhound.self).observe(keyPaths: ["owners.age"], log.tell)
    }
    here.enter { $0.refresh() }
    try there.write { try keeper(2, $0).age = 11 }
    here.enter { $0.refresh() }
    #expect(log.take() == ["1"])
    try there.write { try keeper(1, $0).age = 11 }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[] +[] ~[0]"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `an object reports which properties changed`() throws {
    let log = Log()
    let token = try here.enter { realm in
      try keeper(1, realm).observe { change in
        switch change {
        case .change(let keeper, let properties):
          for property in properties.sorted(by: { $0.name < $1.name }) {
            log.note(
              "\(keeper.id) \(property.name) \(property.oldValue ?? "-") \(property.newValue ?? "-")"
            )
          }
        case .deleted: log.note("deleted")
        case .error(let error): log.note("\(error)")
        }
      }
    }
    try there.write { realm in
      let keeper = try keeper(1, realm)
      keeper.age = 8
      keeper.stamp = 3
      keeper.tags.insert("new")
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["1 age 1 8", "1 stamp 0 3", "1 tags - -"])
    // One's own changes come without the values before.
    try here.write { try keeper(1, $0).age = 9 }
    here.enter { $0.refresh() }
    #expect(log.take() == ["1 age - 9"])
    // Setting the same value is a change; changes of a linked object are not.
    try there.write { realm in
      try keeper(1, realm).age = 9
      realm.objects(Greyhound.self)[0].age = 50
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["1 age 9 9"])
    try there.write { $0.delete(try keeper(1, $0)) }
    here.enter { $0.refresh() }
    #expect(log.take() == ["deleted"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `an object reports key paths over links`() throws {
    let log = Log()
    let token = try here.enter { realm in
      try keeper(1, realm).observe(keyPaths: ["dogs.age"]) { change in
        if case .change(_, let properties) = change { log.note("\(properties.map(\.name))") }
      }
    }
    try there.write { try keeper(1, $0).age = 8 }
    here.enter { $0.refresh() }
    #expect(log.take() == [])
    try there.write { $0.objects(Greyhound.self)[0].age = 50 }
    here.enter { $0.refresh() }
    #expect(log.take() == ["[\"dogs\"]"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `a map reports its keys`() throws {
    let log = Log()
    func note<M: RealmKeyedCollection>(_ change: RealmMapChange<M>) {
      switch change {
      case .initial(let map): log.note("\(map.count)")
      case .update(_, let deletions, let insertions, let modifications):
        log.note("-\(deletions) +\(insertions) ~\(modifications)")
      case .error: break
      }
    }
    let tokens = try here.enter { realm in
      let keeper = try keeper(1, realm)
      return [keeper.marks.observe(note), keeper.walks.observe(note)]
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["0", "0"])
    try there.write { realm in
      let keeper = try keeper(1, realm)
      keeper.marks["b"] = 1
      keeper.marks["a"] = 2
      keeper.walks["park"] = realm.objects(Greyhound.self)[0]
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[] +[\"a\", \"b\"] ~[]", "-[] +[\"park\"] ~[]"])
    try there.write { realm in
      let keeper = try keeper(1, realm)
      keeper.marks["b"] = nil
      keeper.marks["a"] = 3
      realm.objects(Greyhound.self)[0].age += 1
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[\"b\"] +[] ~[\"a\"]", "-[] +[] ~[\"park\"]"])
    try there.write { $0.delete($0.objects(Greyhound.self)) }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[] +[] ~[\"park\"]"])
    here.enter { _ in tokens.forEach { $0.invalidate() } }
  }

  @Test func `a map reports keys by bytes, however Swift compares them`() throws {
    let log = Log()
    try there.write { try keeper(1, $0).marks["\u{e9}"] = 1 }
    here.enter { $0.refresh() }
    let token = try here.enter { realm in
      try keeper(1, realm).marks.observe { change in
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
          return
        }
        log.note(
          "-\(deletions.count) +\(insertions.map { Array($0.utf8) }) ~\(modifications.count)")
      }
    }
    here.enter { $0.refresh() }
    try there.write { try keeper(1, $0).marks["e\u{301}"] = 2 }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-0 +[[101, 204, 129]] ~0"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `sections by NaN report their elements`() throws {
    let log = Log()
    let token = here.enter { realm in
      realm.objects(Keeper.self)
        .sectioned(by: { $0.age > 3 ? Double.nan : -.nan }, sortDescriptors: ["age"])
        .observe { change in
          switch change {
          case .initial(let sections): log.note("\(sections.map(\.count))")
          case .update(_, let deletions, let insertions, let modifications, let come, let gone):
            log.note(
              "-\(deletions.count) +\(insertions.map { Array($0) }) ~\(modifications.count) "
                + "\(Array(come)) \(Array(gone))")
          }
        }
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["[5]"])
    try there.write { _ = $0.create(Keeper.self, value: ["id": 9, "age": 9]) }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-0 +[[0, 5]] ~0 [] []"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `sections tell paths`() throws {
    let log = Log()
    let token = here.enter { realm in
      realm.objects(Keeper.self).sectioned(by: { $0.age / 3 }, sortDescriptors: ["age"])
        .observe { change in
          switch change {
          case .initial(let sections): log.note("\(sections.map { "\($0.key):\($0.count)" })")
          case .update(
            _, let deletions, let insertions, let modifications, let come, let gone):
            let paths = [deletions, insertions, modifications].map { $0.map(Array.init) }
            log.note("-\(paths[0]) +\(paths[1]) ~\(paths[2]) ++\(Array(come)) --\(Array(gone))")
          }
        }
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["[\"0:2\", \"1:3\"]"])
    try there.write { try keeper(1, $0).age = 9 }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[[0, 0]] +[[2, 0]] ~[] ++[2] --[]"])
    try there.write { realm in
      try keeper(2, realm).age = 3
      try keeper(5, realm).stamp = 1
    }
    here.enter { $0.refresh() }
    #expect(log.take() == ["-[] +[[0, 0]] ~[[1, 2]] ++[] --[0]"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `a callback may write, and is notified of it later`() throws {
    let log = Log()
    let token = here.enter { realm in
      realm.objects(Keeper.self).observe { change in
        log.tell(change)
        #expect(!realm.refresh() && !realm.isInWriteTransaction)
        guard case .update(let all, _, _, _) = change, all.count < 8 else { return }
        _ = try? realm.write { realm.create(Keeper.self, value: ["id": 100 + all.count]) }
      }
    }
    here.enter { $0.refresh() }
    try there.write { $0.create(Keeper.self, value: ["id": 6]) }
    here.enter { $0.refresh() }
    for _ in 0..<4 { here.enter { _ in } }
    #expect(log.take() == ["5", "-[] +[5] ~[]", "-[] +[6] ~[]", "-[] +[7] ~[]"])
    here.enter { _ in token.invalidate() }
  }

  @Test func `on another queue the objects belong to that queue`() throws {
    let log = Mutex<[String]>([])
    let queue = DispatchQueue(label: "notified")
    let token = here.enter { realm in
      realm.objects(Keeper.self).where { $0.age > 3 }.observe(on: queue) { change in
        dispatchPrecondition(condition: .onQueue(queue))
        switch change {
        case .initial(let all): log.withLock { $0.append("\(Array(all.map(\.age)))") }
        case .update(let all, _, let insertions, _):
          log.withLock { $0.append("\(insertions.map { all[$0].age })") }
        case .error: break
        }
      }
    }
    queue.sync {}
    queue.sync {}
    try there.write { $0.create(Keeper.self, value: ["id": 6, "age": 60]) }
    queue.sync {}
    #expect(log.withLock { $0 } == ["[4, 5]", "[60]"])
    token.invalidate()
    try there.write { $0.create(Keeper.self, value: ["id": 7, "age": 70]) }
    queue.sync {}
    #expect(log.withLock { $0 }.count == 2)
  }

  @Test func `cost follows the size of the change`() throws {
    // Rows tested and statements run do not depend on how many objects there are.
    func statements(_ count: Int) throws -> Int {
      let configuration = Shelter.configuration()
      let (reader, writer) = (try Corner(configuration), try Corner(configuration))
      try writer.write { realm in
        for id in 1...count { realm.create(Keeper.self, value: ["id": id, "age": id % 10]) }
      }
      let log = Log()
      let tokens = reader.enter { realm in
        realm.autorefresh = false
        let all = realm.objects(Keeper.self)
        return [
          all.observe(log.tell), all.where { $0.age > 4 }.observe(log.tell),
          all.sorted(by: \.age).observe(log.tell),
        ]
      }
      reader.enter { $0.refresh() }
      // Each version is read through one connection of a few, which count their statements.
      var counts: [ObjectIdentifier: Int] = [:]
      var run = 0
      for round in 0..<6 {
        try writer.write { $0.create(Keeper.self, value: ["id": -round, "age": 5]) }
        reader.enter { realm in
          realm.refresh()
          guard let connection = try? realm.core.currentReader().connection else { return }
          run = connection.statementsRun - (counts[ObjectIdentifier(connection)] ?? 0)
          counts[ObjectIdentifier(connection)] = connection.statementsRun
        }
      }
      #expect(log.take().count == 3 + 6 * 3)
      reader.enter { _ in tokens.forEach { $0.invalidate() } }
      return run
    }
    let (few, many) = (try statements(100), try statements(3000))
    // The position in an order is found by binary search, and the check for commits of other
    // processes may read through the same connection.
    #expect(many <= few + 80, "\(few) \(many)")
  }
}
