import Cadastre
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Numbers that can be had again.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  static var seeds: [UInt64] { Array(1...(2 * Seeds.rounds)) }
}

/// Managed collections do what those of Swift do, with all their verbs.
@Suite struct EditingTests {
  private let file: EveryFile

  init() throws { file = try EveryFile() }

  private func change(_ list: List<Int>, _ model: inout [Int], _ dice: inout Dice) {
    let (count, value) = (model.count, dice.below(50))
    switch dice.below(17) {
    case 0, 1, 2:
      list.append(value)
      model.append(value)
    case 3:
      list.append(objectsIn: [value, value + 1, value])
      model.append(contentsOf: [value, value + 1, value])
    case 4, 5:
      let index = dice.below(count + 1)
      list.insert(value, at: index)
      model.insert(value, at: index)
    case 6:
      let (index, new) = (dice.below(count + 1), (0..<dice.below(20)).map { $0 })
      list.insert(contentsOf: new, at: index)
      model.insert(contentsOf: new, at: index)
    case 7 where count > 0:
      let index = dice.below(count)
      list.remove(at: index)
      model.remove(at: index)
    case 8:
      let number = dice.below(min(3, count) + 1)
      list.removeFirst(number)
      model.removeFirst(number)
    case 9:
      let number = dice.below(min(3, count) + 1)
      list.removeLast(number)
      model.removeLast(number)
    case 10 where dice.below(10) == 0:
      list.removeAll()
      model.removeAll()
    case 11:
      let lower = dice.below(count + 1)
      let upper = lower + dice.below(min(5, count - lower) + 1)
      list.replaceSubrange(lower..<upper, with: [value, value])
      model.replaceSubrange(lower..<upper, with: [value, value])
    case 12 where count > 0:
      let (from, to) = (dice.below(count), dice.below(count))
      list.move(from: from, to: to)
      model.insert(model.remove(at: from), at: to)
    case 13 where count > 0:
      let (first, second) = (dice.below(count), dice.below(count))
      list.swapAt(first, second)
      model.swapAt(first, second)
    case 14 where count > 0:
      let index = dice.below(count)
      list[index] = value
      list.replace(index: index, object: list[index] + 1)
      model[index] = value + 1
    case 15:
      let offsets = IndexSet((0..<count).filter { _ in dice.below(5) == 0 })
      list.remove(atOffsets: offsets)
      model = model.enumerated().filter { !offsets.contains($0.offset) }.map(\.element)
    case 16:
      let offsets = IndexSet((0..<count).filter { _ in dice.below(5) == 0 })
      let destination = dice.below(count + 1)
      list.move(fromOffsets: offsets, toOffset: destination)
      let moved = offsets.map { model[$0] }
      let before = (0..<destination).filter { !offsets.contains($0) }.map { model[$0] }
      let after = (destination..<count).filter { !offsets.contains($0) }.map { model[$0] }
      model = before + moved + after
    default: break
    }
  }

  private func compare(_ list: List<Int>, _ model: [Int], _ note: Comment) {
    #expect(Array(list) == model, note)
    #expect(list.count == model.count && list.first == model.first && list.last == model.last, note)
    #expect(model.indices.allSatisfy { list[$0] == model[$0] }, note)
  }

  @Test(arguments: Dice.seeds) func `a list does what an array does`(seed: UInt64) throws {
    var dice = Dice(seed)
    var model: [Int] = []
    let unmanaged = List<Int>()
    var plain: [Int] = []
    for _ in 0..<500 { change(unmanaged, &plain, &dice) }
    compare(unmanaged, plain, "unmanaged, seed \(seed)")

    try {
      let realm = try file.open()
      try realm.write { realm.add(Every()) }
    }()
    for round in 0..<12 {
      let realm = try file.open()
      let every = try #require(realm.objects(Every.self).first)
      let lists = [every.ints, every.ints, try #require(realm.objects(Every.self).first).ints]
      let before = model
      realm.beginWrite()
      for _ in 0..<70 {
        change(lists[dice.below(3)], &model, &dice)
        #expect(lists[dice.below(3)].count == model.count)
      }
      for list in lists { compare(list, model, "seed \(seed), round \(round), written") }
      if dice.below(4) == 0 {
        realm.cancelWrite()
        model = before
      } else {
        try realm.commitWrite()
      }
      for list in lists { compare(list, model, "seed \(seed), round \(round)") }
      let problems = try StoreCheck(OpenStores.store(at: file.path).snapshot()).problems()
      #expect(problems == [], "seed \(seed), round \(round)")
    }
  }

  @Test(arguments: Dice.seeds)
  func `lists inside values of any type do what arrays do`(seed: UInt64) throws {
    var dice = Dice(seed)
    let realm = try everyRealm()
    var model: [Int] = []
    let every = Every(value: ["any": ["k": [Any]()]])
    try realm.write { realm.add(every) }
    let list = try #require(every.any.dictionaryValue?["k"]?.listValue)
    for _ in 0..<10 {
      realm.beginWrite()
      let before = model
      for _ in 0..<15 {
        let (count, value) = (model.count, dice.below(9))
        switch dice.below(5) {
        case 0 where count > 0:
          let index = dice.below(count)
          list.remove(at: index)
          model.remove(at: index)
        case 1 where count > 0:
          let (from, to) = (dice.below(count), dice.below(count))
          list.move(from: from, to: to)
          model.insert(model.remove(at: from), at: to)
        case 2 where count > 0:
          list[dice.below(1)] = .int(value)
          model[0] = value
        default:
          let index = dice.below(count + 1)
          list.insert(.int(value), at: index)
          model.insert(value, at: index)
        }
      }
      if dice.below(3) == 0 {
        realm.cancelWrite()
        model = before
      } else {
        try realm.commitWrite()
      }
      let read = try #require(every.any.dictionaryValue?["k"]?.listValue)
      #expect(read.compactMap(\.intValue) == model, "seed \(seed)")
      #expect(list.compactMap(\.intValue) == model, "seed \(seed)")
    }
  }

  @Test(arguments: Dice.seeds) func `sets and maps do what Swift's do`(seed: UInt64) throws {
    var dice = Dice(seed)
    let realm = try file.open()
    let every = Every()
    try realm.write { realm.add([every, Every(value: ["id": 2])]) }
    let second = try #require(realm.object(ofType: Every.self, forPrimaryKey: 2))
    var (set, other): (Set<Int>, Set<Int>) = ([], [])
    var map: [String: Int] = [:]
    for round in 0..<25 {
      let before = (set, other, map)
      realm.beginWrite()
      for _ in 0..<30 {
        let value = dice.below(20)
        switch dice.below(12) {
        case 0, 1:
          every.intSet.insert(value)
          set.insert(value)
        case 2:
          second.intSet.insert(objectsIn: [value, value + 1, value])
          other.formUnion([value, value + 1])
        case 3:
          every.intSet.remove(value)
          set.remove(value)
        case 4 where dice.below(4) == 0:
          every.intSet.formUnion(second.intSet)
          set.formUnion(other)
        case 5 where dice.below(4) == 0:
          every.intSet.formIntersection(second.intSet)
          set.formIntersection(other)
        case 6 where dice.below(4) == 0:
          second.intSet.subtract(every.intSet)
          other.subtract(set)
        case 7:
          every.intMap["\(value)"] = value
          map["\(value)"] = value
        case 8:
          every.intMap["\(value)"] = nil
          map["\(value)"] = nil
        case 9:
          every.intMap.updateValue(value, forKey: "x")
          map["x"] = value
        case 10:
          let added = [(key: "\(value)", value: 1), (key: "m", value: 1)]
          every.intMap.merge(added) { $0 + $1 }
          for (key, value) in added { map[key] = (map[key] ?? 0) + value }
        default: break
        }
        #expect(every.intSet.contains(value) == set.contains(value))
        #expect(every.intMap["\(value)"] == map["\(value)"])
      }
      if dice.below(4) == 0 {
        realm.cancelWrite()
        (set, other, map) = before
      } else {
        try realm.commitWrite()
      }
      #expect(Array(every.intSet) == set.sorted(), "seed \(seed), round \(round)")
      #expect(Array(second.intSet) == other.sorted(), "seed \(seed), round \(round)")
      #expect(every.intSet.isSubset(of: second.intSet) == set.isSubset(of: other))
      #expect(every.intSet.intersects(second.intSet) == !set.isDisjoint(with: other))
      let keys = map.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      #expect(every.intMap.keys == keys, "seed \(seed), round \(round)")
      #expect(every.intMap.values == keys.compactMap { map[$0] })
      #expect(every.intMap.count == map.count)
    }
    #expect(try StoreCheck(OpenStores.store(at: file.path).snapshot()).problems() == [])
  }

  @Test func `a list may be assigned from itself and from others`() throws {
    let realm = try everyRealm()
    let every = Every(value: ["ints": [1, 2, 3], "intMap": ["a": 1], "intSet": [3, 4]])
    try realm.write {
      realm.add(every)
      every.ints = every.ints
      every.intMap = every.intMap
      every.intSet = every.intSet
      every.any = .fromArray([.int(1)])
      every.any = every.any
      every.anys.append(every.any)
      every.anys = every.anys
    }
    #expect(Array(every.ints) == [1, 2, 3])
    #expect(every.intMap["a"] == 1 && every.intSet.count == 2)
    #expect(every.any.listValue?.count == 1 && every.anys[0].listValue?.count == 1)
    try realm.write {
      every["ints"] = every.ints.sorted(ascending: false)
      every.small.append(objectsIn: [1, 2])
    }
    #expect(Array(every.ints) == [3, 2, 1])
    for element in every.ints { try realm.write { every.ints.append(element) } }
    #expect(Array(every.ints) == [3, 2, 1, 3, 2, 1])
  }
}
