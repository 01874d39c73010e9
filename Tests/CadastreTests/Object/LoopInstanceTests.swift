import Foundation
import Testing
import TestingSupport

@testable import Cadastre

/// The instances of a loop, which are used again where only the loop refers to them.
///
/// The expected values are those that were stored, by the index of the object.
@Suite struct LoopInstanceTests {
  final class Stone: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name = ""
    @Persisted var kernel: Kernel?
    @Persisted var next: Stone?
    @Persisted var layers: List<Int>
    @Persisted(originProperty: "next") var previous: LinkingObjects<Stone>
  }

  final class Kernel: EmbeddedObject {
    @Persisted var depth = 0
  }

  final class Noted: Object {
    @Persisted(primaryKey: true) var id = 0
    var note = ""
  }

  private let realm: Realm
  private var stones: Results<Stone> { realm.objects(Stone.self) }

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Stone.self, Kernel.self, Noted.self]))
    try realm.write {
      var last: Stone?
      for id in 0..<50 {
        last = realm.create(
          Stone.self,
          value: [
            "id": id, "name": "stone \(id)", "kernel": ["depth": id * 3], "next": last as Any,
            "layers": [id, id + 1],
          ])
        realm.create(Noted.self, value: ["id": id])
      }
    }
  }

  private func address(_ object: ObjectBase) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  @Test func `one instance serves a loop that keeps nothing`() {
    var addresses: Set<UInt> = []
    var ids: [Int] = []
    var names: [String] = []
    for stone in stones {
      addresses.insert(address(stone))
      ids.append(stone.id)
      names.append(stone.name)
    }
    #expect(ids == Array(0..<50) && names == (0..<50).map { "stone \($0)" })
    if RuntimeFeatures.countsOfSoleReference != nil { #expect(addresses.count == 1) }
  }

  @Test func `objects that are kept keep their rows`() {
    var kept: [Stone] = []
    for stone in stones where stone.id % 3 == 0 { kept.append(stone) }
    #expect(kept.map(\.id) == stride(from: 0, to: 50, by: 3).map { $0 })
    #expect(Set(kept.map(address)).count == kept.count)
    #expect(Array(stones).map(\.name) == (0..<50).map { "stone \($0)" })
    #expect(stones.map { $0 }.map(\.id) == Array(0..<50))
    let iterator = stones.makeIterator()
    let first = iterator.next()
    let second = iterator.next()
    #expect(first?.id == 0 && second?.id == 1 && iterator.next()?.id == 2)
  }

  @Test func `weak and unowned references never see another row`() {
    final class References {
      weak var weak: Stone?
      unowned var unowned: Stone?
    }
    var iterator = stones.makeIterator()
    for id in 0..<50 {
      var stone = iterator.next()
      let references = References()
      if id % 2 == 0 { references.weak = stone } else { references.unowned = stone }
      #expect((references.weak ?? references.unowned)?.id == id)
      // The iterator alone refers to the object now.
      stone = nil
      let next = iterator.next()
      let seen = id % 2 == 0 ? references.weak : nil
      #expect(seen == nil || seen?.id == id)
      #expect(next?.id == (id == 49 ? nil : id + 1))
      iterator = stones.makeIterator()
      for _ in 0...id { _ = iterator.next() }
    }
  }

  @Test func `members that are kept belong to the object they were read from`() {
    var kernels: [Kernel?] = []
    var layers: [List<Int>] = []
    var previous: [LinkingObjects<Stone>] = []
    var links: [Stone?] = []
    for stone in stones {
      kernels.append(stone.kernel)
      layers.append(stone.layers)
      previous.append(stone.previous)
      links.append(stone.next)
    }
    #expect(kernels.map { $0?.depth } == (0..<50).map { $0 * 3 })
    #expect(layers.map { Array($0) } == (0..<50).map { [$0, $0 + 1] })
    #expect(previous.map { $0.first?.id } == (0..<50).map { $0 == 49 ? nil : $0 + 1 })
    #expect(links.map { $0?.id } == (0..<50).map { $0 == 0 ? nil : $0 - 1 })
  }

  @Test func `a loop that changes and deletes its objects`() throws {
    try realm.write {
      for stone in stones {
        stone.name += "!"
        #expect(!stone.isInvalidated)
        if stone.id % 2 == 0 {
          realm.delete(stone)
          #expect(stone.isInvalidated)
        }
      }
    }
    #expect(stones.map(\.name) == stride(from: 1, to: 50, by: 2).map { "stone \($0)!" })
  }

  @Test func `an observer of an object of a loop reports that object`() throws {
    // Only the queue changes the names.
    final class Changed: @unchecked Sendable { var names: [String] = [] }
    let (queue, changed) = (DispatchQueue(label: "observer"), Changed())
    let arrived = DispatchSemaphore(value: 0)
    var tokens: [NotificationToken] = []
    for stone in stones where stone.id < 3 {
      tokens.append(
        stone.observe(on: queue) { change in
          guard case .change(let object, _) = change else { return }
          changed.names.append(object.name)
          arrived.signal()
        })
    }
    // A subscription begins on its queue.
    queue.sync {}
    try realm.write {
      for id in [1, 2, 40] {
        realm.object(ofType: Stone.self, forPrimaryKey: id)?.name = "changed \(id)"
      }
    }
    arrived.waitForEvent("a notification")
    arrived.waitForEvent("a notification")
    #expect(queue.sync { changed.names.sorted() } == ["changed 1", "changed 2"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `stored properties of a program's own have their initial values in each object`() {
    for noted in realm.objects(Noted.self) {
      #expect(noted.note.isEmpty)
      noted.note = "seen"
    }
  }

  @Test func `objects of a frozen result are made one by one`() {
    let frozen = stones.freeze()
    var ids: [Int] = []
    for stone in frozen { ids.append(stone.id) }
    #expect(ids == Array(0..<50))
  }
}
