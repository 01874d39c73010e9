/// A cache that evicts the least recently used entries beyond a number and a total cost.
// Inlinable, because an unspecialised look-up takes several times as long.
package struct BoundedCache<Key: Hashable, Value> {
  @usableFromInline struct Entry {
    @usableFromInline let value: Value
    @usableFromInline let cost: Int
    @usableFromInline var lastUse: Int

    @usableFromInline init(value: Value, cost: Int, lastUse: Int) {
      self.value = value
      self.cost = cost
      self.lastUse = lastUse
    }
  }

  @usableFromInline var entries: [Key: Entry] = [:]
  @usableFromInline var clock = 0
  @usableFromInline let maximumCount: Int
  @usableFromInline let maximumCost: Int
  /// The sum of the costs of all entries.
  @usableFromInline var cost = 0

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - maximumCount: The largest number of entries.
  ///   - maximumCost: The largest sum of the costs of all entries.
  @inlinable
  package init(maximumCount: Int, maximumCost: Int) {
    self.maximumCount = maximumCount
    self.maximumCost = maximumCost
  }

  /// Returns the value for a key and marks its entry as the most recently used; nil if there is none.
  @inlinable
  @inline(__always)
  package mutating func value(for key: Key) -> Value? {
    guard let index = entries.index(forKey: key) else { return nil }
    clock += 1
    entries.values[index].lastUse = clock
    return entries.values[index].value
  }

  /// Inserts a value in the place of one with the same key, and evicts entries beyond the limits.
  ///
  /// Does nothing if `cost` exceeds the limit.
  ///
  /// - Complexity: O(n) for each evicted entry, where n is the number of entries.
  @inlinable
  package mutating func insert(_ value: Value, for key: Key, cost: Int) {
    guard cost <= maximumCost else { return }
    clock += 1
    let entry = Entry(value: value, cost: cost, lastUse: clock)
    if let replaced = entries.updateValue(entry, forKey: key) { self.cost -= replaced.cost }
    self.cost += cost
    while entries.count > maximumCount || self.cost > maximumCost,
      let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
    {
      entries[oldest.key] = nil
      self.cost -= oldest.value.cost
    }
  }
}
