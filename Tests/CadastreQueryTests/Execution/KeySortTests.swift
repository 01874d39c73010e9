import CadastreTestSupport
import Testing

@testable import CadastreQuery

@Suite struct KeySortTests {
  @Test func `keys come in ascending order, each once`() {
    var random = SeededGenerator(seed: 61)
    for span in [1, 10, 64, 65, 1000, 1_000_000, Int.max] {
      for count in 0..<20 {
        let keys = (0..<count * 7).map { _ in Int64(random.below(span)) }
        #expect(KeySort.ascending(keys) == Set(keys).sorted())
      }
    }
  }

  @Test func `few keys over a wide range come in ascending order, each once`() {
    var random = SeededGenerator(seed: 62)
    for span in [1 << 20, 1 << 40, Int.max] {
      for count in [255, 256, 257, 600, 5000] {
        let keys = (0..<count).map { _ in
          Int64(random.below(span)) * (random.oneIn(2) ? 1 : -1)
        }
        #expect(KeySort.ascending(keys) == Set(keys).sorted())
        #expect(KeySort.ascending(keys + keys) == Set(keys).sorted())
      }
    }
  }

  @Test func `keys at both ends of the range do not overflow`() {
    #expect(KeySort.ascending([.max, .min, 0, .max]) == [.min, 0, .max])
    #expect(KeySort.ascending([.max, .max - 1]) == [.max - 1, .max])
    #expect(KeySort.ascending([.min, .min + 63, .min + 64]) == [.min, .min + 63, .min + 64])
  }
}
