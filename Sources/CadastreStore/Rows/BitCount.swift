/// Counts the bits that are set in many words.
///
/// Without an instruction for it, counting the bits of one word takes 20 instructions. Carry-save adders add the
/// words bit by bit first, so that one word in eight is counted.
/// Source: Harley and Seal's method in H. Warren, "Hacker's Delight", 2nd edition, 5-1.
enum BitCount {
  /// Returns the number of bits that are set in some words.
  static func count(_ words: UnsafeBufferPointer<UInt64>) -> Int {
    var (ones, twos, fours): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var eights = 0
    var index = 0
    while index + 8 <= words.count {
      let first = add(&ones, words[index], words[index + 1])
      let second = add(&ones, words[index + 2], words[index + 3])
      let third = add(&ones, words[index + 4], words[index + 5])
      let fourth = add(&ones, words[index + 6], words[index + 7])
      let lower = add(&twos, first, second)
      let upper = add(&twos, third, fourth)
      eights += add(&fours, lower, upper).nonzeroBitCount
      index += 8
    }
    var count = 8 * eights + 4 * fours.nonzeroBitCount + 2 * twos.nonzeroBitCount
    count += ones.nonzeroBitCount
    while index < words.count {
      count += words[index].nonzeroBitCount
      index += 1
    }
    return count
  }

  /// Adds two words to a sum, bit by bit; returns the carries.
  @inline(__always)
  private static func add(_ sum: inout UInt64, _ first: UInt64, _ second: UInt64) -> UInt64 {
    let partial = sum ^ first
    let carries = (sum & first) | (partial & second)
    sum = partial ^ second
    return carries
  }
}
