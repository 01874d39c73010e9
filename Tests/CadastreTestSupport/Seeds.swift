import Foundation

/// The seeds of a property test.
package enum Seeds {
  /// Some seeds; more of them when `CADASTRE_SEEDS` says how many times as many.
  package static func usual(_ seeds: ClosedRange<UInt64>) -> [UInt64] {
    let rounds = ProcessInfo.processInfo.environment["CADASTRE_SEEDS"].flatMap(UInt64.init) ?? 1
    return (0..<rounds).flatMap { round in seeds.map { $0 + round * 1000 } }
  }
}
