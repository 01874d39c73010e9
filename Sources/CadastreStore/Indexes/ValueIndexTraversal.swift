package import CadastreModel
import CadastreSQLite
import Foundation

/// A traversal of the entries of an ordered index in ranges, in the order of the values; ties are in the order of their
/// keys.
///
/// Null precedes NaN, NaN precedes all numbers, and -0.0 equals 0.0. SQLite sorts what is stored as bytes after all
/// numbers: NaN, -0.0 and some dates. These entries are merged with those of the numbers. The entries of a compound
/// index with one value are in the order of the values in its next column.
///
/// Another program may have written a value that the type cannot hold, which reads as null or as another value. The
/// index has it in another position than that value, see ``hasForeignValues``.
package final class ValueIndexTraversal {
  private let isAscending: Bool
  /// The parts that are not traversed yet, the next one last.
  private var parts: [Part]
  /// The section of the part that is traversed.
  private var section: IndexSection
  private var cursor: (any IndexCursor)?
  /// Whether values of the section are stored as bytes that are ordered otherwise; nil before they were searched.
  private var hasBytes: Bool?
  /// Whether values that read as null are searched before the entries with null.
  private var findsUnreadable = true
  /// Whether the leading values may be null, so that values that read as null are searched in their columns.
  private let hasGivenLeadingValues: Bool
  /// Whether the traversal has ended because of a value that the type cannot hold; only a scan has all rows then.
  package private(set) var hasForeignValues = false

  /// A part of the entries.
  private struct Part {
    let section: IndexSection
    let content: Content

    enum Content {
      /// The entries with null.
      case null
      /// The entries with NaN.
      case notNumbers
      /// The entries with a value that has one stored form.
      case level(Value)
      /// The entries in a range.
      case range(ValueRange)
    }
  }

  /// Starts at the first entry in some ranges of an index of a class.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - layout: The class.
  ///   - ranges: The ranges, ascending and disjoint. No leading value is a fraction of zero, which has two stored forms.
  ///   - isAscending: Whether the values ascend; ties are in ascending order of key in both directions.
  ///   - reader: The snapshot or transaction.
  ///   - integer: A column of type int to read with the keys; nil for none.
  package convenience init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, ranges: [EntryRange],
    isAscending: Bool, _ reader: any StoreReader, integer: Int? = nil
  ) {
    let queries = index.queries(reading: integer.map { [$0] } ?? [], of: layout)
    func section(_ leading: [Value]) -> IndexSection {
      IndexSection(index, layout, leading: leading, queries, reader.connection)
    }
    self.init(
      ranges.flatMap { Self.parts(of: $0.values, section($0.leading)) }, of: section([]),
      isAscending: isAscending,
      hasGivenLeadingValues: ranges.contains { !$0.leading.isEmpty })
  }

  /// Starts at the first entry of a section.
  fileprivate convenience init(
    _ section: IndexSection, isAscending: Bool, findsUnreadable: Bool
  ) {
    let parts = ValueRange.everything.flatMap { Self.parts(of: $0, section) }
    self.init(parts, of: section, isAscending: isAscending, hasGivenLeadingValues: false)
    self.findsUnreadable = findsUnreadable
  }

  private init(
    _ parts: [Part], of section: IndexSection, isAscending: Bool, hasGivenLeadingValues: Bool
  ) {
    self.parts = isAscending ? parts.reversed() : parts
    self.section = section
    self.isAscending = isAscending
    self.hasGivenLeadingValues = hasGivenLeadingValues
  }

  /// The value of the entry that was returned last, in the column that its range restricts; null before the first entry
  /// and at the end.
  package var lastValue: Value { cursor?.value ?? .null }

  /// The values of the entry that was returned last, from the column that its range restricts on.
  fileprivate var lastValues: [Value] { cursor?.values ?? [] }

  /// Returns the next entry; nil at the end.
  ///
  /// - Complexity: O(log n) for the first entry of a range, O(1) for each further one, on average.
  package func next() throws(StoreError) -> IndexEntry? {
    while true {
      if let cursor {
        if let entry = try cursor.next() { return entry }
        let isForeign = cursor.hasForeignValue
        self.cursor = nil
        if isForeign { endBecauseOfForeignValue() }
      }
      guard let part = parts.popLast() else { return nil }
      if part.section.leading != section.leading { hasBytes = nil }
      section = part.section
      cursor = try open(part.content)
    }
  }

  /// Returns the next entries; fewer than a number only at the end.
  ///
  /// - Complexity: O(log n) for the first entry of a range, O(1) for each further one, on average.
  package func next(_ count: Int) throws(StoreError) -> [IndexEntry] {
    var entries: [IndexEntry] = []
    while entries.count < count, let entry = try next() { entries.append(entry) }
    return entries
  }

  /// Returns the number of entries that have the same value as the entry at a position; nil for many.
  ///
  /// The traversal must be at its start, and cannot be used afterwards.
  ///
  /// - Parameters:
  ///   - position: The position, counted from 1.
  ///   - limit: The largest number of entries that is not many.
  /// - Returns: The number; 0 where there are fewer entries than the position.
  /// - Throws: ``StoreError`` when reading fails.
  /// - Complexity: O(position + limit) steps of the index; one value is decoded.
  package func ties(at position: Int, limit: Int) throws(StoreError) -> Int? {
    // An estimate may miss values that read as null.
    findsUnreadable = false
    for _ in 0..<position where try next() == nil { return hasForeignValues ? nil : 0 }
    let value = lastValue
    // Its statements are free again.
    cursor = nil
    parts = Self.parts(of: .exactly(value), section)
    var count = 0
    while try next() != nil {
      count += 1
      if count > limit { return nil }
    }
    return count
  }

  private func endBecauseOfForeignValue() {
    hasForeignValues = true
    parts = []
  }

  // MARK: Parts

  /// Returns the parts of a range, ascending.
  private static func parts(of range: ValueRange, _ section: IndexSection) -> [Part] {
    contents(of: range, section.type).map { Part(section: section, content: $0) }
  }

  private static func contents(of range: ValueRange, _ type: PropertyType) -> [Part.Content] {
    if let single = range.single {
      if single.isNull { return [.null] }
      if single.isNaN { return [.notNumbers] }
      return hasNumbersAndBytes(type) ? [.range(range)] : [.level(single)]
    }
    // NaN belongs only to the range without bounds.
    let hasNaN = (type == .double || type == .float) && range.lower == nil && range.upper == nil
    return hasNaN ? [.notNumbers, .range(range)] : [.range(range)]
  }

  /// Whether a type stores some values as numbers and others as bytes.
  private static func hasNumbersAndBytes(_ type: PropertyType) -> Bool {
    type == .date || type == .double || type == .float
  }

  // MARK: Cursors

  /// Returns the cursor of a part of the section; nil where it would not have all entries.
  private func open(_ content: Part.Content) throws(StoreError) -> (any IndexCursor)? {
    if findsUnreadable, hasGivenLeadingValues {
      for (column, value) in section.leading.enumerated() where value.isNull {
        guard try !hasUnreadable(section.section(ofFirst: column)) else {
          endBecauseOfForeignValue()
          return nil
        }
      }
    }
    switch content {
    case .null:
      if findsUnreadable, try hasUnreadable(section) {
        endBecauseOfForeignValue()
        return nil
      }
      return try level(.null, stored: [.null])
    case .notNumbers: return try notNumbers()
    case .level(let value): return try level(value, stored: [value])
    case .range(let range):
      guard Self.hasNumbersAndBytes(section.type) else {
        return stream(range, isAscending: isAscending)
      }
      let numbers = stream(range.ofNumbers(section.type), isAscending: isAscending)
      guard try findBytes() else { return numbers }
      var streams = [MergedCursor.Stream(cursor: numbers)]
      let form = BytesForm(section.type)
      if let positive = form.positive(range) {
        let cursor = stream(positive, isAscending: isAscending)
        streams.append(MergedCursor.Stream(cursor: cursor, range: range))
      }
      if let negative = form.negative(range) {
        // The bytes of negative numbers ascend with their magnitude.
        let cursor = stream(negative, isAscending: !isAscending)
        streams.append(MergedCursor.Stream(cursor: cursor, range: range))
      }
      return try MergedCursor(streams, isAscending: isAscending)
    }
  }

  private func stream(_ range: ValueRange, isAscending isStreamAscending: Bool) -> RangeCursor {
    RangeCursor(
      range, of: section, isAscending: isStreamAscending,
      level: LevelOrder(isAscending: isAscending, findsUnreadable: findsUnreadable))
  }

  /// Returns a cursor of the entries with a value, whose stored forms are given.
  private func level(_ value: Value, stored: [Value]) throws(StoreError) -> any IndexCursor {
    guard !section.isLast else { return try LevelCursor(value, stored: stored, of: section) }
    let order = LevelOrder(isAscending: isAscending, findsUnreadable: findsUnreadable)
    let streams = stored.map {
      MergedCursor.Stream(cursor: SectionCursor(value, section.section($0), order))
    }
    return streams.count == 1
      ? streams[0].cursor : try MergedCursor(streams, isAscending: isAscending)
  }

  /// Returns whether some value of the section is stored as bytes.
  private func findBytes() throws(StoreError) -> Bool {
    if let hasBytes { return hasBytes }
    let statement = try section.statement(section.sql.bytes)
    defer { statement.reset() }
    let found = try statement.step()
    hasBytes = found
    return found
  }

  /// Returns whether a value reads as null that is neither null nor between values of the type.
  ///
  /// - Complexity: O(log n); O(n) in the number of dates that are stored as bytes.
  private func hasUnreadable(_ section: IndexSection) throws(StoreError) -> Bool {
    let statement = try section.statement(section.sql.unreadable(section.type))
    defer { statement.reset() }
    return try statement.step()
  }

  /// Returns a cursor of the entries with NaN, whose bytes differ in sign and payload.
  private func notNumbers() throws(StoreError) -> any IndexCursor {
    let type = section.type
    let form = BytesForm(type)
    let (positive, negative) = (form.stored(.nan), form.stored(-.nan))
    // NaN with other payloads is rare.
    let gaps = [
      (form.stored(.infinity), positive), (positive, form.stored(-0.0)),
      (form.stored(-.infinity), negative), (negative, nil),
    ]
    let sql = section.sql
    var others: [(entry: IndexEntry, stored: Value)] = []
    for (lower, upper) in gaps {
      let range = ValueRange(
        lower: ValueRange.Bound(lower, isIncluded: false),
        upper: upper.map { ValueRange.Bound($0, isIncluded: false) })
      let statement = try section.statement(sql.entries(in: range, isAscending: true))
      try section.bind(endsOf: range, to: statement)
      while try statement.step() {
        if statement.value(sql.valuePosition, as: type).isNaN {
          others.append((sql.entry(statement), statement.storedValue(sql.valuePosition)))
        }
      }
    }
    let value: Value = type == .double ? .double(.nan) : .float(.nan)
    guard section.isLast else {
      // Entries with one stored value are together in the index.
      var forms = [positive, negative]
      for (_, stored) in others where forms.last != stored { forms.append(stored) }
      return try level(value, stored: forms)
    }
    return try LevelCursor(
      value, stored: [positive, negative], others: others.map(\.entry), of: section)
  }
}

/// The order of the entries of a compound index that have one value in a column.
struct LevelOrder {
  /// Whether the values of the following columns ascend.
  let isAscending: Bool
  /// Whether values that read as null are searched in these columns.
  let findsUnreadable: Bool
}

/// The entries of a compound index that have one stored value in a column, in the order of the columns that follow it.
final class SectionCursor: IndexCursor {
  let value: Value
  private let traversal: ValueIndexTraversal

  /// Starts at the first entry.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - section: The entries with its stored form.
  ///   - order: The order.
  init(_ value: Value, _ section: IndexSection, _ order: LevelOrder) {
    self.value = value
    traversal = ValueIndexTraversal(
      section, isAscending: order.isAscending, findsUnreadable: order.findsUnreadable)
  }

  var values: [Value] { [value] + traversal.lastValues }
  var hasForeignValue: Bool { traversal.hasForeignValues }

  func next() throws(StoreError) -> IndexEntry? { try traversal.next() }
}

extension ValueRange {
  /// The part of the range with values that are stored as numbers, in a column that also has values stored as bytes.
  ///
  /// Without an upper bound it has texts too, which only another program writes.
  fileprivate func ofNumbers(_ type: PropertyType) -> ValueRange {
    if type == .date { return ofNumbers }
    return ValueRange(lower: lower, upper: upper ?? Bound(.data(Data()), isIncluded: false))
  }
}
