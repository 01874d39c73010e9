import Cadastre
import CadastreTestSupport
import Foundation

/// Objects of every kind whose values are drawn from few, so that conditions often meet.
struct RandomEveries {
  private var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  static func checks(seed: UInt64 = 1, count: Int = 16) throws -> ConditionChecks<Every> {
    var made = RandomEveries(seed: seed)
    let realm = try everyRealm()
    try realm.write { made.fill(realm, count) }
    return ConditionChecks(realm: realm)
  }

  static let texts = ["", "a", "B", "ab", "Ab", "é", "éa"]
  static let keys = ["k", "l", "m"]

  mutating func fill(_ realm: Realm, _ count: Int) {
    let (everies, others) = objects(count)
    realm.add(others)
    realm.add(everies)
  }

  /// Returns unmanaged objects, and those to which they link.
  mutating func objects(_ count: Int) -> (everies: [Every], others: [Other]) {
    let others = ["ann", "bob", "Cyd", "dée", "eve"].map { Other($0) }
    for other in others {
      other.rank = random.oneIn(3) ? nil : random.below(4)
      other.next = random.oneIn(2) ? nil : random.pick(others)
      other.friends.append(objectsIn: several { $0.pick(others) })
    }
    let everies = (0..<count).map { id in
      let every = Every()
      every.id = id
      fillScalars(of: every)
      fillLists(of: every)
      fillSets(of: every)
      fillMaps(of: every, others)
      fillLinks(of: every, others)
      return every
    }
    return (everies, others)
  }

  private mutating func several<Element>(_ make: (inout SeededGenerator) -> Element) -> [Element] {
    (0..<random.below(4)).map { _ in make(&random) }
  }

  private mutating func fillScalars(of every: Every) {
    every.any = Self.value(&random, depth: 0)
    every.grade = random.pick(Grade.allCases)
    every.optionalGrade = random.oneIn(2) ? nil : random.pick(Grade.allCases)
    every.decimal = Decimal128(random.below(4))
    every.optionalDecimal = random.oneIn(2) ? nil : Decimal128(random.below(4))
  }

  static func value(_ random: inout SeededGenerator, depth: Int) -> AnyRealmValue {
    switch random.below(depth < 2 ? 8 : 5) {
    case 0: .none
    case 1: .int(random.below(4))
    case 2: .double(Double(random.below(8)) / 2)
    case 3: .string(random.pick(texts))
    case 4: .bool(random.oneIn(2))
    case 5, 6: .fromArray((0..<random.below(3)).map { _ in value(&random, depth: depth + 1) })
    default:
      .fromDictionary(
        Dictionary(
          (0..<random.below(3)).map { _ in
            (random.pick(keys), value(&random, depth: depth + 1))
          }, uniquingKeysWith: { $1 }))
    }
  }

  private mutating func fillLists(of every: Every) {
    every.bools.append(objectsIn: several { $0.oneIn(2) })
    every.ints.append(objectsIn: several { $0.below(5) })
    every.optionalInts.append(objectsIn: several { $0.oneIn(3) ? nil : $0.below(5) })
    every.small.append(objectsIn: several { Int8($0.below(5)) })
    every.floats.append(objectsIn: several { Float($0.below(5)) / 2 })
    every.doubles.append(objectsIn: several { $0.oneIn(3) ? nil : Double($0.below(5)) / 2 })
    every.strings.append(objectsIn: several { $0.pick(Self.texts) })
    every.optionalStrings.append(objectsIn: several { $0.oneIn(3) ? nil : $0.pick(Self.texts) })
    every.blobs.append(objectsIn: several { Data($0.pick(Self.texts).utf8) })
    every.dates.append(objectsIn: several { Date(timeIntervalSince1970: Double($0.below(5))) })
    every.decimals.append(objectsIn: several { Decimal128($0.below(5)) })
    every.anys.append(objectsIn: several { Self.value(&$0, depth: 1) })
    every.grades.append(objectsIn: several { $0.pick(Grade.allCases) })
  }

  private mutating func fillSets(of every: Every) {
    every.intSet.insert(objectsIn: several { $0.below(5) })
    every.stringSet.insert(objectsIn: several { $0.pick(Self.texts) })
    every.doubleSet.insert(objectsIn: several { Double($0.below(5)) / 2 })
    every.decimalSet.insert(objectsIn: several { Decimal128($0.below(5)) })
  }

  private mutating func fillMaps(of every: Every, _ others: [Other]) {
    for key in Self.keys {
      if random.oneIn(2) { every.intMap[key] = random.below(5) }
      if random.oneIn(2) {
        every.stringMap[key] = .some(random.oneIn(3) ? nil : random.pick(Self.texts))
      }
      if random.oneIn(2) { every.anyMap[key] = Self.value(&random, depth: 1) }
      if random.oneIn(2) {
        every.linkMap[key] = .some(random.oneIn(3) ? nil : random.pick(others))
      }
      if random.oneIn(2) {
        every.knotMap[key] = .some(random.oneIn(3) ? nil : Knot(random.pick(Self.texts)))
      }
    }
  }

  private mutating func fillLinks(of every: Every, _ others: [Other]) {
    every.link = random.oneIn(3) ? nil : random.pick(others)
    every.links.append(objectsIn: several { $0.pick(others) })
    every.linkSet.insert(objectsIn: several { $0.pick(others) })
    if !random.oneIn(3) {
      let spot = Spot()
      spot.name = random.pick(Self.texts)
      spot.words.append(objectsIn: several { $0.pick(Self.texts) })
      spot.seen = random.oneIn(2) ? nil : random.pick(others)
      every.spot = spot
    }
    every.knots.append(
      objectsIn: several { random in
        let knot = Knot(random.pick(Self.texts))
        knot.numbers.append(objectsIn: (0..<random.below(3)).map { _ in random.below(5) })
        knot.seen = random.oneIn(2) ? nil : random.pick(others)
        return knot
      })
  }
}
