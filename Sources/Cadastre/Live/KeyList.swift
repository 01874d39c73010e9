/// The keys of the objects that a question has found, as they follow the changes of a few objects.
struct KeyList {
  private(set) var keys: [Int64]
  /// Whether they stand in their own order; else in one that a closure knows.
  let isAscending: Bool

  init(_ keys: [Int64], isAscending: Bool) {
    self.keys = keys
    self.isAscending = isAscending
  }

  /// The indexes of some keys, ascending; those that are not in the list are left out.
  ///
  /// - Complexity: O(k log n) for k keys of an ascending list, else O(n).
  func indexes(of wanted: some Collection<Int64>) -> [Int] {
    guard !wanted.isEmpty else { return [] }
    if isAscending {
      return wanted.compactMap { key in
        let place = place(of: key)
        return place < keys.count && keys[place] == key ? place : nil
      }.sorted()
    }
    let wanted = Set(wanted)
    if wanted.count <= 4 {
      let few = Array(wanted)
      return keys.indices.filter { few.contains(keys[$0]) }
    }
    return keys.indices.filter { wanted.contains(keys[$0]) }
  }

  /// The index of the first key that is not less.
  private func place(of key: Int64) -> Int { place { $0 < key } }

  private func place(isBefore: (Int64) throws -> Bool) rethrows -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if try isBefore(keys[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Replaces what is known of some objects.
  ///
  /// - Parameters:
  ///   - touched: The keys of objects that have changed, or are gone.
  ///   - matching: Those of them that belong in the list now, in its order.
  ///   - isBefore: Whether one key stands before another, in a list that is not ascending.
  /// - Returns: What has moved; an object that changed and kept its place has not.
  /// - Throws: What the closure throws.
  mutating func replace(
    _ touched: Set<Int64>, by matching: [Int64],
    isBefore: (Int64, Int64) throws -> Bool
  ) rethrows -> Movement {
    let removed = indexes(of: touched)
    let removedKeys = removed.map { keys[$0] }
    remove(removed)
    // Where each goes among those that have not been touched.
    let places = try matching.map { key in
      isAscending ? place(of: key) : try place { try isBefore($0, key) }
    }
    insert(matching, at: places)
    // An object whose neighbours that were not touched are the same may have stayed.
    var origin: [Int64: (index: Int, place: Int)] = [:]
    for (number, index) in removed.enumerated() {
      origin[removedKeys[number]] = (index, index - number)
    }
    let origins = zip(matching, places).map { key, place -> Int? in
      guard let origin = origin[key], origin.place == place else { return nil }
      return origin.index
    }
    let stayed = Movement.longestAscending(origins)
    let keptOld = Set(stayed.compactMap { origins[$0] })
    let keptNew = Set(stayed)
    return Movement(
      deletions: removed.filter { !keptOld.contains($0) },
      insertions: places.indices.filter { !keptNew.contains($0) }.map { places[$0] + $0 })
  }

  private mutating func remove(_ indexes: [Int]) {
    guard indexes.count > Self.fewMoves else {
      for index in indexes.reversed() { keys.remove(at: index) }
      return
    }
    var next = indexes.makeIterator()
    var skipped = next.next()
    var place = 0
    for index in keys.indices {
      if index == skipped {
        skipped = next.next()
      } else {
        keys[place] = keys[index]
        place += 1
      }
    }
    keys.removeLast(keys.count - place)
  }

  /// Inserts keys before those at some places, ascending, all counted before the first is inserted.
  private mutating func insert(_ new: [Int64], at places: [Int]) {
    guard new.count > Self.fewMoves else {
      for (number, place) in places.enumerated() { keys.insert(new[number], at: place + number) }
      return
    }
    var merged: [Int64] = []
    merged.reserveCapacity(keys.count + new.count)
    var start = 0
    for (number, place) in places.enumerated() {
      merged += keys[start..<place]
      merged.append(new[number])
      start = place
    }
    keys = merged + keys[start...]
  }

  /// Keys that are moved one by one; more are moved in one pass.
  private static let fewMoves = 8
}
