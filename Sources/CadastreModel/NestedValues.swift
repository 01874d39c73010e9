/// An object of a store, named by its class and its key.
public struct ObjectAddress: Hashable, Sendable {
  /// The name of its class.
  public let className: String
  /// The key of its row.
  public let key: ObjectKey

  /// Names an object.
  public init(className: String, key: ObjectKey) {
    self.className = className
    self.key = key
  }
}

/// Values under string keys, in the byte order of the keys.
///
/// Keys differ when their bytes do.
public struct ValueMap: Hashable, Sendable {
  /// One value and its key.
  public struct Entry: Hashable, Sendable {
    /// The key.
    public let key: String
    /// The value.
    public var value: Value

    /// Equal bytes and equal values.
    public static func == (first: Entry, second: Entry) -> Bool {
      first.key.utf8.elementsEqual(second.key.utf8) && first.value == second.value
    }

    /// Hashes the key's bytes and the value.
    public func hash(into hasher: inout Hasher) {
      for byte in key.utf8 { hasher.combine(byte) }
      hasher.combine(value)
    }
  }

  /// The entries, in the byte order of their keys.
  public private(set) var entries: [Entry] = []

  /// No entries.
  public init() {}

  /// The given entries; of several with one key the last counts.
  public init(_ pairs: some Sequence<(String, Value)>) {
    for (key, value) in pairs { self[key] = value }
  }

  /// The value under a key; nil where there is none.
  ///
  /// - Complexity: O(log n) to read, O(n) to add or remove.
  public subscript(key: String) -> Value? {
    get {
      let place = place(of: key)
      return holds(key, at: place) ? entries[place].value : nil
    }
    set {
      let place = place(of: key)
      switch (holds(key, at: place), newValue) {
      case (true, .some(let value)): entries[place].value = value
      case (true, nil): entries.remove(at: place)
      case (false, .some(let value)): entries.insert(Entry(key: key, value: value), at: place)
      case (false, nil): break
      }
    }
  }

  /// The keys, in byte order.
  public var keys: [String] { entries.map(\.key) }

  private func holds(_ key: String, at place: Int) -> Bool {
    place < entries.count && entries[place].key.utf8.elementsEqual(key.utf8)
  }

  /// Where a key stands, or would stand.
  private func place(of key: String) -> Int {
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

extension Value {
  /// Levels of lists and maps that a value of any type may have.
  package static let maximumDepth = 100

  /// The levels of lists and maps in this value; 0 for a single value.
  ///
  /// Looks no deeper than one level beyond ``maximumDepth``.
  package var depth: Int { depth(limit: Self.maximumDepth + 1) }

  private func depth(limit: Int) -> Int {
    guard limit > 0 else { return 0 }
    let inner: [Value]
    switch self {
    case .list(let elements): inner = elements
    case .map(let map): inner = map.entries.map(\.value)
    default: return 0
    }
    return 1 + (inner.map { $0.depth(limit: limit - 1) }.max() ?? 0)
  }
}
