import Foundation

/// A ``BoundedCache`` of objects by a hash, which threads share.
///
/// Different objects may have the same hash, and the one that was inserted last is cached: the caller checks whether
/// an object is the wanted one.
// Not generic, because a look-up that is not specialised takes several times as long.
package final class ObjectCache: @unchecked Sendable {
  // Safe because the cache is accessed only under the lock, and the objects are Sendable. The lock also
  // excludes overlapping accesses, so their dynamic check is redundant.
  @exclusivity(unchecked) private var cache: BoundedCache<Int, any AnyObject & Sendable>
  private let lock = NSLock()

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - maximumCount: The largest number of objects.
  ///   - maximumCost: The largest sum of the costs of all objects.
  package init(maximumCount: Int, maximumCost: Int) {
    cache = BoundedCache(maximumCount: maximumCount, maximumCost: maximumCost)
  }

  /// Returns the object with a hash and marks it as the most recently used one; nil if there is none.
  package func object(_ hash: Int) -> (any AnyObject & Sendable)? {
    lock.lock()
    defer { lock.unlock() }
    return cache.value(for: hash)
  }

  /// Inserts an object in the place of one with the same hash, and evicts objects beyond the limits.
  ///
  /// Does nothing if `cost` exceeds the limit.
  ///
  /// - Complexity: O(n) for each evicted object, where n is the number of objects.
  package func insert(_ object: any AnyObject & Sendable, _ hash: Int, cost: Int) {
    lock.lock()
    defer { lock.unlock() }
    cache.insert(object, for: hash, cost: cost)
  }
}
