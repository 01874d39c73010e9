import CadastreModel
import Testing

@Suite struct BoundedCacheTests {
  @Test func `the entries that were used least recently are removed`() {
    var cache = BoundedCache<Int, String>(maximumCount: 3, maximumCost: 100)
    for key in 1...3 { cache.insert("\(key)", for: key, cost: 1) }
    #expect(cache.value(for: 1) == "1")
    cache.insert("4", for: 4, cost: 1)
    #expect((1...4).map { cache.value(for: $0) } == ["1", nil, "3", "4"])
    // The first three have been used since, so the cost removes them in this order.
    cache.insert("5", for: 5, cost: 99)
    #expect((1...5).map { cache.value(for: $0) } == [nil, nil, nil, "4", "5"])
  }

  @Test func `a value that costs too much is left out, and others replace that of their key`() {
    var cache = BoundedCache<Int, String>(maximumCount: 3, maximumCost: 10)
    cache.insert("large", for: 1, cost: 11)
    #expect(cache.value(for: 1) == nil)
    cache.insert("first", for: 1, cost: 10)
    cache.insert("second", for: 1, cost: 6)
    cache.insert("other", for: 2, cost: 4)
    #expect(cache.value(for: 1) == "second" && cache.value(for: 2) == "other")
  }
}
