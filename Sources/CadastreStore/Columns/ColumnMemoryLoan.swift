import CadastreModel

/// A part of the memory of the cached columns that buffers of a sort use until the instance is released.
package final class ColumnMemoryLoan: Sendable {
  private let cache: ColumnCache
  private let byteCount: Int

  /// Takes a part of the cache's budget, at most three quarters; columns beyond the rest are evicted.
  ///
  /// - Complexity: O(1), and O(n) for n evicted segments.
  init(_ byteCount: Int, of cache: ColumnCache) {
    self.cache = cache
    // Columns keep a quarter, so that a sort in partitions does not decode them again and again.
    let byteCount = min(byteCount, cache.budget / 4 * 3)
    self.byteCount = byteCount
    cache.state.withLock { state in
      state.lent += byteCount
      ColumnCache.evict(&state, before: .max)
    }
  }

  deinit { cache.state.withLock { $0.lent -= byteCount } }
}

extension ColumnCache {
  /// Lends a part of the budget to buffers of a sort.
  package func loan(_ byteCount: Int) -> ColumnMemoryLoan { ColumnMemoryLoan(byteCount, of: self) }
}
