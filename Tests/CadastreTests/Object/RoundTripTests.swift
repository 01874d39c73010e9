import Cadastre
import CadastreModel
import CadastreStore
import Foundation
import Testing

/// Objects with a property of every type are the same after closing the file, and opening it again.
@Suite struct RoundTripTests {
  private typealias Map = Cadastre.Map

  private func any(_ dice: inout Dice, _ levels: Int = 3) -> AnyRealmValue {
    switch dice.below(levels > 0 ? 14 : 11) {
    case 0: return .none
    case 1: return .int(dice.below(9))
    case 2: return .bool(true)
    case 3: return .float(float(&dice))
    case 4: return .double(double(&dice))
    case 5: return .string(text(&dice))
    case 6: return .data(Data(text(&dice).utf8))
    case 7: return .date(date(&dice))
    case 8: return .decimal128(decimal(&dice))
    case 9: return .uuid(UUID())
    case 10: return .objectId(ObjectId.generate())
    case 11: return .fromArray((0..<dice.below(4)).map { _ in any(&dice, levels - 1) })
    default:
      let count = dice.below(4)
      var entries: [String: AnyRealmValue] = [:]
      for place in 0..<count { entries["\(place)"] = any(&dice, levels - 1) }
      return .fromDictionary(entries)
    }
  }

  private func float(_ dice: inout Dice) -> Float {
    [0, -0.0, .nan, .infinity, Float(bitPattern: 0x7FC0_0123), 0.1, .leastNonzeroMagnitude][
      dice.below(7)]
  }

  private func double(_ dice: inout Dice) -> Double {
    [0, -0.0, .nan, -.infinity, Double(bitPattern: 0x7FF8_0000_0000_0123), 0.1, 0x1p60][
      dice.below(7)]
  }

  private func decimal(_ dice: inout Dice) -> Decimal128 {
    ["1.50", "1.5", "NaN", "-0", "-Infinity", "1E+6111", "0.1"][dice.below(7)]
  }

  private func text(_ dice: inout Dice) -> String {
    ["", "a", "a\0b", "🗺\u{10FFFF}", "e\u{301}", "\u{e9}", "\r\n"][dice.below(7)]
  }

  private func date(_ dice: inout Dice) -> Date {
    [
      .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 1e-9),
      Date(timeIntervalSince1970: 0), Date(timeIntervalSinceReferenceDate: 15_746_918_401.3),
    ][dice.below(5)]
  }

  private func object(_ id: Int, _ others: [Other], _ dice: inout Dice) -> Every {
    let every = Every(value: ["id": id])
    every.any = any(&dice)
    every.grade = [.low, .middle, .high][dice.below(3)]
    every.optionalGrade = dice.below(2) == 0 ? nil : .high
    every.decimal = decimal(&dice)
    every.optionalDecimal = dice.below(2) == 0 ? nil : decimal(&dice)
    for _ in 0..<dice.below(6) {
      every.bools.append(dice.below(2) == 0)
      every.optionalInts.append(dice.below(3) == 0 ? nil : dice.below(9))
      every.small.append(Int8(dice.below(256) - 128))
      every.floats.append(float(&dice))
      every.doubles.append(dice.below(3) == 0 ? nil : double(&dice))
      every.strings.append(text(&dice))
      every.optionalStrings.append(dice.below(3) == 0 ? nil : text(&dice))
      every.blobs.append(Data(text(&dice).utf8))
      every.dates.append(date(&dice))
      every.decimals.append(decimal(&dice))
      every.ids.append(ObjectId.generate())
      every.uuids.append(UUID())
      every.anys.append(any(&dice))
      every.grades.append([.low, .high][dice.below(2)])
      every.stringMap[text(&dice)] = .some(dice.below(3) == 0 ? nil : text(&dice))
      every.anyMap["k\(dice.below(5))"] = any(&dice)
      every.links.append(others[dice.below(3)])
      every.linkMap["k\(dice.below(5))"] = dice.below(3) == 0 ? .some(nil) : others[dice.below(3)]
      every.knots.append(
        Knot(value: ["text": text(&dice), "numbers": [1, 2], "more": [["text": "m"]]]))
      every.knotMap["k\(dice.below(5))"] = dice.below(3) == 0 ? .some(nil) : Knot(text(&dice))
    }
    every.link = dice.below(2) == 0 ? nil : others[0]
    if dice.below(2) == 0 {
      every.spot = Spot(
        value: ["name": text(&dice), "words": [text(&dice)], "knot": ["text": "in the row"]])
      every.knot = Knot(value: ["next": ["next": ["text": text(&dice)]]])
    }
    return every
  }

  /// All that an object holds, in bits; numbers of rows and their order of being made left out.
  private func content(_ object: ObjectBase, depth: Int = 0) -> [String] {
    object.objectSchema.properties.map { property in
      "\(property.name): \(text(object[property.name], depth))"
    }
  }

  private func text(_ value: Any?, _ depth: Int) -> String {
    switch value {
    case nil: return "nil"
    case let grade as Grade: return text(grade.rawValue, depth)
    case let object as Other: return "Other \(object.name)"
    case let object as ObjectBase: return content(object, depth: depth + 1).joined(separator: ", ")
    case let value as AnyRealmValue: return text(value)
    case let value as Double: return "double \(value.bitPattern)"
    case let value as Float: return "float \(value.bitPattern)"
    case let value as Date: return "date \(value.timeIntervalSinceReferenceDate.bitPattern)"
    case let value as Decimal128: return "decimal \(Value.decimal(value))"
    case let value as String: return "string \(Array(value.utf8))"
    case let value as Data: return "data \(Array(value))"
    case let map as Map<String, String?>:
      return texts(map.map { ($0.key, text($0.value, depth)) })
    case let map as Map<String, AnyRealmValue>:
      return texts(map.map { ($0.key, text($0.value)) })
    case let map as Map<String, Other?>: return texts(map.map { ($0.key, text($0.value, depth)) })
    case let map as Map<String, Knot?>: return texts(map.map { ($0.key, text($0.value, depth)) })
    case let list as any RealmCollection: return "[" + elements(of: list, depth) + "]"
    case .some(let value): return "\(value)"
    }
  }

  private func elements(of list: some RealmCollection, _ depth: Int) -> String {
    list.map { text(($0 as? String?) ?? $0, depth) }.joined(separator: "; ")
  }

  private func texts(_ entries: [(String, String)]) -> String {
    entries.map { "\(Array($0.0.utf8)) = \($0.1)" }.sorted().joined(separator: "; ")
  }

  private func text(_ value: AnyRealmValue) -> String {
    switch value {
    case .none: "none"
    case .float(let value): "float \(value.bitPattern)"
    case .double(let value): "double \(value.bitPattern)"
    case .decimal128(let value): "decimal \(Value.decimal(value))"
    case .date(let value): "date \(value.timeIntervalSinceReferenceDate.bitPattern)"
    case .string(let value): "string \(Array(value.utf8))"
    case .data(let value): "data \(Array(value))"
    case .list(let list): "[" + list.map { text($0) }.joined(separator: "; ") + "]"
    case .dictionary(let map): texts(map.map { ($0.key, text($0.value)) })
    default: "\(value)"
    }
  }

  @Test(arguments: Dice.seeds) func `random objects come back in bits`(seed: UInt64) throws {
    var dice = Dice(seed)
    let file = try EveryFile()
    var expected: [[String]] = []
    try {
      let realm = try file.open()
      let others = ["a", "b", "c"].map { Other($0) }
      let objects = (0..<10).map { object($0, others, &dice) }
      expected = objects.map { content($0) }
      try realm.write { realm.add(objects) }
      #expect(objects.map { content($0) } == expected, "managed, seed \(seed)")
    }()
    for turn in ["reopened", "reopened again"] {
      let realm = try file.open()
      let found = realm.objects(Every.self).map { content($0) }
      for (found, right) in zip(found, expected) {
        for (one, other) in zip(found, right) { #expect(one == other, "\(turn), seed \(seed)") }
      }
      #expect(realm.objects(Every.self).count == 10)
    }
    #expect(try StoreCheck(OpenStores.store(at: file.path).snapshot()).problems() == [])
  }
}
