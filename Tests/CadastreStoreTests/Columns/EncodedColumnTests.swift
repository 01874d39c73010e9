import CadastreModel
@testable import CadastreStore
import CadastreTestSupport
import Testing

/// Property: an encoded column gives back the bits of its values, and its filters agree with
/// comparisons of the values.
@Suite struct EncodedColumnTests {
  @Test(arguments: Seeds.usual(1...3))
  func `whole numbers`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let base = random.pick([0, -1, 1_000_000, .min, .max, Int64(random.below(1 << 40))])
      let width: Int64 = random.pick([0, 1, 255, 256, 65_535, 65_536, 1 << 32, 1 << 62])
      let count = random.pick([1, 63, 64, 1000, 4096])
      let numbers = (0..<count).map { _ in
        random.oneIn(20)
          ? random.pick([base, base &+ width]) : base &+ Int64(random.below(Int(width) + 1))
      }
      let nulls = RowSet((0..<count).filter { _ in random.oneIn(10) })
      let packed = PackedIntegers(numbers, except: nulls)
      let present = (0..<count).filter { !nulls.contains($0) }
      #expect(present.allSatisfy { packed[$0] == numbers[$0] }, "seed \(seed)")
      #expect(packed.least == present.map { numbers[$0] }.min() ?? 0, "seed \(seed)")
      #expect(packed.greatest == present.map { numbers[$0] }.max() ?? 0, "seed \(seed)")
      packed.withNumbers(as: Int64.self) { unpacked in
        #expect(present.allSatisfy { unpacked[$0] == numbers[$0] }, "seed \(seed)")
      }
      for _ in 0..<8 {
        let ends = (0..<2).map { _ in
          random.pick([.min, .max, base, base &+ width, random.pick(numbers)])
        }
        var rows = RowSet(present)
        packed.keep(&rows, from: ends[0], through: ends[1])
        let expected = present.filter { numbers[$0] >= ends[0] && numbers[$0] <= ends[1] }
        #expect(Array(rows) == expected, "seed \(seed), \(ends), base \(base), width \(width)")
      }
    }
  }

  @Test(arguments: Seeds.usual(9...11))
  func `numbers of some rows`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let count = random.pick([1, 63, 64, 200, 4096])
      let width = random.pick([0, 200, 60_000, 1 << 31, 1 << 60])
      let base = random.pick([0, -5, Int64.min, 1 << 50])
      let numbers = (0..<count).map { _ in base &+ Int64(random.below(width + 1)) }
      let vector = ColumnVector(type: .int)
      for number in numbers { vector.append(integer: number) }
      let share = random.pick([1, 2, 50])
      let rows = (0..<count).filter { $0 < 70 || random.oneIn(share) }
      for column in [BatchColumn.plain(vector), .encoded(EncodedColumn(vector))] {
        var found = [7]
        column.appendIntegers(of: RowSet(rows), to: &found)
        #expect(found == [7] + rows.map { Int(numbers[$0]) }, "seed \(seed)")
      }
    }
  }

  @Test func `numbers take as few bytes as their differences need`() {
    let widths = [0, 255, 256, 65_535, 65_536, 1 << 32 - 1, 1 << 32].map {
      PackedIntegers([Int64.min, Int64.min + Int64($0)]).bitWidth
    }
    #expect(widths == [0, 8, 16, 16, 32, 32, 64])
    #expect(PackedIntegers([.min, .max]).bitWidth == 64)
  }

  @Test(arguments: Seeds.usual(4...6))
  func fractions(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (encoded, plain) = (0, 0)
    for _ in 0..<300 {
      let power = random.pick([1.0, 10, 1e5, 1e7, 1e9])
      let count = random.pick([1, 64, 1000])
      var numbers = (0..<count).map { _ in
        Double(random.below(360_000_000) - 180_000_000) / power
      }
      if random.oneIn(3) {
        numbers[random.below(count)] = random.pick([
          -0.0, .nan, .infinity, -.infinity, .pi, .leastNonzeroMagnitude, 1e300, 0.1 + 0.2,
        ])
      }
      let nulls = RowSet((0..<count).filter { _ in random.oneIn(10) })
      let present = (0..<count).filter { !nulls.contains($0) }
      let decimals = PackedDecimals(numbers, except: nulls)
      if decimals == nil { plain += 1 } else { encoded += 1 }
      let all = PlainNumbers(numbers, except: nulls)
      if let decimals {
        #expect(
          present.allSatisfy { decimals[$0].bitPattern == numbers[$0].bitPattern }, "seed \(seed)")
        decimals.withNumbers { unpacked in
          #expect(present.allSatisfy { unpacked[$0].bitPattern == numbers[$0].bitPattern })
        }
      }
      for _ in 0..<8 {
        let ends = (0..<2).map { _ in
          let number = random.pick(numbers)
          return random.pick([number, number.nextUp, number.nextDown, -.infinity, .infinity, 0])
        }
        let expected = present.filter { numbers[$0] >= ends[0] && numbers[$0] <= ends[1] }
        var rows = RowSet(present)
        all.keep(&rows, from: ends[0], through: ends[1])
        #expect(Array(rows) == expected, "seed \(seed), \(ends)")
        rows = RowSet(present)
        decimals?.keep(&rows, from: ends[0], through: ends[1])
        #expect(decimals == nil || Array(rows) == expected, "seed \(seed), \(ends)")
      }
    }
    #expect(encoded > 50 && plain > 20, "seed \(seed): \(encoded) encoded, \(plain) not")
  }

  @Test(arguments: Seeds.usual(7...8))
  func texts(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      let different = random.pick([1, 2, 60, 300, 512, 513, 3000])
      let words = (0..<different).map { Array("\($0 % 7)-é-\($0)".utf8) } + [[]]
      let texts = (0..<4096).map { _ in random.pick(words) }
      let nulls = RowSet((0..<4096).filter { _ in random.oneIn(10) })
      let offsets = texts.reduce(into: [UInt32(0)]) {
        $0.append($0[$0.count - 1] + UInt32($1.count))
      }
      let bytes = texts.flatMap { $0 }
      let present = (0..<4096).filter { !nulls.contains($0) }
      let plain = EncodedText(bytes, offsets)
      #expect(present.allSatisfy { Array(plain.bytes[plain.range($0)]) == texts[$0] })
      let dictionary = TextDictionary(bytes, offsets, except: nulls)
      #expect((dictionary == nil) == (Set(present.map { texts[$0] }).count > 512), "seed \(seed)")
      guard let dictionary else { continue }
      #expect(
        present.allSatisfy { Array(dictionary.value(dictionary.code($0))) == texts[$0] },
        "seed \(seed)")
      for share in [1, 2, 100, 100_000] {
        let wanted = Set(words.filter { _ in random.oneIn(share) })
        let passing = dictionary.values { values, all, offsets in
          values.keep { wanted.contains(Array(all[Int(offsets[$0])..<Int(offsets[$0 + 1])])) }
        }
        var rows = RowSet(present)
        dictionary.keep(&rows, values: passing)
        #expect(Array(rows) == present.filter { wanted.contains(texts[$0]) }, "seed \(seed)")
      }
    }
  }
}
