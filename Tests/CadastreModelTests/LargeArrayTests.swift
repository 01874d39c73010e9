import CadastreModel
import Testing

/// Arrays whose memory is in large pages.
@Suite struct LargeArrayTests {
  @Test(arguments: [0, 1, 4096, 3_000_000])
  func `reserved memory keeps the elements`(count: Int) {
    var numbers = Array(0..<count)
    let copy = numbers
    numbers.reserve(count * 2 + 10)
    #expect(numbers.capacity >= count * 2 + 10)
    #expect(numbers == copy)
    numbers.append(7)
    #expect(numbers.count == count + 1 && numbers.last == 7)
    // What is large enough already stays.
    numbers.reserve(1)
    #expect(numbers.capacity >= count * 2 + 10)
  }

  @Test func `large arrays grow by a multiple, and small ones as usual`() {
    var small = Array(0..<100)
    let capacity = small.capacity
    small.makeRoom(for: 1_000_000)
    #expect(small.capacity == capacity)
    var large = Array(0..<LargePages.leastElements + 1)
    large.makeRoom(for: large.capacity)
    #expect(large.capacity >= 4 * LargePages.leastElements)
    #expect(large == Array(0..<LargePages.leastElements + 1))
    large.makeRoom(for: 1)
    #expect(large.last == LargePages.leastElements)
  }
}
