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

  @Test func `keys at both ends of the range do not overflow`() {
    #expect(KeySort.ascending([.max, .min, 0, .max]) == [.min, 0, .max])
    #expect(KeySort.ascending([.max, .max - 1]) == [.max - 1, .max])
    #expect(KeySort.ascending([.min, .min + 63, .min + 64]) == [.min, .min + 63, .min + 64])
  }
}
