/// The rows that changes modify, with the columns of each.
///
/// The only row, as that of most commits, takes no memory outside of the value.
package struct ModifiedRows: Sendable {
  /// The row, as long as there is only one.
  private var only: (key: Int64, columns: ColumnSet)?
  /// All rows, since there was a second one.
  private var table: ModifiedRowTable?

  /// No rows.
  package init() {}

  /// Whether there are no rows.
  package var isEmpty: Bool { count == 0 }

  /// The number of rows.
  package var count: Int { table?.count ?? (only == nil ? 0 : 1) }

  /// The keys, in no particular order.
  package var keys: [Int64] { map(\.key) }

  /// The columns of a row; nil where it is not modified.
  ///
  /// - Complexity: O(log n).
  package subscript(key: Int64) -> ColumnSet? {
    if let only, only.key == key { only.columns } else { table?[key] }
  }

  /// Adds a column of a row.
  ///
  /// - Complexity: Amortised O(1) for ascending keys, O(log n) for others.
  package mutating func insert(_ column: Int, of key: Int64) {
    if table == nil, only == nil { only = (key, []) }
    if only?.key == key {
      only?.columns.insert(column)
    } else {
      ownTable().insert(column, of: key)
    }
  }

  /// Adds columns of a row.
  package mutating func insert(_ columns: ColumnSet, of key: Int64) {
    for column in columns { insert(column, of: key) }
  }

  /// Removes a row.
  package mutating func remove(_ key: Int64) {
    if only?.key == key { only = nil } else if table?[key] != nil { ownTable().remove(key) }
  }

  /// Returns the table with all rows, which no other value shares.
  private mutating func ownTable() -> ModifiedRowTable {
    if isKnownUniquelyReferenced(&table), let table { return table }
    let made = ModifiedRowTable(copying: table)
    if let only {
      for column in only.columns { made.insert(column, of: only.key) }
      self.only = nil
    }
    table = made
    return made
  }
}

extension ModifiedRows: Sequence {
  /// Returns the rows one after the other.
  package func makeIterator() -> Iterator { Iterator(only: only, table: table?.makeIterator()) }

  /// An iterator over the rows.
  package struct Iterator: IteratorProtocol {
    fileprivate var only: (key: Int64, columns: ColumnSet)?
    fileprivate var table: ModifiedRowTable.Iterator?

    /// Returns the next row, or nil at the end.
    package mutating func next() -> (key: Int64, columns: ColumnSet)? {
      guard let row = only else { return table?.next() }
      only = nil
      return row
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
  package init(dictionaryLiteral rows: (Int64, ColumnSet)...) {
    for (key, columns) in rows { insert(columns, of: key) }
  }
}

/// The rows of a ``ModifiedRows`` with several.
///
/// Most bulk changes visit rows by ascending keys. Ascending rows take 10 bytes each without
/// hashing; rows in another order are in a dictionary.
// Safe because a table that several values share is copied before it is changed. Its properties are
// `@exclusivity(unchecked)`, as those of `TouchedCells`.
private final class ModifiedRowTable: @unchecked Sendable {
  /// The keys that came in ascending order.
  @exclusivity(unchecked) private var ascending: [Int64] = []
  /// The columns of each of them, as an index of `distinct`; nil for a row that is not modified any more.
  @exclusivity(unchecked) private var places: [UInt8?] = []
  /// The sets of columns of the rows in `ascending`.
  @exclusivity(unchecked) private var distinct: [ColumnSet] = []
  /// The only column of a set in `distinct`, which was changed last.
  @exclusivity(unchecked) private var lastSingle: (column: Int, place: UInt8)?
  /// The other rows.
  @exclusivity(unchecked) private var others: [Int64: ColumnSet] = [:]
  /// The number of rows.
  @exclusivity(unchecked) private(set) var count = 0

  /// Creates a table with the rows of another one; without rows for nil.
  init(copying other: ModifiedRowTable?) {
    guard let other else { return }
    (ascending, places, distinct) = (other.ascending, other.places, other.distinct)
    (lastSingle, others, count) = (other.lastSingle, other.others, other.count)
  }

  subscript(key: Int64) -> ColumnSet? {
    if let index = ascending.ascendingIndex(of: key), let place = places[index] {
      return distinct[Int(place)]
    }
    return others.isEmpty ? nil : others[key]
  }

  func insert(_ column: Int, of key: Int64) {
    guard let last = ascending.last, key <= last else {
      if !append(column, of: key) { insertOther(column, of: key) }
      return
    }
    guard let index = ascending.ascendingIndex(of: key), let place = places[index] else {
      return insertOther(column, of: key)
    }
    var columns = distinct[Int(place)]
    guard !columns.contains(column) else { return }
    columns.insert(column)
    set(columns, at: index)
  }

  func remove(_ key: Int64) {
    if let index = ascending.ascendingIndex(of: key), places[index] != nil {
      places[index] = nil
      count -= 1
    } else if others.removeValue(forKey: key) != nil {
      count -= 1
    }
  }

  /// Adds a row with the greatest key so far.
  ///
  /// - Returns: False where it belongs to the other rows.
  private func append(_ column: Int, of key: Int64) -> Bool {
    guard others.isEmpty || others[key] == nil, let place = placeOfSingle(column) else {
      return false
    }
    ascending.append(key)
    places.append(place)
    count += 1
    return true
  }

  private func insertOther(_ column: Int, of key: Int64) {
    let before = others.count
    others[key, default: []].insert(column)
    count += others.count - before
  }

  /// Sets the columns of a row in `ascending`.
  private func set(_ columns: ColumnSet, at index: Int) {
    if let place = place(of: columns) {
      places[index] = place
    } else {
      places[index] = nil
      others[ascending[index]] = columns
    }
  }

  private func placeOfSingle(_ column: Int) -> UInt8? {
    if let lastSingle, lastSingle.column == column { return lastSingle.place }
    guard let place = place(of: [column]) else { return nil }
    lastSingle = (column, place)
    return place
  }

  /// The index of a set in `distinct`; nil where there are too many others.
  private func place(of columns: ColumnSet) -> UInt8? {
    if let known = distinct.firstIndex(of: columns) { return UInt8(known) }
    guard distinct.count < Self.mostSets else { return nil }
    distinct.append(columns)
    return UInt8(distinct.count - 1)
  }

  /// The number of sets that are searched one after the other.
  private static let mostSets = 32

  // MARK: Iteration

  func makeIterator() -> Iterator { Iterator(table: self, others: others.makeIterator()) }

  /// An iterator over the rows: those in ascending order, then the others.
  struct Iterator {
    let table: ModifiedRowTable
    var index = 0
    var others: Dictionary<Int64, ColumnSet>.Iterator

    mutating func next() -> (key: Int64, columns: ColumnSet)? {
      while index < table.ascending.count {
        defer { index += 1 }
        if let place = table.places[index] {
          return (table.ascending[index], table.distinct[Int(place)])
        }
      }
      return others.next().map { ($0.key, $0.value) }
    }
  }
}
