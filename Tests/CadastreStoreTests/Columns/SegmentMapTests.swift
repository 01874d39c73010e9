import CadastreTestSupport
import Testing

@testable import CadastreStore

/// The map is a dictionary by the number of a segment, and copies do not change with it.
@Suite struct SegmentMapTests {
  private func numbers(_ random: inout SeededGenerator) -> Int64 {
    random.pick([
      Int64(random.below(300)), Int64(random.below(300)) - 150, Int64(random.below(9)) << 40,
      .max >> 12, .min >> 12,
    ])
  }

  private func compare(
    _ map: SegmentMap<Int>, _ model: [Int64: Int], seed: UInt64,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(map.count == model.count, "seed \(seed)", sourceLocation: sourceLocation)
    #expect(map.isEmpty == model.isEmpty, "seed \(seed)", sourceLocation: sourceLocation)
    #expect(
      map.numbers.sorted() == model.keys.sorted(), "seed \(seed)", sourceLocation: sourceLocation)
    for (number, value) in model {
      #expect(map[number] == value, "seed \(seed)", sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: Seeds.usual(1...4))
  func `changes are those of a dictionary`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (map, model) = (SegmentMap<Int>(), [Int64: Int]())
    var copies: [(SegmentMap<Int>, [Int64: Int])] = []
    for step in 0..<2000 {
      let number = numbers(&random)
      switch random.below(8) {
      case 0, 1, 2, 3:
        #expect(map.update(number, with: step) == model.updateValue(step, forKey: number))
      case 4: #expect(map.remove(number) == model.removeValue(forKey: number))
      case 5:
        let changed = map.change(number) { value in
          value += 7
          return value
        }
        model[number]? += 7
        #expect(changed == model[number])
      case 6:
        guard let removed = map.removeFirst() else { continue }
        let key = model.first { $0.value == removed && map[$0.key] == nil }?.key
        #expect(key != nil)
        if let key { model[key] = nil }
      default:
        #expect(map[number] == model[number])
        copies.append((map, model))
        if copies.count > 5 { copies.removeFirst() }
      }
    }
    compare(map, model, seed: seed)
    for (copy, former) in copies { compare(copy, former, seed: seed) }
    while let _ = map.removeFirst() {}
    #expect(map.isEmpty && Array(map.numbers).isEmpty)
  }
}
