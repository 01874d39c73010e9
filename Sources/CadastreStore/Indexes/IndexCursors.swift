import CadastreModel
import CadastreSQLite

/// The entries of a part of an ordered index, in order.
protocol IndexCursor: AnyObject {
  /// The value of the entry that was returned last, in the first column of the part.
  var value: Value { get }
  /// The values of the entry that was returned last, from the first column of the part on.
  var values: [Value] { get }
  /// Whether the cursor has ended at a value that the type cannot hold, which only another program writes.
  var hasForeignValue: Bool { get }
  /// Returns the next entry; nil at the end, after which it is not called again.
  func next() throws(StoreError) -> IndexEntry?
}

/// The entries of an ordered index with values that are equal in its last column, in the order of their keys.
final class LevelCursor: IndexCursor {
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
  ///   - section: The section of the index.
  /// - Throws: ``StoreError`` when reading fails.
  init(
    _ value: Value, stored: [Value], others: [IndexEntry] = [], of section: IndexSection
  ) throws(StoreError) {
    self.value = value
    sql = section.sql
    self.others = others.sorted { $0.key > $1.key }
    for value in stored {
      let statement = try section.statement(value.isNull ? sql.null : sql.equal)
      try section.bind(value, to: statement)
      if try statement.step() { heads.append((statement, sql.entry(statement))) }
    }
  }

  deinit {
    // A statement at its end may run for another result already.
    for head in heads { head.statement.reset() }
  }

  var values: [Value] { [value] }
  var hasForeignValue: Bool { false }

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

/// The entries of several parts of an ordered index, in the order of their values; ties are in the order of their keys.
final class MergedCursor: IndexCursor {
  /// The entries of one part.
  struct Stream {
    let cursor: any IndexCursor
    /// The range of the values; nil where the cursor has no others.
    var range: ValueRange?
    /// The next entry.
    fileprivate var entry = IndexEntry(key: 0)
    fileprivate var values: [Value] = []

    init(cursor: any IndexCursor, range: ValueRange? = nil) {
      self.cursor = cursor
      self.range = range
    }

    /// Moves to the next entry; returns false at the end.
    fileprivate mutating func advance() throws(StoreError) -> Bool {
      while let entry = try cursor.next() {
        self.entry = entry
        values = cursor.values
        if range?.intersection(.exactly(values[0])).isEmpty != true { return true }
      }
      return false
    }
  }

  /// The streams that are not at their end.
  private var streams: [Stream] = []
  private let isAscending: Bool
  private(set) var values: [Value] = []
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

  var value: Value { values.first ?? .null }

  func next() throws(StoreError) -> IndexEntry? {
    guard !hasForeignValue,
      let first = streams.indices.min(by: { precedes(streams[$0], streams[$1]) })
    else { return nil }
    let entry = streams[first].entry
    values = streams[first].values
    if try !streams[first].advance() {
      hasForeignValue = streams[first].cursor.hasForeignValue
      streams.remove(at: first)
    }
    return entry
  }

  private func precedes(_ first: Stream, _ second: Stream) -> Bool {
    first.values.precede(
      second.values, isAscending: isAscending, keys: (first.entry.key, second.entry.key))
  }
}

/// The entries of an ordered index in one range, in the order of SQLite; ties are in the order of the columns that
/// follow, and then of their keys.
final class RangeCursor: IndexCursor {
  private let section: IndexSection
  private let sql: ValueIndexSQL
  private let isAscending: Bool
  private let levelOrder: LevelOrder
  private let type: PropertyType
  /// The types of the columns that follow.
  private let furtherTypes: [PropertyType]
  /// The range of the entries that the statement has read or will read.
  private var range: ValueRange
  /// The statement that reads the range; nil before the first entry and after the last one.
  private var statement: Statement?
  /// The entries with the current value, if the statement returns them in another order.
  private var level = Level()
  private var isAtEnd = false
  private(set) var hasForeignValue = false

  /// The entries with one value.
  ///
  /// A descending statement has them in the reverse order of their keys. In the columns that follow, a statement has
  /// what is stored as bytes in another order.
  private struct Level {
    /// The stored value.
    var stored = Value.null
    /// The entries, the next one last.
    var entries: [(entry: IndexEntry, further: [Value])] = []
    /// The values of the entry that was returned last in the columns that follow.
    var further: [Value] = []
    /// The cursor of a long level.
    var long: (any IndexCursor)?

    /// The number of entries above which a level is long, so that it is not read to its end at once.
    static let mostEntries = 32
  }

  /// Starts before the first entry.
  ///
  /// - Parameters:
  ///   - range: The range of the values in the next column of the section.
  ///   - section: The section of the index.
  ///   - isAscending: Whether the stored values ascend.
  ///   - levelOrder: The order of entries with one value.
  init(
    _ range: ValueRange, of section: IndexSection, isAscending: Bool, level levelOrder: LevelOrder
  ) {
    self.range = range
    self.section = section
    self.isAscending = isAscending
    self.levelOrder = levelOrder
    sql = section.sql
    type = section.type
    furtherTypes = section.furtherTypes
  }

  deinit { statement?.reset() }

  /// Whether the statement has the entries in order.
  private var isInOrder: Bool { isAscending && furtherTypes.isEmpty }

  var value: Value {
    isInOrder
      ? statement?.value(sql.valuePosition, as: type) ?? .null
      : level.stored.stored(as: type) ?? .null
  }

  var values: [Value] { level.long?.values ?? [value] + level.further }

  func next() throws(StoreError) -> IndexEntry? {
    guard isInOrder else { return try nextOfLevels() }
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

  private func nextOfLevels() throws(StoreError) -> IndexEntry? {
    while true {
      if let (entry, further) = level.entries.popLast() {
        level.further = further
        return entry
      }
      if let long = level.long {
        if let entry = try long.next() { return entry }
        level.long = nil
        if long.hasForeignValue { endAtForeignValue() }
        let end = ValueRange.Bound(level.stored, isIncluded: false)
        if isAscending { range.lower = end } else { range.upper = end }
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
    let position = sql.valuePosition
    level.stored = statement.storedValue(position)
    repeat {
      guard level.entries.count < Level.mostEntries else { return try openLongLevel() }
      let further = furtherTypes.indices.map {
        statement.value(position + 1 + $0, as: furtherTypes[$0])
      }
      level.entries.append((sql.entry(statement), further))
      guard try statement.step() else {
        self.statement = nil
        isAtEnd = true
        break
      }
    } while statement.isStored(level.stored, position)
    guard !furtherTypes.isEmpty else { return }
    level.entries.sort { first, second in
      second.further.precede(
        first.further, isAscending: levelOrder.isAscending,
        keys: (second.entry.key, first.entry.key))
    }
  }

  private func openLongLevel() throws(StoreError) {
    level.entries = []
    statement?.reset()
    statement = nil
    let value = level.stored.stored(as: type) ?? .null
    level.long =
      furtherTypes.isEmpty
      ? try LevelCursor(value, stored: [level.stored], of: section)
      : SectionCursor(value, section.section(level.stored), levelOrder)
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
      // The bits of NaN are invalid, but would be read as some date.
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
    let statement = try section.statement(
      sql.entries(in: range, isAscending: isAscending))
    try section.bind(endsOf: range, to: statement)
    return statement
  }
}

extension [Value] {
  /// Returns whether the values of an entry precede those of another; ties are in ascending order of key.
  fileprivate func precede(
    _ other: [Value], isAscending: Bool, keys: (own: Int64, other: Int64)
  ) -> Bool {
    for (value, otherValue) in zip(self, other) {
      switch value.ordering(otherValue) {
      case .same: continue
      case .ascending: return isAscending
      case .descending: return !isAscending
      }
    }
    return keys.own < keys.other
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
