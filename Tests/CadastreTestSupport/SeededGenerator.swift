/// Random numbers that can be had again: SplitMix64.
///
/// Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// A number below a bound.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// True once in so many times on average.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// One of some things, all equally likely.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// A fraction in a range.
  package mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }
}
