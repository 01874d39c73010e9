package import CadastreModel
import CadastreSQLite
import Foundation

/// A traversal of the entries of an ordered index in ranges of values, in the order of the values; ties are in the
/// order of their keys.
///
/// Null precedes NaN, NaN precedes all numbers, and -0.0 equals 0.0. SQLite sorts what is stored as bytes after all
/// numbers: NaN, -0.0 and some dates. These entries are merged with those of the numbers.
///
/// Another program may have written a value that the type cannot hold, which reads as null or as another value. The
/// index has it in another position than that value, see ``hasForeignValues``.
package final class ValueIndexTraversal {
  private let connection: Connection
  private let sql: ValueIndexSQL
  private let type: PropertyType
  private let isAscending: Bool
  /// The parts that are not traversed yet, the next one last.
  private var parts: [Part]
  private var cursor: Cursor?
  /// Whether values are stored as bytes that are ordered otherwise; nil before they were searched.
  private var hasBytes: Bool?
  /// Whether values that read as null are searched before the entries with null.
  private var findsUnreadable = true
  /// Whether the traversal has ended because of a value that the type cannot hold; only a scan has all rows then.
  package private(set) var hasForeignValues = false

  /// A part of the entries.
  private enum Part {
    /// The entries with null.
    case null
    /// The entries with NaN.
    case notNumbers
    /// The entries with a value that has one stored form.
    case level(Value)
    /// The entries in a range.
    case range(ValueRange)
  }

  private enum Cursor {
    case level(LevelCursor)
    case range(RangeCursor)
    case merged(MergedCursor)
  }

  /// Starts at the first entry in some ranges of an index of a class.
  ///
  /// - Parameters:
  ///   - index: The index.
  ///   - layout: The class.
  ///   - ranges: The ranges, ascending and apart.
  ///   - isAscending: Whether the values ascend; ties are in ascending order of key in both directions.
  ///   - reader: The snapshot or transaction.
  ///   - integer: A column of type int to read with the keys; nil for none.
  package init(
    _ index: TableLayout.ValueIndex, _ layout: TableLayout, ranges: [ValueRange],
    isAscending: Bool, _ reader: any StoreReader, integer: Int? = nil
  ) {
    connection = reader.connection
    sql = integer.map { index.sql.reading([layout.columns[$0]]) } ?? index.sql
    let type = layout.columns[index.column].type
    self.type = type
    self.isAscending = isAscending
    let parts = ranges.flatMap { Self.parts(of: $0, type) }
    self.parts = isAscending ? parts.reversed() : parts
  }

  /// The value of the entry that was returned last; null before the first one and at the end.
  package var lastValue: Value {
    switch cursor {
    case nil: .null
    case .level(let cursor)?: cursor.value
    case .range(let cursor)?: cursor.value
    case .merged(let cursor)?: cursor.value
    }
  }

  /// Returns the next entry; nil at the end.
  ///
  /// - Complexity: O(log n) for the first entry of a range, O(1) for each further one, on average.
  package func next() throws(StoreError) -> IndexEntry? {
    while true {
      let (entry, isForeign): (IndexEntry?, Bool) =
        switch cursor {
        case nil: (nil, false)
        case .level(let cursor)?: (try cursor.next(), false)
        case .range(let cursor)?: (try cursor.next(), cursor.hasForeignValue)
        case .merged(let cursor)?: (try cursor.next(), cursor.hasForeignValue)
        }
      if let entry { return entry }
      cursor = nil
      if isForeign { endBecauseOfForeignValue() }
      guard let part = parts.popLast() else { return nil }
      cursor = try open(part)
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
    parts = Self.parts(of: .exactly(value), type)
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
  private static func parts(of range: ValueRange, _ type: PropertyType) -> [Part] {
    if let single = range.single {
      if single.isNull { return [.null] }
      if single.doubleValue?.isNaN == true { return [.notNumbers] }
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

  /// Returns the cursor of a part; nil where it would not have all entries.
  private func open(_ part: Part) throws(StoreError) -> Cursor? {
    switch part {
    case .null:
      if findsUnreadable, try hasUnreadable() {
        endBecauseOfForeignValue()
        return nil
      }
      return .level(try LevelCursor(.null, stored: [.null], sql, connection))
    case .notNumbers: return .level(try notNumbers())
    case .level(let value):
      return .level(try LevelCursor(value, stored: [value], sql, connection))
    case .range(let range):
      guard Self.hasNumbersAndBytes(type) else {
        return .range(stream(range, isAscending: isAscending))
      }
      let numbers = stream(range.ofNumbers(type), isAscending: isAscending)
      guard try findBytes() else { return .range(numbers) }
      var streams = [MergedCursor.Stream(cursor: numbers)]
      let form = BytesForm(type)
      if let positive = form.positive(range) {
        let cursor = stream(positive, isAscending: isAscending)
        streams.append(MergedCursor.Stream(cursor: cursor, range: range))
      }
      if let negative = form.negative(range) {
        // The bytes of negative numbers ascend with their magnitude.
        let cursor = stream(negative, isAscending: !isAscending)
        streams.append(MergedCursor.Stream(cursor: cursor, range: range))
      }
      return .merged(try MergedCursor(streams, isAscending: isAscending))
    }
  }

  private func stream(_ range: ValueRange, isAscending: Bool) -> RangeCursor {
    RangeCursor(range, type, isAscending: isAscending, sql, connection)
  }

  /// Returns whether some value is stored as bytes.
  private func findBytes() throws(StoreError) -> Bool {
    if let hasBytes { return hasBytes }
    let statement = try connection.statement(sql.bytes)
    defer { statement.reset() }
    let found = try statement.step()
    hasBytes = found
    return found
  }

  /// Returns whether a value reads as null that is neither null nor between values of the type.
  ///
  /// - Complexity: O(log n); O(n) in the number of dates that are stored as bytes.
  private func hasUnreadable() throws(StoreError) -> Bool {
    let statement = try connection.statement(sql.unreadable(type))
    defer { statement.reset() }
    return try statement.step()
  }

  /// Returns a cursor of the entries with NaN, whose bytes differ in sign and payload.
  private func notNumbers() throws(StoreError) -> LevelCursor {
    let form = BytesForm(type)
    let (positive, negative) = (form.stored(.nan), form.stored(-.nan))
    // NaN with other payloads is rare.
    let gaps = [
      (form.stored(.infinity), positive), (positive, form.stored(-0.0)),
      (form.stored(-.infinity), negative), (negative, nil),
    ]
    var others: [IndexEntry] = []
    for (lower, upper) in gaps {
      let range = ValueRange(
        lower: ValueRange.Bound(lower, isIncluded: false),
        upper: upper.map { ValueRange.Bound($0, isIncluded: false) })
      let statement = try connection.statement(sql.entries(in: range, isAscending: true))
      try statement.bind(endsOf: range)
      while try statement.step() {
        let isNaN = statement.value(sql.valuePosition, as: type).doubleValue?.isNaN == true
        if isNaN { others.append(sql.entry(statement)) }
      }
    }
    return try LevelCursor(
      type == .double ? .double(.nan) : .float(.nan), stored: [positive, negative],
      others: others, sql, connection)
  }
}

/// The form in which a column of fractions or dates stores some values as bytes: the bits of a number.
///
/// The bytes of numbers without a sign precede those of negative numbers, which are in reverse order.
private struct BytesForm {
  private let type: PropertyType

  init(_ type: PropertyType) { self.type = type }

  /// Returns the stored bytes of a number.
  func stored(_ number: Double) -> Value {
    func bytes(_ bits: some FixedWidthInteger) -> Value {
      .data(withUnsafeBytes(of: bits.bigEndian) { Data($0) })
    }
    guard type == .float else { return bytes(number.bitPattern) }
    let single = number.isNaN ? number.sign == .minus ? -Float.nan : Float.nan : Float(number)
    return bytes(single.bitPattern)
  }

  /// Returns a range of bytes with all numbers from 0 in a range of values, and few others; nil for none.
  func positive(_ range: ValueRange) -> ValueRange? {
    guard number(range.upper).map({ $0 >= 0 }) ?? true else { return nil }
    let lower = max(0, number(range.lower).map(below) ?? 0)
    let upper = number(range.upper).map { stored(above($0)) } ?? end(.infinity, 0x7f)
    return bytes(from: stored(lower), through: upper)
  }

  /// Returns a range of bytes with all numbers up to -0.0 in a range of values, and few others; nil for none.
  func negative(_ range: ValueRange) -> ValueRange? {
    guard number(range.lower).map({ $0 <= 0 }) ?? true else { return nil }
    let upper = -max(0, number(range.upper).map { -above($0) } ?? 0)
    let lower = number(range.lower).map { stored(below($0)) } ?? end(-.infinity, 0xff)
    return bytes(from: stored(upper), through: lower)
  }

  private func bytes(from first: Value, through last: Value) -> ValueRange {
    ValueRange(
      lower: ValueRange.Bound(first, isIncluded: true),
      upper: ValueRange.Bound(last, isIncluded: true))
  }

  /// Returns the last bytes of a sign: those of infinity, or of no date.
  private func end(_ infinity: Double, _ first: UInt8) -> Value {
    type == .date
      ? .data(Data([first]) + Data(repeating: 0xff, count: 7)) : stored(infinity)
  }

  /// Returns the number whose bits are near those of a bound.
  private func number(_ bound: ValueRange.Bound?) -> Double? {
    if case .date(let date)? = bound?.value { return date.date.timeIntervalSinceReferenceDate }
    return bound?.value.doubleValue
  }

  // A number may be rounded.
  private func below(_ number: Double) -> Double {
    type == .float ? Double(Float(number).nextDown) : number.nextDown
  }

  private func above(_ number: Double) -> Double {
    type == .float ? Double(Float(number).nextUp) : number.nextUp
  }
}

/// The entries of an ordered index with values that are equal, in the order of their keys.
private final class LevelCursor {
  /// The value.
  let value: Value
  /// A statement for each stored value that has entries left, at its next entry.
  private var heads: [(statement: Statement, entry: IndexEntry)] = []
  /// Further entries, the next one last.
  private var others: [IndexEntry]
  private let sql: ValueIndexSQL

  /// Starts at the first entry.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - stored: The stored values that are equal to it.
  ///   - others: Further entries, in any order.
  ///   - sql: The queries of the index.
  ///   - connection: The connection.
  /// - Throws: ``StoreError`` when reading fails.
  init(
    _ value: Value, stored: [Value], others: [IndexEntry] = [], _ sql: ValueIndexSQL,
    _ connection: Connection
  ) throws(StoreError) {
    self.value = value
    self.sql = sql
    self.others = others.sorted { $0.key > $1.key }
    for value in stored {
      let statement = try connection.statement(value.isNull ? sql.null : sql.equal)
      try statement.bind(value, at: 1)
      if try statement.step() { heads.append((statement, sql.entry(statement))) }
    }
  }

  deinit {
    // A statement at its end may run for another result already.
    for head in heads { head.statement.reset() }
  }

  /// Returns the next entry; nil at the end.
  func next() throws(StoreError) -> IndexEntry? {
    guard let first = heads.indices.min(by: { heads[$0].entry.key < heads[$1].entry.key }) else {
      return others.popLast()
    }
    let (statement, entry) = heads[first]
    if let other = others.last, other.key < entry.key { return others.popLast() }
    if try statement.step() {
      heads[first].entry = sql.entry(statement)
    } else {
      heads.remove(at: first)
    }
    return entry
  }
}

/// The entries of several ranges of an ordered index, in the order of their values; ties are in the order of their keys.
private final class MergedCursor {
  /// The entries of one range.
  struct Stream {
    let cursor: RangeCursor
    /// The range of the values; nil where the cursor has no others.
    var range: ValueRange?
    /// The next entry.
    fileprivate var entry = IndexEntry(key: 0)
    fileprivate var value = Value.null

    init(cursor: RangeCursor, range: ValueRange? = nil) {
      self.cursor = cursor
      self.range = range
    }

    /// Moves to the next entry; returns false at the end.
    fileprivate mutating func advance() throws(StoreError) -> Bool {
      while let entry = try cursor.next() {
        self.entry = entry
        value = cursor.value
        if range?.intersection(.exactly(value)).isEmpty != true { return true }
      }
      return false
    }
  }

  /// The streams that are not at their end.
  private var streams: [Stream] = []
  private let isAscending: Bool
  /// The value of the entry that was returned last.
  private(set) var value = Value.null
  /// Whether a value was found that the type cannot hold.
  private(set) var hasForeignValue = false

  /// Starts at the first entry.
  init(_ streams: [Stream], isAscending: Bool) throws(StoreError) {
    self.isAscending = isAscending
    for var stream in streams {
      if try stream.advance() {
        self.streams.append(stream)
      } else if stream.cursor.hasForeignValue {
        hasForeignValue = true
      }
    }
  }

  /// Returns the next entry; nil at the end.
  func next() throws(StoreError) -> IndexEntry? {
    guard !hasForeignValue,
      let first = streams.indices.min(by: { precedes(streams[$0], streams[$1]) })
    else { return nil }
    let entry = streams[first].entry
    value = streams[first].value
    if try !streams[first].advance() {
      hasForeignValue = streams[first].cursor.hasForeignValue
      streams.remove(at: first)
    }
    return entry
  }

  private func precedes(_ first: Stream, _ second: Stream) -> Bool {
    switch first.value.ordering(second.value) {
    case .same: first.entry.key < second.entry.key
    case .ascending: isAscending
    case .descending: !isAscending
    }
  }
}

/// The entries of an ordered index in one range, in the order of SQLite; ties are in the order of their keys.
private final class RangeCursor {
  private let connection: Connection
  private let sql: ValueIndexSQL
  private let type: PropertyType
  private let isAscending: Bool
  /// The range of the entries that the statement has read or will read.
  private var range: ValueRange
  /// The statement that reads the range; nil before the first entry and after the last one.
  private var statement: Statement?
  /// The entries with one value, where the values descend.
  private var level = Level()
  private var isAtEnd = false
  /// Whether the cursor has ended at a value that the type cannot hold, which only another program writes.
  private(set) var hasForeignValue = false

  /// The entries with one value, which a descending statement has in the reverse order of their keys.
  private struct Level {
    /// The stored value.
    var stored = Value.null
    /// The entries, the next one last.
    var entries: [IndexEntry] = []
    /// The statement that reads the entries of a long level in the order of their keys.
    var long: Statement?

    /// The number of entries above which a level is long, so that it is not read to its end at once.
    static let mostEntries = 32
  }

  init(
    _ range: ValueRange, _ type: PropertyType, isAscending: Bool, _ sql: ValueIndexSQL,
    _ connection: Connection
  ) {
    self.range = range
    self.type = type
    self.isAscending = isAscending
    self.sql = sql
    self.connection = connection
  }

  deinit {
    statement?.reset()
    level.long?.reset()
  }

  /// The value of the entry that was returned last.
  var value: Value {
    isAscending
      ? statement?.value(sql.valuePosition, as: type) ?? .null
      : level.stored.stored(as: type) ?? .null
  }

  /// Returns the next entry; nil at the end, after which it is not called again.
  func next() throws(StoreError) -> IndexEntry? {
    guard isAscending else { return try nextDescending() }
    if statement == nil { statement = try open() }
    guard let statement, try statement.step() else {
      // Another cursor may run the statement from now on.
      self.statement = nil
      return nil
    }
    guard fits(statement) else {
      endAtForeignValue()
      return nil
    }
    return sql.entry(statement)
  }

  private func nextDescending() throws(StoreError) -> IndexEntry? {
    while true {
      if let entry = level.entries.popLast() { return entry }
      if let long = level.long {
        if try long.step() { return sql.entry(long) }
        level.long = nil
        range.upper = ValueRange.Bound(level.stored, isIncluded: false)
      }
      if isAtEnd { return nil }
      if statement == nil {
        let opened = try open()
        guard try opened.step() else { return nil }
        statement = opened
      }
      try readLevel()
    }
  }

  /// Reads the entries with the value of the current one, or prepares to read them where they are many.
  private func readLevel() throws(StoreError) {
    guard let statement else { return }
    guard fits(statement) else { return endAtForeignValue() }
    level.stored = statement.storedValue(sql.valuePosition)
    repeat {
      guard level.entries.count < Level.mostEntries else {
        level.entries = []
        statement.reset()
        self.statement = nil
        let long = try connection.statement(sql.equal)
        try long.bind(level.stored, at: 1)
        level.long = long
        return
      }
      level.entries.append(sql.entry(statement))
      guard try statement.step() else {
        self.statement = nil
        isAtEnd = true
        return
      }
    } while statement.isStored(level.stored, sql.valuePosition)
  }

  private func endAtForeignValue() {
    hasForeignValue = true
    isAtEnd = true
    statement?.reset()
    statement = nil
  }

  /// Whether the current value is stored as Cadastre stores it, so that the index has it in the order of the values.
  private func fits(_ statement: Statement) -> Bool {
    let position = sql.valuePosition
    let storage = statement.storage(position)
    switch type {
    case .int: return storage == .integer
    case .bool: return storage == .integer && 0...1 ~= statement.integer(position)
    case .string: return storage == .text && statement.withTextBytes(position) { $0.isUTF8 }
    case .objectId: return storage == .blob && statement.withBlobBytes(position) { $0.count == 12 }
    case .UUID: return storage == .blob && statement.withBlobBytes(position) { $0.count == 16 }
    case .date where storage == .blob:
      // Bits that are no number read as some date.
      guard let bits = statement.double(position) else { return false }
      return !bits.isNaN
    case .date:
      return storage == .integer
        || storage == .real && StoredDate.isScaled(statement.real(position))
    case .double: return statement.double(position) != nil
    case .float:
      guard let number = statement.float(position) else { return false }
      return storage == .blob || Double(number) == statement.real(position)
    case .data, .decimal128, .geometry, .any, .object, .linkingObjects: return true
    }
  }

  private func open() throws(StoreError) -> Statement {
    let statement = try connection.statement(sql.entries(in: range, isAscending: isAscending))
    try statement.bind(endsOf: range)
    return statement
  }
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

extension Statement {
  /// Returns whether a column has a stored value.
  fileprivate func isStored(_ value: Value, _ column: Int) -> Bool {
    switch (value, storage(column)) {
    case (.int(let number), .integer): integer(column) == number
    case (.double(let number), .real): real(column) == number
    case (.string(let text), .text):
      withTextBytes(column) { $0.count == text.utf8.count && $0.elementsEqual(text.utf8) }
    case (.data(let bytes), .blob):
      withBlobBytes(column) { $0.count == bytes.count && $0.elementsEqual(bytes) }
    default: false
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the bytes are valid UTF-8.
  fileprivate var isUTF8: Bool {
    allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
  }
}
