/// The rows that changes modify, with the columns of each.
///
/// Most bulk changes visit rows by ascending keys. Ascending rows take 10 bytes each without
/// hashing; rows in another order are in a dictionary.
package struct ModifiedRows: Sendable {
  /// The keys that came in ascending order.
  private var ascending: [Int64] = []
  /// The columns of each of them, as an index of `distinct`; nil for a row that is not modified any more.
  private var places: [UInt8?] = []
  /// The sets of columns of the rows in `ascending`.
  private var distinct: [Set<Int>] = []
  /// The only column of a set in `distinct`, which was changed last.
  private var lastSingle: (column: Int, place: UInt8)?
  /// The other rows.
  private var others: [Int64: Set<Int>] = [:]
  /// The number of rows.
  package private(set) var count = 0

  /// No rows.
  package init() {}

  /// Whether there are no rows.
  package var isEmpty: Bool { count == 0 }

  /// The keys, in no particular order.
  package var keys: [Int64] { map(\.key) }

  /// The columns that are modified in some row, and possibly others that were.
  package var columns: Set<Int> {
    others.values.reduce(distinct.reduce([]) { $0.union($1) }) { $0.union($1) }
  }

  /// The columns of a row; nil where it is not modified.
  ///
  /// - Complexity: O(log n).
  package subscript(key: Int64) -> Set<Int>? {
    if let index = ascending.ascendingIndex(of: key), let place = places[index] {
      return distinct[Int(place)]
    }
    return others.isEmpty ? nil : others[key]
  }

  /// Adds a column of a row.
  ///
  /// - Complexity: Amortised O(1) for ascending keys, O(log n) for others.
  package mutating func insert(_ column: Int, of key: Int64) {
    guard let last = ascending.last, key <= last else {
      if !append(column, of: key) { insertOther(column, of: key) }
      return
    }
    guard let index = ascending.ascendingIndex(of: key), let place = places[index] else {
      return insertOther(column, of: key)
    }
    let columns = distinct[Int(place)]
    if !columns.contains(column) { set(columns.union([column]), at: index) }
  }

  /// Adds columns of a row.
  package mutating func insert(_ columns: Set<Int>, of key: Int64) {
    for column in columns { insert(column, of: key) }
  }

  /// Removes a row.
  package mutating func remove(_ key: Int64) {
    if let index = ascending.ascendingIndex(of: key), places[index] != nil {
      places[index] = nil
      count -= 1
    } else if !others.isEmpty, others.removeValue(forKey: key) != nil {
      count -= 1
    }
  }

  /// Adds a row with the greatest key so far.
  ///
  /// - Returns: False where it belongs to the other rows.
  private mutating func append(_ column: Int, of key: Int64) -> Bool {
    guard others.isEmpty || others[key] == nil, let place = placeOfSingle(column) else {
      return false
    }
    ascending.append(key)
    places.append(place)
    count += 1
    return true
  }

  private mutating func insertOther(_ column: Int, of key: Int64) {
    let before = others.count
    others[key, default: []].insert(column)
    count += others.count - before
  }

  /// Sets the columns of a row in `ascending`.
  private mutating func set(_ columns: Set<Int>, at index: Int) {
    if let place = place(of: columns) {
      places[index] = place
    } else {
      places[index] = nil
      others[ascending[index]] = columns
    }
  }

  private mutating func placeOfSingle(_ column: Int) -> UInt8? {
    if let lastSingle, lastSingle.column == column { return lastSingle.place }
    guard let place = place(of: [column]) else { return nil }
    lastSingle = (column, place)
    return place
  }

  /// The index of a set in `distinct`; nil where there are too many others.
  private mutating func place(of columns: Set<Int>) -> UInt8? {
    if let known = distinct.firstIndex(of: columns) { return UInt8(known) }
    guard distinct.count < Self.mostSets else { return nil }
    distinct.append(columns)
    return UInt8(distinct.count - 1)
  }

  /// The number of sets that are searched one after the other.
  private static let mostSets = 32
}

extension ModifiedRows: Sequence {
  /// Returns the rows one after the other.
  package func makeIterator() -> Iterator { Iterator(self) }

  /// An iterator over the rows.
  package struct Iterator: IteratorProtocol {
    private let rows: ModifiedRows
    private var index = 0
    private var others: Dictionary<Int64, Set<Int>>.Iterator

    fileprivate init(_ rows: ModifiedRows) {
      self.rows = rows
      others = rows.others.makeIterator()
    }

    /// Returns the next row, or nil at the end.
    package mutating func next() -> (key: Int64, columns: Set<Int>)? {
      while index < rows.ascending.count {
        defer { index += 1 }
        if let place = rows.places[index] {
          return (rows.ascending[index], rows.distinct[Int(place)])
        }
      }
      return others.next().map { ($0.key, $0.value) }
    }
  }
}

extension ModifiedRows: Hashable {
  /// Whether the same columns of the same rows are modified.
  package static func == (left: Self, right: Self) -> Bool {
    left.count == right.count && left.allSatisfy { right[$0.key] == $0.columns }
  }

  /// Hashes the number of rows.
  package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension ModifiedRows: ExpressibleByDictionaryLiteral {
  /// Rows with their columns.
  package init(dictionaryLiteral rows: (Int64, Set<Int>)...) {
    for (key, columns) in rows { insert(columns, of: key) }
  }
}
