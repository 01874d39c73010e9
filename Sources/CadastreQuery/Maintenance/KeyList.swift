/// The keys of a query's result, updated in place when a few objects change.
package struct KeyList {
  /// The keys, in the order of the result.
  package private(set) var keys: [Int64]
  /// Whether the keys are in ascending order; else a closure compares two of them.
  let isAscending: Bool

  /// A list of keys.
  package init(_ keys: [Int64], isAscending: Bool) {
    self.keys = keys
    self.isAscending = isAscending
  }

  /// The indexes of some keys, ascending; keys that are not in the list are left out.
  ///
  /// - Parameter wanted: The keys, ascending.
  /// - Returns: The indexes.
  /// - Complexity: O(k log n) for k keys of an ascending list, else O(n).
  package func indexes(of wanted: [Int64]) -> [Int] {
    if isAscending { return wanted.compactMap { ascendingIndex(of: $0) } }
    if wanted.isEmpty { return [] }
    if wanted.count <= Self.fewKeys { return keys.indices.filter { wanted.contains(keys[$0]) } }
    let wanted = Set(wanted)
    return keys.indices.filter { wanted.contains(keys[$0]) }
  }

  /// The index of a key in an ascending list; nil where the list does not have it.
  private func ascendingIndex(of key: Int64) -> Int? {
    let position = position(of: key)
    return position < keys.count && keys[position] == key ? position : nil
  }

  /// The index of the first key that is not less.
  private func position(of key: Int64) -> Int { position { $0 < key } }

  private func position(isBefore: (Int64) throws -> Bool) rethrows -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if try isBefore(keys[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Updates the list after some objects have changed.
  ///
  /// - Parameters:
  ///   - touched: The keys of objects that were changed or deleted, ascending.
  ///   - matching: Those of them that match now, in the order of the list.
  ///   - isBefore: Whether one key precedes another, in a list that is not ascending.
  /// - Returns: The difference; an object that changed and kept its position is not part of it.
  /// - Throws: What the closure throws; the list is unchanged then.
  mutating func replace(
    _ touched: [Int64], by matching: [Int64],
    isBefore: (Int64, Int64) throws -> Bool
  ) rethrows -> SequenceDifference {
    if isAscending { return replaceAscending(touched, by: matching) }
    let removed = indexes(of: touched)
    let removedKeys = removed.map { keys[$0] }
    remove(removed)
    // The position of each among the keys that are untouched.
    let positions: [Int]
    do {
      positions = try matching.map { key in try position { try isBefore($0, key) } }
    } catch {
      insert(removedKeys, at: zip(removed, 0...).map(-))
      throw error
    }
    insert(matching, at: positions)
    // An object between the same untouched neighbours may have kept its position.
    var origin: [Int64: (index: Int, position: Int)] = [:]
    for (number, index) in removed.enumerated() {
      origin[removedKeys[number]] = (index, index - number)
    }
    let origins = zip(matching, positions).map { key, position -> Int? in
      guard let origin = origin[key], origin.position == position else { return nil }
      return origin.index
    }
    return SequenceDifference(origins: origins, old: removed, new: zip(positions, 0...).map(+))
  }

  /// Updates an ascending list: an object that matches before and now keeps its index.
  private mutating func replaceAscending(
    _ touched: [Int64], by matching: [Int64]
  ) -> SequenceDifference {
    var next = 0
    let gone = touched.filter { key in
      while next < matching.count, matching[next] < key { next += 1 }
      return next == matching.count || matching[next] != key
    }
    let removed = indexes(of: gone)
    let added = matching.filter { ascendingIndex(of: $0) == nil }
    remove(removed)
    let positions = added.map { position(of: $0) }
    insert(added, at: positions)
    return SequenceDifference(
      deletions: removed, insertions: positions.isEmpty ? [] : zip(positions, 0...).map(+))
  }

  private mutating func remove(_ indexes: [Int]) {
    guard indexes.count > Self.fewMoves else {
      for index in indexes.reversed() { keys.remove(at: index) }
      return
    }
    var next = indexes.makeIterator()
    var skipped = next.next()
    var position = 0
    for index in keys.indices {
      if index == skipped {
        skipped = next.next()
      } else {
        keys[position] = keys[index]
        position += 1
      }
    }
    keys.removeLast(keys.count - position)
  }

  /// Inserts keys before those at some positions, ascending, all counted before the first
  /// insertion.
  private mutating func insert(_ new: [Int64], at positions: [Int]) {
    guard new.count > Self.fewMoves else {
      for (number, position) in positions.enumerated() {
        keys.insert(new[number], at: position + number)
      }
      return
    }
    var merged: [Int64] = []
    merged.reserveCapacity(keys.count + new.count)
    var start = 0
    for (number, position) in positions.enumerated() {
      merged += keys[start..<position]
      merged.append(new[number])
      start = position
    }
    keys = merged + keys[start...]
  }

  /// The largest number of keys that are compared one by one; more are hashed.
  private static let fewKeys = 4
  /// The largest number of keys that are moved one by one; more are moved in one pass.
  private static let fewMoves = 8
}
