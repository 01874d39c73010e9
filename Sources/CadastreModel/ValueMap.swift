/// A dictionary from string keys to values, sorted by the UTF-8 bytes of the keys.
///
///     let map = ValueMap([("ports", .int(3)), ("open", .bool(true))])
///
/// Keys are equal if their bytes are equal; canonically equivalent keys are different.
public struct ValueMap: Hashable, Sendable {
  /// A key and its value.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public var value: Value

    /// Returns whether the bytes of the keys and the values are equal.
    public static func == (first: Entry, second: Entry) -> Bool {
      first.key.utf8.elementsEqual(second.key.utf8) && first.value == second.value
    }

    /// Hashes the bytes of the key and the value.
    public func hash(into hasher: inout Hasher) {
      for byte in key.utf8 { hasher.combine(byte) }
      hasher.combine(value)
    }
  }

  /// The entries, in the byte order of their keys.
  public private(set) var entries: [Entry] = []

  /// Creates an empty map.
  public init() {}

  /// Creates a map from pairs; of several pairs with the same key the last one is used.
  ///
  /// - Parameter pairs: Keys and values.
  /// - Complexity: O(n log n) if the keys are in byte order, else O(n²).
  public init(_ pairs: some Sequence<(String, Value)>) {
    for (key, value) in pairs { self[key] = value }
  }

  /// Accesses the value for a key; nil if there is none.
  ///
  /// - Parameter key: The key, compared by bytes.
  /// - Complexity: O(log n) to read or replace, O(n) to add or remove.
  public subscript(key: String) -> Value? {
    get {
      let index = insertionIndex(of: key)
      return contains(key, at: index) ? entries[index].value : nil
    }
    set {
      let index = insertionIndex(of: key)
      switch (contains(key, at: index), newValue) {
      case (true, .some(let value)): entries[index].value = value
      case (true, nil): entries.remove(at: index)
      case (false, .some(let value)): entries.insert(Entry(key: key, value: value), at: index)
      case (false, nil): break
      }
    }
  }

  /// The keys, in byte order.
  ///
  /// - Complexity: O(n).
  public var keys: [String] { entries.map(\.key) }

  private func contains(_ key: String, at index: Int) -> Bool {
    index < entries.count && entries[index].key.utf8.elementsEqual(key.utf8)
  }

  /// Returns the index of a key, or the index at which it would be inserted.
  private func insertionIndex(of key: String) -> Int {
    var (lower, upper) = (0, entries.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if entries[middle].key.utf8.lexicographicallyPrecedes(key.utf8) {
        lower = middle + 1
      } else {
        upper = middle
      }
    }
    return lower
  }
}
