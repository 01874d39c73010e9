import Cadastre
import CadastreTestSupport
import Foundation

/// Contents for conditions: copies of those in a Realm, and other ones.
struct ContentMaker {
  var random: SeededGenerator
  let others: [Other]

  /// Returns elements with some of them replaced, removed or added.
  mutating func changed<Element>(
    _ elements: [Element], _ make: (inout SeededGenerator) -> Element
  ) -> [Element] {
    var elements = elements
    switch random.below(6) {
    case 0: elements.append(make(&random))
    case 1: if !elements.isEmpty { elements.removeLast() }
    case 2: if !elements.isEmpty { elements[random.below(elements.count)] = make(&random) }
    case 3: elements.reverse()
    default: break
    }
    return elements
  }

  /// Returns the entries of a map with some of them replaced, removed or added.
  mutating func changed<Value: RealmCollectionValue>(
    _ map: Map<String, Value>, _ make: (inout SeededGenerator) -> Value
  ) -> [String: Value] {
    var entries = ContentLaws.entries(map)
    let key = random.pick(RandomEveries.keys)
    switch random.below(5) {
    case 0: entries[key] = make(&random)
    case 1: entries.removeValue(forKey: key)
    default: break
    }
    return entries
  }

  mutating func scalar() -> AnyRealmValue {
    switch random.below(4) {
    case 0: .none
    case 1: .int(random.below(3))
    case 2: .string(random.pick(RandomEveries.texts))
    default: .object(random.pick(others))
    }
  }

  mutating func mixed(depth: Int) -> AnyRealmValue {
    guard depth == 0 || depth < 3 && random.oneIn(2) else { return scalar() }
    let values = (0..<random.below(3)).map { _ in mixed(depth: depth + 1) }
    guard random.oneIn(2) else { return .fromArray(values) }
    return .fromDictionary(
      Dictionary(
        values.map { (random.pick(RandomEveries.keys), $0) }, uniquingKeysWith: { $1 }))
  }

  mutating func knot(depth: Int = 0) -> Knot {
    let knot = Knot(random.pick(RandomEveries.texts))
    for _ in 0..<random.below(3) { knot.numbers.append(random.below(3)) }
    knot.seen = random.oneIn(2) ? nil : random.pick(others)
    guard depth < 2 else { return knot }
    if random.oneIn(3) { knot.next = self.knot(depth: depth + 1) }
    for _ in 0..<random.below(3) { knot.more.append(self.knot(depth: depth + 1)) }
    return knot
  }

  func copy(_ knot: Knot) -> Knot {
    let copied = Knot(knot.text)
    copied.numbers.append(objectsIn: Array(knot.numbers))
    copied.seen = knot.seen
    copied.next = knot.next.map(copy)
    copied.more.append(objectsIn: knot.more.map(copy))
    return copied
  }

  func copy(_ spot: Spot) -> Spot {
    let copied = Spot()
    copied.name = spot.name
    copied.words.append(objectsIn: Array(spot.words))
    copied.seen = spot.seen
    copied.knot = spot.knot.map(copy)
    return copied
  }
}

/// The laws of equality, written from the article on it.
enum ContentLaws {
  static func entries<Value>(_ map: Map<String, Value>) -> [String: Value] {
    Dictionary(map.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
  }

  static func areEqual(_ first: Knot?, _ second: Knot?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return first.text.utf8.elementsEqual(second.text.utf8)
      && Array(first.numbers) == Array(second.numbers) && isSame(first.seen, second.seen)
      && areEqual(first.next, second.next) && areEqual(Array(first.more), Array(second.more))
  }

  static func areEqual(_ first: [Knot], _ second: [Knot]) -> Bool {
    first.count == second.count && zip(first, second).allSatisfy { areEqual($0, $1) }
  }

  static func areEqual(_ first: Spot?, _ second: Spot?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return first.name == second.name && Array(first.words) == Array(second.words)
      && isSame(first.seen, second.seen) && areEqual(first.knot, second.knot)
  }

  static func isSame(_ first: Object?, _ second: Object?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return first.isSameObject(as: second)
  }

  static func areEqual(_ first: [AnyRealmValue], _ second: [AnyRealmValue]) -> Bool {
    first.count == second.count && zip(first, second).allSatisfy { areEqual($0, $1) }
  }

  /// Whether two sets have the same elements.
  static func areSame(_ first: [AnyRealmValue], _ second: [AnyRealmValue]) -> Bool {
    first.allSatisfy { one in second.contains { areEqual(one, $0) } }
      && second.allSatisfy { one in first.contains { areEqual(one, $0) } }
  }

  static func areEqual(
    _ first: [String: AnyRealmValue], _ second: [String: AnyRealmValue]
  ) -> Bool {
    first.keys == second.keys
      && first.allSatisfy { areEqual($0.value, second[$0.key] ?? .none) }
  }

  static func areEqual(_ first: AnyRealmValue, _ second: AnyRealmValue) -> Bool {
    switch (first, second) {
    case (.list(let first), .list(let second)): areEqual(Array(first), Array(second))
    case (.dictionary(let first), .dictionary(let second)):
      areEqual(entries(first), entries(second))
    case (.object(let first), .object(let second)): isSame(first, second)
    case (.int(let first), .double(let second)), (.double(let second), .int(let first)):
      Double(first) == second
    default: first == second
    }
  }
}
