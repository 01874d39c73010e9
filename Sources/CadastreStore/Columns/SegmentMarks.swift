import CadastreGeometry
import CadastreModel
import CadastreSQLite

/// The marks of a write transaction on the stored segments of one class.
///
/// A changed value marks its slot in the segment of its column; the value is read from the row then. Above 256 slots the
/// segment is removed. A deletion changes the set of existing rows only. An insertion changes nothing: a segment is stored
/// when no row can be added to it.
struct SegmentMarks {
  private let columns: StoredColumns
  private let connection: Connection

  init(_ columns: StoredColumns, _ connection: Connection) {
    self.columns = columns
    self.connection = connection
  }

  private static let slotsQuery = SQLText("SELECT slots FROM \(SegmentTable.changes) WHERE id = ?")
  private static let slotsUpdate = SQLText(
    "UPDATE \(SegmentTable.changes) SET slots = ? WHERE id = ?")
  private static let bytesQuery = SQLText("SELECT bytes FROM \(SegmentTable.name) WHERE id = ?")
  private static let bytesUpdate = SQLText("UPDATE \(SegmentTable.name) SET bytes = ? WHERE id = ?")

  /// Marks the changes of a class.
  ///
  /// - Throws: ``StoreError`` when reading or writing fails.
  /// - Complexity: O(k) for k changed values and deleted rows, two statements for each segment.
  func add(_ changes: ClassChanges) throws(StoreError) {
    try noteModified(changes.modified)
    try noteDeleted(changes.deleted)
  }

  // MARK: Values

  private func noteModified(_ rows: ModifiedRows) throws(StoreError) {
    var slots: [Int64: [UInt16]] = [:]
    for (key, changed) in rows {
      let segment = KeySegment.number(of: key)
      for column in changed {
        guard let id = columns.columns[column], let stored = SegmentTable.key(id, segment) else {
          continue
        }
        slots[stored, default: []].append(UInt16(KeySegment.slot(of: key)))
      }
    }
    for (key, slots) in slots { try mark(key, slots) }
  }

  private func mark(_ key: Int64, _ slots: [UInt16]) throws(StoreError) {
    let stored = try decoded(Self.slotsQuery, key) { bytes throws(InvalidSegment) in
      try Self.slots(bytes, key: key)
    }
    guard var marked = stored else { return }
    let count = marked.count
    for slot in slots {
      let slot = Int32(slot)
      let index = marked.partitioningIndex { $0 >= slot }
      if index == marked.count || marked[index] != slot { marked.insert(slot, at: index) }
    }
    if marked.count == count { return }
    guard marked.count <= CachedSegment.mostPatches else {
      return try SegmentTable.removeSegments(key...key, on: connection)
    }
    try update(Self.slotsUpdate, Self.bytes(marked, key: key), key)
  }

  // MARK: Rows

  private func noteDeleted(_ keys: Set<Int64>) throws(StoreError) {
    guard !keys.isEmpty else { return }
    var slots: [Int64: [Int]] = [:]
    for key in keys {
      slots[KeySegment.number(of: key), default: []].append(KeySegment.slot(of: key))
    }
    for (segment, slots) in slots { try remove(slots, from: segment) }
  }

  private func remove(_ slots: [Int], from segment: Int64) throws(StoreError) {
    guard let key = SegmentTable.key(columns.rows, segment) else { return }
    let stored = try decoded(Self.bytesQuery, key) { bytes throws(InvalidSegment) in
      try SegmentFormat.rows(bytes, key: key)
    }
    guard var rows = stored else { return }
    for slot in slots { rows.remove(slot) }
    guard rows.isEmpty else {
      return try update(Self.bytesUpdate, SegmentFormat.bytes(rows, key: key), key)
    }
    for id in [columns.rows] + columns.columns.values {
      guard let key = SegmentTable.key(id, segment) else { continue }
      try SegmentTable.removeSegments(key...key, on: connection)
    }
  }

  // MARK: Statements

  /// Returns what a query for bytes of the segment with a key finds; nil where there is none, and after a damaged one was
  /// removed.
  private func decoded<Content>(
    _ sql: SQLText, _ key: Int64,
    _ decode: (UnsafeRawBufferPointer) throws(InvalidSegment) -> Content
  ) throws(StoreError) -> Content? {
    let query = try connection.statement(sql)
    try query.bind(integer: key, at: 1)
    defer { query.reset() }
    guard try query.step() else { return nil }
    do throws(InvalidSegment) {
      return try StoredSegments.decoded(query, 0, decode)
    } catch {
      query.reset()
      try SegmentTable.removeSegments(key...key, on: connection)
      return nil
    }
  }

  private func update(_ sql: SQLText, _ bytes: [UInt8], _ key: Int64) throws(StoreError) {
    let statement = try connection.statement(sql)
    let bound = bytes.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try statement.bind(bytes: bytes, at: 1) }
    }
    try bound.get()
    try statement.bind(integer: key, at: 2)
    try statement.run()
  }

  // MARK: The form of slots

  /// Returns the bytes of ascending slots: a checksum, and two bytes for each.
  static func bytes(_ slots: [Int32], key: Int64) -> [UInt8] {
    var writer = SegmentByteWriter()
    for slot in slots { writer.append(UInt16(slot)) }
    return SegmentFormat.sealed(writer.bytes, key: key)
  }

  /// Returns the slots of some bytes.
  ///
  /// - Throws: ``InvalidSegment`` where the bytes are not those of slots.
  static func slots(
    _ bytes: UnsafeRawBufferPointer, key: Int64
  ) throws(InvalidSegment) -> [Int32] {
    var reader = try SegmentFormat.unsealed(bytes, key: key)
    var slots: [Int32] = []
    while !reader.isAtEnd {
      let slot = Int32(try reader.number(UInt16.self))
      guard slot > slots.last ?? -1, slot < KeySegment.capacity else {
        throw InvalidSegment("its changed slots are not ascending")
      }
      slots.append(slot)
    }
    return slots
  }
}
