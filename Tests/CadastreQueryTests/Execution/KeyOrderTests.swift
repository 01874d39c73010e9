import CadastreTestSupport
import Testing

@testable import CadastreQuery

@Suite struct KeyOrderTests {
  @Test(arguments: Seeds.usual(1...8))
  func `positions and ranks lead from keys in ascending order to their order and back`(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    let range = [10, 100_000, 1 << 62][random.below(3)]
    let keys = (0..<random.below(2000)).map { _ in Int64(random.below(range) + 1) }
    guard let order = KeyOrder(of: keys) else {
      #expect(keys == keys.sorted(), "seed \(seed)")
      return
    }
    #expect(order.keys == keys.sorted(), "seed \(seed)")
    #expect(order.positions.map { keys[Int($0)] } == order.keys, "seed \(seed)")
    #expect(order.ranks.map { order.keys[Int($0)] } == keys, "seed \(seed)")
  }

  @Test func `keys that ascend are left as they are`() {
    #expect(KeyOrder(of: []) == nil)
    #expect(KeyOrder(of: [7]) == nil)
    #expect(KeyOrder(of: [1, 2, 1 << 62]) == nil)
    #expect(KeyOrder(of: [1, 1]) != nil)
    #expect(KeyOrder(of: [2, 1])?.keys == [1, 2])
    #expect(KeyOrder(of: [1, .min, .max, -1])?.keys == [.min, -1, 1, .max])
  }
}
