import Foundation

/// A generator of reproducible random numbers: SplitMix64.
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

  /// Returns a number below a bound.
  package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Returns true with a probability of one in `count`.
  package mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  /// Returns one of several elements with equal probability.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Returns a number in a range.
  package mutating func number(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }
}

/// The seeds of a property test.
package enum Seeds {
  private static let setting = ProcessInfo.processInfo.environment["CADASTRE_SEEDS"]

  /// The number of rounds: the environment variable `CADASTRE_SEEDS`, or 1.
  package static let rounds = setting.flatMap(UInt64.init) ?? 1

  /// Returns the seeds, multiplied in number by the number of rounds; every second one with `CADASTRE_SEEDS=half`.
  package static func usual(_ seeds: ClosedRange<UInt64>) -> [UInt64] {
    if setting == "half" {
      return stride(from: seeds.lowerBound, through: seeds.upperBound, by: 2).map { $0 }
    }
    return (0..<rounds).flatMap { round in seeds.map { $0 + round * 1000 } }
  }
}

extension SeededGenerator {
  /// Changes bytes at a random offset: a bit, a byte, or a reference that is copied from another offset.
  package mutating func damage(_ bytes: inout [UInt8]) {
    // Half of the changes are in the lowest bytes, where most nodes of small files are.
    let offset = below(oneIn(2) ? bytes.count : min(bytes.count, 4096))
    switch below(4) {
    case 0: bytes[offset] ^= 1 << UInt8(below(8))
    case 1: bytes[offset] = UInt8(below(256))
    case 2: bytes[offset] = pick([0, 1, 0x7F, 0x80, 0xFF])
    default:
      let source = below(bytes.count)
      let count = min(8, bytes.count - max(offset, source))
      bytes.replaceSubrange(offset..<(offset + count), with: bytes[source..<(source + count)])
    }
  }
}
