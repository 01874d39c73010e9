import CSQLite

/// The columns of the rows whose keys lie in a range, by slot: the offset of the key in the range.
///
/// An SQL function collects them while a statement runs, which takes about a third less time than returning the
/// rows one by one.
// The memory is allocated, because an array would check its capacity and its uniqueness for each value.
package final class CollectedColumns {
  /// The values of a column that are collected; others are null.
  package enum Kind {
    case integers
    /// Floating-point numbers and integers; blobs are collected in `otherReals`.
    case reals
    case texts
    case blobs
    /// Values of all storage classes, which ``CollectedRow`` reads.
    case mixed
  }

  fileprivate let state: UnsafeMutablePointer<CollectedRows>

  /// Prepares to collect columns.
  ///
  /// - Parameters:
  ///   - kinds: The kind of each column.
  ///   - firstKey: The first key of the range.
  ///   - slotCount: The number of keys in the range.
  ///   - mostBytes: The size of all texts and blobs above which no more rows are collected.
  package init(_ kinds: [Kind], from firstKey: Int64, slotCount: Int, mostBytes: Int) {
    state = .allocate(capacity: 1)
    state.initialize(
      to: CollectedRows(kinds, from: firstKey, slotCount: slotCount, mostBytes: mostBytes))
  }

  deinit {
    state.pointee.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// The highest slot that contains a row, plus 1.
  package var count: Int { state.pointee.count }

  /// The key that is not above the one before it; nil where the keys ascend.
  package var unorderedKey: Int64? { state.pointee.unorderedKey }

  /// Whether the texts and blobs have more bytes than allowed.
  package var isTooLarge: Bool { state.pointee.isTooLarge }

  /// One bit for each slot below `count`: whether it contains a row.
  package var rows: [UInt64] { state.pointee.rows.words(below: count) }

  /// One bit for each slot below `count`: whether the value of a column is not null.
  package func present(_ column: Int) -> [UInt64] {
    state.pointee.columns[column].present.words(below: count)
  }

  /// The numbers of a column of integers, by slot; 0 for null.
  package func integers(_ column: Int) -> UnsafeBufferPointer<Int64> {
    UnsafeBufferPointer(start: state.pointee.columns[column].numbers, count: count)
  }

  /// The numbers of a column of reals, by slot; 0 for null and for blobs.
  package func reals(_ column: Int) -> UnsafeMutableBufferPointer<Double> {
    UnsafeMutableBufferPointer(
      start: UnsafeMutableRawPointer(state.pointee.columns[column].numbers)
        .assumingMemoryBound(to: Double.self),
      count: count)
  }

  /// The blobs in a column of reals, with their slots.
  package func otherReals(_ column: Int) -> [(slot: Int, bytes: [UInt8])] {
    state.pointee.columns[column].otherReals
  }

  /// The concatenated bytes of a column of texts or blobs.
  package func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
    state.pointee.columns[column].allBytes
  }

  /// The offsets in `bytes` of each slot and of the end.
  package func offsets(_ column: Int) -> UnsafeBufferPointer<UInt32> {
    state.pointee.columns[column].pad(to: count)
    return UnsafeBufferPointer(start: state.pointee.columns[column].offsets, count: count + 1)
  }
}

// Not Sendable: a statement writes to its memory.
@available(*, unavailable)
extension CollectedColumns: Sendable {}

/// The mixed values of a row that was collected; columns are counted from 1, as in a result with the key.
package struct CollectedRow: StoredRow {
  private let columns: UnsafeMutableBufferPointer<CollectedColumn>
  private let slot: Int

  /// Creates a reference to the row in a slot, which is valid as long as the columns.
  package init(_ columns: CollectedColumns, slot: Int) {
    self.columns = columns.state.pointee.columns
    self.slot = slot
  }

  package func storage(_ column: Int) -> Statement.Storage {
    Statement.Storage(type: Int32(columns[column - 1].types[slot]))
  }

  package func integer(_ column: Int) -> Int64 { columns[column - 1].numbers[slot] }

  package func real(_ column: Int) -> Double {
    let number = columns[column - 1].numbers[slot]
    if case .integer = storage(column) { return Double(number) }
    return Double(bitPattern: UInt64(bitPattern: number))
  }

  package func withTextBytes<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    let offsets = columns[column - 1].offsets
    let range = Int(offsets[slot])..<Int(offsets[slot + 1])
    return body(UnsafeBufferPointer(rebasing: columns[column - 1].allBytes[range]))
  }

  package func withBlobBytes<Result>(
    _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    withTextBytes(column, body)
  }
}

extension Connection {
  /// The SQL aggregate function of a key and columns that adds a row to the columns of the running statement.
  private static let collectingFunction = "cadastre_collect"

  /// Collects columns of the rows of a table whose keys lie in the range.
  ///
  /// - Parameters:
  ///   - columns: Receives the rows.
  ///   - table: The quoted name of the table.
  ///   - key: The quoted name of the integer primary key.
  ///   - names: The quoted names of the columns.
  ///   - valueLimit: The size in bytes of the largest text or blob that is read.
  /// - Returns: False where a value is larger than the limit.
  /// - Throws: ``StoreError`` when reading fails.
  package func collect(
    _ columns: CollectedColumns, of table: String, key: String, _ names: [String],
    valueLimit: Int32
  ) throws(StoreError) -> Bool {
    if collectedRows == nil { try makeCollectingFunction() }
    let arguments = ([key] + names).joined(separator: ", ")
    // Without NOT INDEXED, SQLite could read the columns from an index, in its order. The function ends the
    // statement after the last key, which takes less time than a comparison in SQL for each row.
    let statement = try statement(
      "SELECT \(Self.collectingFunction)(\(arguments)) FROM \(table) NOT INDEXED WHERE \(key) >= ?")
    try statement.bind(integer: columns.state.pointee.firstKey, at: 1)
    collectedRows?.pointee = columns.state
    defer {
      collectedRows?.pointee = nil
      withExtendedLifetime(columns) {}
    }
    let previous = setValueLimit(valueLimit)
    defer { setValueLimit(previous) }
    return try statement.runFunction() != .tooLarge
  }

  private func makeCollectingFunction() throws(StoreError) {
    let current = UnsafeMutablePointer<UnsafeMutablePointer<CollectedRows>?>.allocate(capacity: 1)
    current.initialize(to: nil)
    collectedRows = current
    try makeCollector(Self.collectingFunction, current) { context, count, values in
      // Without columns, as in a query of the program, the function does nothing.
      guard let context, let values,
        let rows = sqlite3_user_data(context)?
          .assumingMemoryBound(to: UnsafeMutablePointer<CollectedRows>?.self).pointee
      else { return }
      if !rows.pointee.add(values, Int(count)) {
        sqlite3_result_error_code(context, SQLITE_ABORT)
      }
    }
  }

  /// Registers an SQL aggregate function that collects the rows of the running statement; its result is null.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - target: The user data of the function: a place for what receives the rows.
  ///   - add: Adds a row, and reports `SQLITE_ABORT` where the statement must end.
  /// - Throws: ``StoreError`` when the function cannot be registered.
  func makeCollector(
    _ name: String, _ target: UnsafeMutableRawPointer,
    _ add:
      @convention(c) (
        OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
      ) -> Void
  ) throws(StoreError) {
    let code = sqlite3_create_function_v2(
      handle, name, -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, target, nil, add,
      { context in sqlite3_result_null(context) }, nil)
    try check(code)
  }
}

/// The rows of a range that a statement has passed so far.
struct CollectedRows {
  let firstKey: Int64
  let rows: SlotBits
  let columns: UnsafeMutableBufferPointer<CollectedColumn>
  private let slotCount: Int
  private let mostBytes: Int
  private(set) var count = 0
  private(set) var unorderedKey: Int64?
  private(set) var isTooLarge = false

  init(_ kinds: [CollectedColumns.Kind], from firstKey: Int64, slotCount: Int, mostBytes: Int) {
    self.firstKey = firstKey
    self.slotCount = slotCount
    self.mostBytes = mostBytes
    rows = SlotBits(slotCount)
    columns = .allocate(capacity: kinds.count)
    _ = columns.initialize(from: kinds.map { CollectedColumn($0, slotCount) })
  }

  func deallocate() {
    rows.deallocate()
    for column in columns { column.deallocate() }
    columns.deinitialize().deallocate()
  }

  /// Adds a row; returns false where the statement must end.
  mutating func add(_ values: UnsafeMutablePointer<OpaquePointer?>, _ valueCount: Int) -> Bool {
    let key = sqlite3_value_int64(values[0])
    // A key far above the range overflows.
    let (slot, overflow) = key.subtractingReportingOverflow(firstKey)
    if key >= firstKey, overflow || slot >= slotCount { return false }
    guard key >= firstKey, slot >= count, valueCount == columns.count + 1 else {
      unorderedKey = key
      return false
    }
    rows.insert(Int(slot))
    count = Int(slot) + 1
    var byteCount = 0
    for index in columns.indices {
      columns[index].add(values[index + 1], Int(slot))
      byteCount &+= columns[index].byteCount
    }
    isTooLarge = byteCount > mostBytes
    return !isTooLarge
  }
}

/// One bit for each slot.
struct SlotBits {
  private let words: UnsafeMutablePointer<UInt64>

  init(_ slotCount: Int) {
    words = .allocate(capacity: slotCount / 64 + 1)
    words.initialize(repeating: 0, count: slotCount / 64 + 1)
  }

  func deallocate() { words.deallocate() }

  @inline(__always)
  func insert(_ slot: Int) { words[slot >> 6] |= 1 << UInt64(slot & 63) }

  /// Returns the bits of the slots below a limit.
  func words(below count: Int) -> [UInt64] {
    Array(UnsafeBufferPointer(start: words, count: (count + 63) / 64))
  }
}

/// The values of one column that a statement has passed so far.
struct CollectedColumn {
  private let kind: CollectedColumns.Kind
  /// One bit for each slot: whether its value is not null.
  let present: SlotBits
  /// Integers, and the bits of reals, by slot; without memory for texts and blobs.
  let numbers: UnsafeMutablePointer<Int64>
  /// SQLite's types of mixed values, by slot.
  let types: UnsafeMutablePointer<UInt8>
  /// The offsets of texts and blobs, by slot, and of the end; without memory for numbers.
  let offsets: UnsafeMutablePointer<UInt32>
  private var bytes: UnsafeMutableRawBufferPointer
  private(set) var byteCount = 0
  /// The number of slots whose ends are in `offsets`.
  private var endCount = 0
  private(set) var otherReals: [(slot: Int, bytes: [UInt8])] = []

  init(_ kind: CollectedColumns.Kind, _ slotCount: Int) {
    self.kind = kind
    let (hasNumbers, hasBytes) =
      switch kind {
      case .integers, .reals: (true, false)
      case .texts, .blobs: (false, true)
      case .mixed: (true, true)
      }
    present = SlotBits(slotCount)
    numbers = Self.zeros(hasNumbers ? slotCount : 0)
    offsets = Self.zeros(hasBytes ? slotCount + 1 : 0)
    types = Self.zeros(hasNumbers && hasBytes ? slotCount : 0)
    bytes = .allocate(byteCount: hasBytes ? 8 * slotCount : 0, alignment: 1)
  }

  private static func zeros<Number: FixedWidthInteger>(_ count: Int) -> UnsafeMutablePointer<Number>
  {
    let numbers = UnsafeMutablePointer<Number>.allocate(capacity: max(1, count))
    numbers.initialize(repeating: 0, count: max(1, count))
    return numbers
  }

  func deallocate() {
    present.deallocate()
    numbers.deallocate()
    offsets.deallocate()
    types.deallocate()
    bytes.deallocate()
  }

  var allBytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: byteCount)
  }

  /// Adds the value of a slot; slots ascend.
  @inline(__always)
  mutating func add(_ value: OpaquePointer?, _ slot: Int) {
    let type = sqlite3_value_type(value)
    switch kind {
    case .integers:
      guard type == SQLITE_INTEGER else { return }
      numbers[slot] = sqlite3_value_int64(value)
    case .reals:
      guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else {
        if type == SQLITE_BLOB { otherReals.append((slot, Array(Self.blob(value)))) }
        return
      }
      numbers[slot] = Int64(bitPattern: sqlite3_value_double(value).bitPattern)
    case .texts:
      guard type == SQLITE_TEXT else { return }
      append(Self.text(value), slot)
    case .blobs:
      guard type == SQLITE_BLOB else { return }
      append(Self.blob(value), slot)
    case .mixed:
      types[slot] = UInt8(truncatingIfNeeded: type)
      switch type {
      case SQLITE_INTEGER: numbers[slot] = sqlite3_value_int64(value)
      case SQLITE_FLOAT: numbers[slot] = Int64(bitPattern: sqlite3_value_double(value).bitPattern)
      case SQLITE_TEXT: append(Self.text(value), slot)
      case SQLITE_BLOB: append(Self.blob(value), slot)
      default: return
      }
    }
    present.insert(slot)
  }

  @inline(__always)
  private static func text(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_text(value)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }

  @inline(__always)
  private static func blob(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(value)
    return UnsafeRawBufferPointer(
      start: start, count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }

  /// Writes the ends of the slots below one that have no bytes.
  @inline(__always)
  mutating func pad(to slot: Int) {
    while endCount < slot {
      endCount += 1
      offsets[endCount] = UInt32(truncatingIfNeeded: byteCount)
    }
  }

  @inline(__always)
  private mutating func append(_ value: UnsafeRawBufferPointer, _ slot: Int) {
    pad(to: slot)
    if value.count > bytes.count - byteCount { grow(by: value.count) }
    if let start = value.baseAddress {
      bytes.baseAddress?.advanced(by: byteCount).copyMemory(from: start, byteCount: value.count)
    }
    byteCount += value.count
    pad(to: slot + 1)
  }

  private mutating func grow(by count: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 2 * bytes.count + count, alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
    bytes.deallocate()
    bytes = larger
  }
}
