import CadastreTestSupport
import Testing

@testable import CadastreQuery

@Suite struct KeyOrderTests {
  @Test(arguments: Seeds.usual(1...8))
  func `what belongs to keys comes back in their order`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let range = [10, 100_000, 1 << 62][random.below(3)]
    let keys = (0..<random.below(2000)).map { _ in Int64(random.below(range) + 1) }
    guard let order = KeyOrder(of: keys) else {
      #expect(keys == keys.sorted(), "seed \(seed)")
      return
    }
    #expect(order.keys == keys.sorted(), "seed \(seed)")
    #expect(order.restored(order.keys) == keys, "seed \(seed)")
    #expect(order.restored(order.keys.map { "\($0)" }) == keys.map { "\($0)" }, "seed \(seed)")
  }

  @Test func `keys that ascend are left as they are`() {
    #expect(KeyOrder(of: []) == nil)
    #expect(KeyOrder(of: [7]) == nil)
    #expect(KeyOrder(of: [1, 2, 1 << 62]) == nil)
    #expect(KeyOrder(of: [1, 1]) != nil)
    #expect(KeyOrder(of: [2, 1])?.keys == [1, 2])
  }
}
