import CadastreTestSupport
import Foundation
import Testing
import TestingSupport

@testable import Cadastre

/// Loops over numbers of many objects while these change, against a dictionary.
@Suite struct NumberLoopTests {
  final class Gauge: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var level = 0
    @Persisted var share = 0.0
    @Persisted var isOpen = false
    @Persisted var limit: Int?
    @Persisted var depth: Double?
    @Persisted var small: Int16 = 0
  }

  struct Row: Equatable {
    var level = 0
    var share = 0.0
    var isOpen = false
    var limit: Int?
    var depth: Double?
    var small: Int16 = 0

    init(_ gauge: Gauge) {
      (level, share, isOpen) = (gauge.level, gauge.share, gauge.isOpen)
      (limit, depth, small) = (gauge.limit, gauge.depth, gauge.small)
    }

    init(random generator: inout SeededGenerator) {
      level = generator.below(1_000_000) - 500_000
      share = generator.pick([0, -0.0, 0.1, .infinity, 1e-300]) * Double(generator.below(3) + 1)
      isOpen = generator.oneIn(2)
      limit = generator.oneIn(3) ? nil : generator.below(100)
      depth = generator.oneIn(3) ? nil : Double(generator.below(100)) / 7
      small = Int16(generator.below(60_000) - 30_000)
    }

    func fill(_ gauge: Gauge) {
      (gauge.level, gauge.share, gauge.isOpen) = (level, share, isOpen)
      (gauge.limit, gauge.depth, gauge.small) = (limit, depth, small)
    }
  }

  private func configuration() -> Realm.Configuration {
    Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [Gauge.self])
  }

  private func add(
    _ ids: Range<Int>, to realm: Realm, _ rows: inout [Int: Row],
    _ generator: inout SeededGenerator
  ) {
    for id in ids {
      let row = Row(random: &generator)
      let gauge = Gauge()
      gauge.id = id
      row.fill(gauge)
      realm.add(gauge)
      rows[id] = row
    }
  }

  /// Compares all objects, in loops over results and over objects that are held.
  private func check(_ realm: Realm, _ rows: [Int: Row], held: [Gauge], _ what: String) {
    var found: [Int: Row] = [:]
    for gauge in realm.objects(Gauge.self) { found[gauge.id] = Row(gauge) }
    #expect(found == rows, "\(what)")
    let valid = held.filter { !$0.isInvalidated }
    for gauge in valid { #expect(rows[gauge.id] == Row(gauge), "\(what)") }
    // One property at a time, so that consecutive objects are read.
    #expect(valid.map(\.level) == valid.map { rows[$0.id]?.level ?? 0 }, "\(what)")
  }

  @Test(arguments: Seeds.usual(1...4))
  func `loops read what was written last`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let realm = try Realm(configuration: configuration())
    var rows: [Int: Row] = [:]
    try realm.write { add(0..<60, to: realm, &rows, &generator) }
    var nextID = 60
    var held = Array(realm.objects(Gauge.self))
    check(realm, rows, held: held, "new")
    for round in 0..<60 {
      let before = rows
      let isCancelled = generator.oneIn(6)
      realm.beginWrite()
      for _ in 0...generator.below(3) {
        let id = generator.pick(rows.keys.sorted())
        let gauge = try #require(realm.object(ofType: Gauge.self, forPrimaryKey: id))
        switch generator.below(4) {
        case 0:
          add(nextID..<nextID + 3, to: realm, &rows, &generator)
          nextID += 3
        case 1:
          let same = held.filter { !$0.isInvalidated && $0.id == id }
          realm.delete(gauge)
          rows[id] = nil
          #expect(same.allSatisfy { $0.isInvalidated })
        default:
          let row = Row(random: &generator)
          row.fill(gauge)
          rows[id] = row
        }
        if generator.oneIn(2) {
          check(realm, rows, held: held, "seed \(seed), round \(round), in the transaction")
        }
      }
      if isCancelled {
        realm.cancelWrite()
        rows = before
      } else {
        try realm.commitWrite()
      }
      check(realm, rows, held: held, "seed \(seed), round \(round)")
      if generator.oneIn(3) { held = Array(realm.objects(Gauge.self)) }
    }
  }

  @Test func `loops see the commits of other threads after a refresh`() throws {
    var generator = SeededGenerator(seed: 5)
    let configuration = configuration()
    let realm = try Realm(configuration: configuration)
    realm.autorefresh = false
    var rows: [Int: Row] = [:]
    try realm.write { add(0..<200, to: realm, &rows, &generator) }
    let held = Array(realm.objects(Gauge.self))
    let frozen = realm.objects(Gauge.self).freeze()
    check(realm, rows, held: held, "before")
    let before = rows
    let changed = Dictionary(
      uniqueKeysWithValues: stride(from: 0, to: 200, by: 3).map { ($0, Row(random: &generator)) })
    try onNewThread {
      guard let other = try? Realm(configuration: configuration) else { return }
      try? other.write {
        for gauge in other.objects(Gauge.self) { changed[gauge.id]?.fill(gauge) }
      }
    }
    check(realm, rows, held: held, "before the refresh")
    realm.refresh()
    rows.merge(changed) { $1 }
    check(realm, rows, held: held, "after the refresh")
    #expect(Dictionary(uniqueKeysWithValues: frozen.map { ($0.id, Row($0)) }) == before)
  }

  @Test func `several threads loop over one frozen result`() throws {
    var generator = SeededGenerator(seed: 6)
    let realm = try Realm(configuration: configuration())
    var rows: [Int: Row] = [:]
    try realm.write { add(0..<500, to: realm, &rows, &generator) }
    // Safe because frozen objects may be read by all threads.
    nonisolated(unsafe) let frozen = realm.objects(Gauge.self).freeze()
    nonisolated(unsafe) let objects = Array(frozen)
    let expected = rows
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<5 {
        let areEqual = objects.allSatisfy { expected[$0.id] == Row($0) }
        let areLevel = frozen.allSatisfy { expected[$0.id]?.level == $0.level }
        #expect(areEqual && areLevel)
      }
    }
  }

  @Test @MainActor func `loops on an actor read the numbers`() async throws {
    var generator = SeededGenerator(seed: 7)
    let realm = try await Realm(configuration: configuration(), actor: MainActor.shared)
    var rows: [Int: Row] = [:]
    try realm.write { add(0..<100, to: realm, &rows, &generator) }
    check(realm, rows, held: Array(realm.objects(Gauge.self)), "actor")
  }

  @Test func `an invalidated Realm's objects are invalidated`() throws {
    var generator = SeededGenerator(seed: 8)
    let realm = try Realm(configuration: configuration())
    var rows: [Int: Row] = [:]
    try realm.write { add(0..<100, to: realm, &rows, &generator) }
    let held = Array(realm.objects(Gauge.self))
    #expect(held.reduce(0) { $0 + $1.level } == rows.values.reduce(0) { $0 + $1.level })
    realm.invalidate()
    #expect(held.allSatisfy { $0.isInvalidated })
    check(realm, rows, held: Array(realm.objects(Gauge.self)), "after the invalidation")
  }
}
