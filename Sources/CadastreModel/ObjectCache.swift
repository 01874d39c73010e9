import Foundation

/// A cache of objects by a hash that evicts the least recently used ones beyond a number and a total cost; threads
/// share it.
///
/// The caller compares the object with what it looked for: of two objects with the same hash the later one is cached.
// Not generic, because a look-up that is not specialised takes several times as long.
package final class ObjectCache: @unchecked Sendable {
  // Safe because all properties are accessed only under the lock, and the objects are Sendable. The lock also
  // excludes overlapping accesses, so their dynamic check is redundant.
  private struct Entry {
    let object: any AnyObject & Sendable
    let cost: Int
    var lastUse: Int
  }

  private let lock = NSLock()
  @exclusivity(unchecked) private var entries: [Int: Entry] = [:]
  @exclusivity(unchecked) private var clock = 0
  @exclusivity(unchecked) private var cost = 0
  private let maximumCount: Int
  private let maximumCost: Int

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - maximumCount: The largest number of objects.
  ///   - maximumCost: The largest sum of the costs of all objects.
  package init(maximumCount: Int, maximumCost: Int) {
    self.maximumCount = maximumCount
    self.maximumCost = maximumCost
  }

  /// Returns the object with a hash and marks it as the most recently used one; nil if there is none.
  package func object(_ hash: Int) -> (any AnyObject & Sendable)? {
    lock.lock()
    defer { lock.unlock() }
    guard let index = entries.index(forKey: hash) else { return nil }
    clock += 1
    entries.values[index].lastUse = clock
    return entries.values[index].object
  }

  /// Inserts an object in the place of one with the same hash, and evicts objects beyond the limits.
  ///
  /// Does nothing if `cost` exceeds the limit.
  ///
  /// - Complexity: O(n) for each evicted object, where n is the number of objects.
  package func insert(_ object: any AnyObject & Sendable, _ hash: Int, cost: Int) {
    lock.lock()
    defer { lock.unlock() }
    guard cost <= maximumCost else { return }
    clock += 1
    if let replaced = entries.updateValue(
      Entry(object: object, cost: cost, lastUse: clock), forKey: hash)
    {
      self.cost -= replaced.cost
    }
    self.cost += cost
    while entries.count > maximumCount || self.cost > maximumCost,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
      self.cost -= oldest.value.cost
    }
  }
}
