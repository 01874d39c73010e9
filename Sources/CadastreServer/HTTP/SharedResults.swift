import CadastreModel
import Foundation

/// A cache of results that concurrent requests share: one request computes a result while others wait for it.
final class SharedResults<Key: Hashable & Sendable, Value: Sendable>: @unchecked Sendable {
  // Safe because `cached` and `running` are accessed only while the condition is locked.
  private var cached: BoundedCache<Key, Value>
  private var running: Set<Key> = []
  private let condition = NSCondition()

  /// The interval at which a waiting request checks for cancellation.
  private static var interval: TimeInterval { 0.1 }

  /// Creates a cache with a maximum number of entries and a maximum sum of costs.
  init(maximumCount: Int, maximumCost: Int) {
    cached = BoundedCache(maximumCount: maximumCount, maximumCost: maximumCost)
  }

  /// Returns a result, which is computed if the cache lacks it.
  ///
  /// - Parameters:
  ///   - key: The key of the result.
  ///   - checkCancellation: Throws if the request is cancelled; called while the request waits.
  ///   - cost: The cost of a result.
  ///   - compute: The computation.
  /// - Returns: The result.
  /// - Throws: The error of `checkCancellation` or `compute`.
  func value(
    for key: Key, _ checkCancellation: () throws -> Void, cost: (Value) -> Int,
    _ compute: () throws -> Value
  ) throws -> Value {
    if let value = try begin(key, checkCancellation) { return value }
    let result = Result { try compute() }
    condition.lock()
    defer { condition.unlock() }
    running.remove(key)
    if case .success(let value) = result { cached.insert(value, for: key, cost: cost(value)) }
    condition.broadcast()
    return try result.get()
  }

  /// Returns a cached result; nil if the caller must compute it.
  private func begin(_ key: Key, _ checkCancellation: () throws -> Void) throws -> Value? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let value = cached.value(for: key) { return value }
      if running.insert(key).inserted { return nil }
      _ = condition.wait(until: Date(timeIntervalSinceNow: Self.interval))
      try checkCancellation()
    }
  }
}
