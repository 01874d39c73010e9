import CadastreStore

/// Keys in ascending order, and the position of each before sorting.
package struct KeyOrder {
  /// The keys in ascending order.
  package let keys: [Int64]
  private let places: [UInt32]

  /// Puts keys in order; nil where they are in order already, or are too many.
  ///
  /// - Complexity: O(n)
  package init?(of keys: [Int64]) {
    guard keys.count <= UInt32.max, !KeySort.isAscending(keys) else { return nil }
    var entries = keys.enumerated().map {
      // Keys begin at 1, so that they are in order as bits too.
      RadixSort.Entry(
        sortKey: UInt64(bitPattern: $0.element), index: UInt32($0.offset))
    }
    RadixSort.sort(&entries)
    self.keys = entries.map { Int64(bitPattern: $0.sortKey) }
    places = entries.map(\.index)
  }

  /// Puts what belongs to each of ``keys`` in the order that the keys had before.
  ///
  /// - Parameter values: As many as there are keys.
  /// - Returns: The values.
  @_specialize(where Value == Int)
  @_specialize(where Value == Double)
  @_specialize(where Value == String)
  package func restored<Value>(_ values: [Value]) -> [Value] {
    precondition(values.count == places.count, "there is a value for each key")
    // An array without room would write its count into the empty array that all threads share.
    guard !values.isEmpty else { return [] }
    return [Value](unsafeUninitializedCapacity: values.count) { restored, count in
      // Each position occurs once, so that every element is initialised once.
      for index in values.indices {
        restored.initializeElement(at: Int(places[index]), to: values[index])
      }
      count = values.count
    }
  }
}
