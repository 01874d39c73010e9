/// Values by the numbers of segments.
///
/// Scans hold copies of the map while other readers change it. Segments are in groups, so that a change of a map with
/// copies copies one group and the list of groups, and not all values.
struct SegmentMap<Value: Sendable>: Sendable {
  private var groups: [Int64: [Int64: Value]] = [:]
  /// The number of values.
  private(set) var count = 0

  /// The number of bits of the number of a segment within its group: 64 segments are those of 262,144 keys.
  private static var groupBits: Int64 { 6 }

  private static func group(of number: Int64) -> Int64 { number >> groupBits }

  /// Whether the map is empty.
  var isEmpty: Bool { count == 0 }

  /// The numbers of the segments.
  var numbers: some Sequence<Int64> { groups.values.lazy.flatMap(\.keys) }

  subscript(number: Int64) -> Value? { groups[Self.group(of: number)]?[number] }

  /// Sets the value of a segment; returns the one before.
  ///
  /// - Complexity: O(n / 64) for n consecutive segments where the map has copies, O(1) otherwise.
  @discardableResult
  mutating func update(_ number: Int64, with value: Value) -> Value? {
    let former = groups[Self.group(of: number), default: [:]].updateValue(value, forKey: number)
    if former == nil { count += 1 }
    return former
  }

  /// Changes the value of a segment in place; returns nil where there is none.
  mutating func change<Result>(
    _ number: Int64, _ body: (inout Value) -> Result
  ) -> Result? {
    let group = Self.group(of: number)
    guard let index = groups.index(forKey: group),
      let inner = groups.values[index].index(forKey: number)
    else { return nil }
    return body(&groups.values[index].values[inner])
  }

  /// Removes the value of a segment; returns nil where there is none.
  @discardableResult
  mutating func remove(_ number: Int64) -> Value? {
    let group = Self.group(of: number)
    guard let removed = groups[group]?.removeValue(forKey: number) else { return nil }
    if groups[group]?.isEmpty == true { groups[group] = nil }
    count -= 1
    return removed
  }

  /// Removes any value; returns nil where there is none.
  mutating func removeFirst() -> Value? {
    guard let number = groups.first?.value.keys.first else { return nil }
    return remove(number)
  }
}
