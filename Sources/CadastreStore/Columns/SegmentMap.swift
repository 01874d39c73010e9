/// Values by the numbers of segments.
///
/// Scans hold copies of the map while other readers change it. Segments are in groups, so that a change of a map with
/// copies copies one group and the list of groups, and not all values.
struct SegmentMap<Value: Sendable>: Sendable {
  /// The values of 64 consecutive segments, which are those of 262,144 keys.
  private struct Group: Sendable {
    /// The values by the low bits of the number; shorter where the last segments have none.
    var values: [Value?] = []
    /// The number of values.
    var count = 0

    subscript(slot: Int) -> Value? { slot < values.count ? values[slot] : nil }

    /// Sets a value; returns the one before.
    mutating func replace(_ slot: Int, with value: Value?) -> Value? {
      if values.isEmpty { values.reserveCapacity(1 << Int(groupBits)) }
      while slot >= values.count { values.append(nil) }
      let former = values[slot]
      values[slot] = value
      count += (value == nil ? 0 : 1) - (former == nil ? 0 : 1)
      return former
    }
  }

  private var groups: [Int64: Group] = [:]
  /// The number of values.
  private(set) var count = 0

  /// The number of bits of the number of a segment within its group.
  private static var groupBits: Int64 { 6 }

  private static func group(of number: Int64) -> Int64 { number >> groupBits }

  private static func slot(of number: Int64) -> Int { Int(number & (1 << groupBits - 1)) }

  /// Whether the map is empty.
  var isEmpty: Bool { count == 0 }

  /// The numbers of the segments.
  var numbers: some Sequence<Int64> {
    groups.lazy.flatMap { group, content in
      content.values.indices.filter { content.values[$0] != nil }
        .map { group << Self.groupBits | Int64($0) }
    }
  }

  subscript(number: Int64) -> Value? {
    groups[Self.group(of: number)]?[Self.slot(of: number)]
  }

  /// Sets the value of a segment; returns the one before.
  ///
  /// - Complexity: O(n / 64) for n consecutive segments where the map has copies, O(1) otherwise.
  @discardableResult
  mutating func update(_ number: Int64, with value: Value) -> Value? {
    let former = groups[Self.group(of: number), default: Group()].replace(
      Self.slot(of: number), with: value)
    if former == nil { count += 1 }
    return former
  }

  /// Changes the value of a segment in place; returns nil where there is none.
  mutating func change<Result>(
    _ number: Int64, _ body: (inout Value) -> Result
  ) -> Result? {
    guard let index = groups.index(forKey: Self.group(of: number)) else { return nil }
    let slot = Self.slot(of: number)
    guard var value = groups.values[index][slot] else { return nil }
    // The map does not share the value while it changes.
    groups.values[index].values[slot] = nil
    let result = body(&value)
    groups.values[index].values[slot] = value
    return result
  }

  /// Removes the value of a segment; returns nil where there is none.
  @discardableResult
  mutating func remove(_ number: Int64) -> Value? {
    let group = Self.group(of: number)
    guard self[number] != nil,
      let removed = groups[group]?.replace(Self.slot(of: number), with: nil)
    else { return nil }
    if groups[group]?.count == 0 { groups[group] = nil }
    count -= 1
    return removed
  }

  /// Removes any value; returns nil where there is none.
  mutating func removeFirst() -> Value? {
    guard let (group, content) = groups.first,
      let slot = content.values.firstIndex(where: { $0 != nil })
    else { return nil }
    return remove(group << Self.groupBits | Int64(slot))
  }
}
