import CadastreModel
import Testing

@Suite struct ObjectCacheTests {
  private final class Box: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private func number(_ cache: ObjectCache, _ hash: Int) -> Int? {
    (cache.object(hash) as? Box)?.number
  }

  @Test func `the least recently used object is evicted`() {
    let cache = ObjectCache(maximumCount: 2, maximumCost: 100)
    cache.insert(Box(1), 1, cost: 1)
    cache.insert(Box(2), 2, cost: 1)
    #expect(number(cache, 1) == 1)
    cache.insert(Box(3), 3, cost: 1)
    #expect([1, 2, 3].map { number(cache, $0) } == [1, nil, 3])
  }

  @Test func `an object takes the place of another one with its hash`() {
    let cache = ObjectCache(maximumCount: 8, maximumCost: 10)
    cache.insert(Box(1), 1, cost: 6)
    cache.insert(Box(2), 1, cost: 7)
    cache.insert(Box(3), 3, cost: 3)
    #expect(number(cache, 1) == 2 && number(cache, 3) == 3)
  }

  @Test func `the costs are bounded`() {
    let cache = ObjectCache(maximumCount: 8, maximumCost: 10)
    cache.insert(Box(1), 1, cost: 11)
    #expect(number(cache, 1) == nil)
    for hash in 2..<6 { cache.insert(Box(hash), hash, cost: 4) }
    #expect((2..<6).map { number(cache, $0) } == [nil, nil, 4, 5])
  }
}
