import CadastreModel
import CadastreSQLite

/// Writes the rows of one class within a transaction, and updates its indexes.
///
/// Its methods write to the file at once, except those under "Buffer", and `flush(_:_:)` stores what these have buffered.
///
/// The next transaction may use the writer too, where this one is committed and nothing else changes the store.
// Its properties are `@exclusivity(unchecked)`: nothing that runs during an access reaches the writer again,
// and the dynamic check would cost as much as the rest of the access.
final class TableWriter {
  let layout: TableLayout
  let connection: Connection
  /// The number that the commit of the transaction will have; 0 before the first one.
  private(set) var version: Int64 = 0
  /// The types of the columns.
  private let types: [PropertyType]
  /// The prepared insertion, after its first use.
  @exclusivity(unchecked) private var insertionStatement: Statement?
  /// The prepared insertions of several rows, by their number, after their first use.
  @exclusivity(unchecked) private var jointInsertions: [Int: JointInsertion] = [:]
  /// The numbers of rows that are inserted with one statement, descending.
  private let jointRowCounts: [Int]
  /// Whether several rows are inserted with one statement where there are enough.
  @exclusivity(unchecked) var insertsJointly = true
  /// The prepared updates of one column each, after the first use of one.
  @exclusivity(unchecked) private var updateStatements: [Statement?] = []
  private let declaredKey: (property: Property, column: Int)?
  /// The columns with the numbers of elements of collections.
  private let elementCounts: Set<Int>
  /// Whether primary keys are unique.
  @exclusivity(unchecked) var checksKey = true
  @exclusivity(unchecked) private var spatialWriters: [SpatialIndexWriter]?
  /// The writers of the full-text indexes.
  private(set) lazy var texts = layout.textIndexes.map { TextIndexWriter($0, layout, connection) }
  /// The cells that the transaction has changed.
  @exclusivity(unchecked) private(set) var touched: TouchedCells
  /// What is not in the file yet.
  @exclusivity(unchecked) private(set) var buffer: WriteBuffer

  /// Reads the counters of a class.
  ///
  /// - Parameters:
  ///   - layout: The table.
  ///   - connection: The connection, in a write transaction.
  /// - Throws: ``StoreError`` `corrupt` where the counters are missing or make no sense.
  init(_ layout: TableLayout, _ connection: Connection) throws(StoreError) {
    self.layout = layout
    self.connection = connection
    types = layout.columns.map(\.type)
    jointRowCounts = JointInsertion.rowCounts(layout)
    declaredKey = layout.schema.primaryKeyProperty.flatMap { property in
      layout.column(of: property).map { (property, $0) }
    }
    elementCounts = Set(layout.collections.map(\.countColumn))
    let counters = try connection.statement(RowUpdates.counters)
    try counters.bind(.string(layout.schema.className), at: 1)
    defer { counters.reset() }
    guard try counters.step() else {
      throw StoreError(
        .corrupt("the catalogue lacks class '\(layout.schema.className)'"), path: connection.path)
    }
    let (nextKey, rowCount) = (counters.integer(0), Int(counters.integer(1)))
    guard (1..<Int64.max / 2).contains(nextKey), (0..<Int.max / 2).contains(rowCount) else {
      throw StoreError(
        .corrupt("the counters of class '\(layout.schema.className)'"), path: connection.path)
    }
    touched = TouchedCells(before: nextKey)
    buffer = WriteBuffer(
      WriteBuffer.Counters(nextKey: nextKey, rowCount: rowCount),
      layout.spatialIndexes.map { PendingEntries(of: $0.source, for: connection.path) })
  }

  /// Prepares the writer, which is new or whose last transaction is committed, for a transaction.
  ///
  /// - Parameters:
  ///   - version: The number that the commit will have.
  ///   - checksKey: Whether primary keys are unique.
  ///   - generation: The generations of the class in the Realm that writes; nil if there is none.
  func beginTransaction(_ version: Int64, checksKey: Bool, _ generation: ClassGeneration?) {
    self.version = version
    self.checksKey = checksKey
    touched = TouchedCells(before: nextKey, generation)
  }

  /// The key of the next new row.
  var nextKey: Int64 { buffer.counters.nextKey }
  var rowCount: Int { buffer.counters.rowCount }

  /// The writers of the spatial indexes, made when they are first needed.
  var spatial: [SpatialIndexWriter] {
    if let spatialWriters { return spatialWriters }
    let made = layout.spatialIndexes.map { SpatialIndexWriter($0, layout, connection) }
    spatialWriters = made
    return made
  }

  /// The quoted name of the table.
  var table: String { layout.updates.table }
  /// The quoted name of the key.
  var key: String { RowUpdates.key }

  func insert(_ row: [Value]) throws(StoreError) -> ObjectKey {
    try store(row, nextKey, buffer.pendingEntries)
    return ObjectKey(reserveKey())
  }

  /// Returns the key of a new row, which must be stored.
  func reserveKey() -> Int64 {
    let key = buffer.reserveKey()
    touched.noteInserted(before: nextKey)
    return key
  }

  /// Stores a new row; uses neither the buffer nor the touched cells.
  ///
  /// - Parameters:
  ///   - row: A value for every column.
  ///   - key: The key.
  ///   - entries: Receives the entries of the spatial indexes.
  /// - Throws: ``StoreError`` `duplicateKey` when another row has its primary key.
  func store(
    _ row: [Value], _ key: Int64, _ entries: [PendingEntries]
  ) throws(StoreError) {
    precondition(row.count == layout.columns.count, "a row has a value for every column")
    if let (_, column) = primaryKey { try refuseSecondNullKey(row[column], of: key) }
    let statement: Statement
    if let prepared = insertionStatement {
      statement = prepared
    } else {
      statement = try connection.statement(layout.insertion)
      insertionStatement = statement
    }
    try statement.bind(integer: key, at: 1)
    var index = 2
    for column in row.indices {
      index = try statement.bind(row[column], of: types[column], at: index)
    }
    try explainingDuplicates { () throws(StoreError) in try statement.run() }
    try addIndexEntries(row, key, entries)
  }

  /// Returns the insertion of the first of some rows with one statement; nil where they are inserted one by one.
  func jointInsertion(of rows: ArraySlice<[Value]>) throws(StoreError) -> JointInsertion? {
    guard insertsJointly, let count = jointRowCounts.first(where: { $0 <= rows.count }) else {
      return nil
    }
    // SQLite does not refuse a second null, see `refuseSecondNullKey(_:of:)`.
    if let (_, column) = primaryKey, rows.prefix(count).contains(where: { $0[column].isNull }) {
      return nil
    }
    if let known = jointInsertions[count] { return known }
    let joint = try JointInsertion(count, layout, connection)
    jointInsertions[count] = joint
    return joint
  }

  /// Adds the entries of a new row to the full-text indexes, and to those that the spatial indexes lack.
  func addIndexEntries(
    _ row: [Value], _ key: Int64, _ entries: [PendingEntries]
  ) throws(StoreError) {
    for index in entries { try index.add(row, key) }
    for index in texts { try index.insert(key, row[index.index.column]) }
  }

  /// Sets columns of a row.
  ///
  /// - Returns: False if there is no row with the key.
  func update(
    _ key: ObjectKey, _ changed: [(column: Int, value: Value)]
  ) throws(StoreError) -> Bool {
    guard !changed.isEmpty else { return true }
    guard try store(changed, key) else { return false }
    for change in changed { noteModified(key.rawValue, change.column) }
    return true
  }

  /// Stores columns of a row, whose change is recorded by the caller.
  private func store(
    _ changed: [(column: Int, value: Value)], _ key: ObjectKey
  ) throws(StoreError) -> Bool {
    if let (_, column) = primaryKey, let change = changed.last(where: { $0.column == column }) {
      try refuseSecondNullKey(change.value, of: key.rawValue)
    }
    let changedTexts =
      changed.contains { layout.updates.isText[$0.column] }
      ? texts.filter { text in changed.contains { $0.column == text.index.column } } : []
    for index in changedTexts { try index.remove(key.rawValue) }
    let statement = try updateStatement(changed)
    var index = 1
    for change in changed {
      index = try statement.bind(change.value, of: types[change.column], at: index)
    }
    try statement.bind(integer: key.rawValue, at: index)
    try explainingDuplicates { () throws(StoreError) in try statement.run() }
    guard connection.changedRows > 0 else { return false }
    if changed.contains(where: { layout.updates.isSpatial[$0.column] }) {
      try flushPendingEntries()
      for index in spatial { try index.update(key.rawValue, changed) }
    }
    for index in changedTexts {
      guard let change = changed.last(where: { $0.column == index.index.column }) else { continue }
      try index.insert(key.rawValue, change.value)
    }
    return true
  }

  /// Sets one column of a row; returns false when there is none with this key.
  func update(_ key: ObjectKey, _ column: Int, _ value: Value) throws(StoreError) -> Bool {
    guard try store(value, key, column) else { return false }
    noteModified(key.rawValue, column)
    return true
  }

  /// Stores one column of a row, whose change is recorded by the caller.
  private func store(_ value: Value, _ key: ObjectKey, _ column: Int) throws(StoreError) -> Bool {
    guard !isIndexedByWriters(column) else { return try store([(column, value)], key) }
    let statement = try updateStatement(of: column)
    let index = try statement.bind(value, of: types[column], at: 1)
    try statement.bind(integer: key.rawValue, at: index)
    try statement.run()
    return connection.changedRows > 0
  }

  // MARK: Buffer

  /// Adds a new row to the buffer, which has room.
  func buffer(_ row: [Value], isUnique: Bool) -> ObjectKey {
    let key = reserveKey()
    buffer.insert(row, key, isUnique: isUnique, largeColumns: layout.largeColumns)
    return ObjectKey(key)
  }

  /// Sets a column of a new row that is in the buffer.
  ///
  /// - Returns: False if the buffer has no such row, and for the primary key.
  func setInNewRow(_ key: Int64, _ column: Int, _ value: Value) -> Bool {
    guard !isPrimaryKey(column), buffer.setInNewRow(key, column, value) else { return false }
    touched.noteModified(key, column)
    return true
  }

  /// Sets a column of a stored row in the buffer.
  ///
  /// - Returns: False if the buffer is full.
  func buffer(_ key: Int64, _ column: Int, _ value: Value, _ capacity: Int) -> Bool {
    guard buffer.set(key, column, value, capacity) else { return false }
    touched.noteModified(key, column)
    return true
  }

  /// Whether changes of a column may be buffered: it is stored in one column of the table and belongs to no index that
  /// the writer updates.
  func isBufferable(_ column: Int) -> Bool {
    !isIndexedByWriters(column) && types[column] != .any
  }

  /// Whether the buffer has a new row with a key.
  func hasNewRow(_ key: Int64) -> Bool { buffer.newRows[key] != nil }

  /// Returns the new row with a key that is not in the file yet; nil if there is none.
  func unstoredRow(_ key: Int64) -> [Value]? {
    if let row = buffer.newRows[key] { return row }
    guard var row = buffer.rowsInFlight?[key] else { return nil }
    buffer.apply(to: &row, key)
    return row
  }

  /// Returns the key of a new row in the buffer with a primary key; nil if there is none.
  func bufferedKey(_ primaryKey: Value) -> Int64? {
    guard let column = declaredKey?.column, !buffer.newRows.rows.isEmpty else { return nil }
    return buffer.findKey(primaryKey, in: column)
  }

  /// The buffered number of elements of a collection; nil if the number in the file holds.
  func bufferedCount(_ owner: Int64, _ layout: CollectionLayout) -> Int? {
    buffer.value(owner, layout.countColumn).map { value in
      if case .int(let count) = value { Int(clamping: count) } else { 0 }
    }
  }

  /// Sets the number of elements of a collection in the row of its owner.
  ///
  /// The changed columns of a full buffer are stored first. Without a capacity the number is stored at once.
  ///
  /// - Throws: ``StoreError`` if the number cannot be stored.
  func setElementCount(
    _ count: Int, _ owner: Int64, _ column: Int, _ capacity: Int
  ) throws(StoreError) {
    let count = Value.int(Int64(count))
    touched.noteModified(owner, column)
    if buffer.setInNewRow(owner, column, count) { return }
    if buffer.set(owner, column, count, capacity) { return }
    try flushChanges()
    if buffer.set(owner, column, count, capacity) { return }
    _ = try store(count, ObjectKey(owner), column)
  }

  /// Discards the buffered changes of a deleted row.
  func discardChanges(of key: Int64) { buffer.removeChanges(of: key) }

  /// Puts the new rows of the buffer in flight.
  func startFlight() -> WriteBuffer.NewRows { buffer.startFlight() }

  /// Discards the rows in flight, which are stored.
  func endFlight() { buffer.endFlight() }

  // MARK: Flushing

  /// Stores what the buffer contains: first the changed columns, then the new rows, the index entries and the counters.
  ///
  /// - Parameters:
  ///   - extent: What to store: at least the rows.
  ///   - onDuplicate: Called with a class and a new row before the violation of its primary key is thrown.
  /// - Throws: ``StoreError``; the transaction is failed then.
  func flush(
    _ extent: FlushExtent, _ onDuplicate: ((String, [Value]) -> Void)?
  ) throws(StoreError) {
    if buffer.hasRows {
      try flushChanges()
      try flushNewRows(onDuplicate)
    }
    if extent >= .indexes { try flushPendingEntries() }
    if extent == .everything { try flushCounters() }
  }

  private func flushNewRows(_ onDuplicate: ((String, [Value]) -> Void)?) throws(StoreError) {
    let rows = buffer.takeNewRows()
    guard !rows.rows.isEmpty else { return }
    var stored = 0
    do throws(StoreError) {
      try store(rows.rows[...], from: rows.firstKey, buffer.pendingEntries, &stored)
    } catch {
      if case .duplicateKey = error.reason, !rows.isUnique {
        onDuplicate?(layout.schema.className, rows.rows[stored])
      }
      throw error
    }
  }

  /// Adds the pending entries to the spatial indexes, also before a write to an index.
  func flushPendingEntries() throws(StoreError) {
    for (index, pending) in buffer.pendingEntries.enumerated() {
      if let entries = pending.take() { try spatial[index].insert(entries) }
    }
  }

  private func flushCounters() throws(StoreError) {
    guard let counters = buffer.takeCounters() else { return }
    let update = try connection.statement(RowUpdates.setCounters)
    try update.bind(integer: counters.nextKey, at: 1)
    try update.bind(integer: Int64(counters.rowCount), at: 2)
    try update.bind(text: layout.schema.className, at: 3)
    try update.run()
  }

  private func flushChanges() throws(StoreError) {
    var rest = buffer.takeChanges()
    while let first = rest.first {
      let group = rest.filter { $0.keys == first.keys }
      rest.removeAll { $0.keys == first.keys }
      try store(group, isCount: elementCounts.contains(first.column))
    }
  }

  /// Stores changed columns of the same rows.
  private func store(
    _ columns: [WriteBuffer.ChangedColumn], isCount: Bool
  ) throws(StoreError) {
    let keys = columns[0].keys
    if keys.count >= Self.leastJointUpdates, !isCount {
      try update(keys, columns.map(\.column), to: ChangedValues(columns))
      return
    }
    for (index, key) in keys.enumerated() {
      let found =
        if columns.count == 1 {
          try store(columns[0].values[index], ObjectKey(key), columns[0].column)
        } else {
          try store(
            columns.map { (column: $0.column, value: $0.values[index]) }, ObjectKey(key))
        }
      // The elements of a damaged file may have owners that do not exist.
      guard found || isCount else { throw missingRows }
    }
  }

  /// The number of rows from which on they are changed with one statement.
  private static let leastJointUpdates = 4

  /// Whether a column belongs to an index or a key that the writer checks row by row.
  func isIndexedByWriters(_ column: Int) -> Bool {
    layout.updates.isSpatial[column] || layout.updates.isText[column] || isPrimaryKey(column)
  }

  /// Whether a column holds the primary key.
  func isPrimaryKey(_ column: Int) -> Bool { column == declaredKey?.column }

  private func updateStatement(
    _ changed: [(column: Int, value: Value)]
  ) throws(StoreError) -> Statement {
    guard changed.count == 1 else {
      let assignments = changed.flatMap { layout.columns[$0.column].sqlNames.map { "\($0) = ?" } }
      return try connection.statement(
        "UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE \(self.key) = ?")
    }
    return try updateStatement(of: changed[0].column)
  }

  private func updateStatement(of column: Int) throws(StoreError) -> Statement {
    if updateStatements.isEmpty {
      updateStatements = Array(repeating: nil, count: layout.columns.count)
    }
    if let prepared = updateStatements[column] { return prepared }
    let statement = try connection.statement(layout.updates.statements[column])
    updateStatements[column] = statement
    return statement
  }

  func delete(_ key: ObjectKey) throws(StoreError) -> Bool {
    for index in texts { try index.remove(key.rawValue) }
    try connection.run("DELETE FROM \(table) WHERE \(self.key) = ?", .link(key))
    guard connection.changedRows > 0 else { return false }
    try flushPendingEntries()
    for index in spatial { try index.delete(key.rawValue) }
    noteDeleted(key.rawValue)
    return true
  }

  /// Records that a row was deleted.
  func noteDeleted(_ key: Int64) {
    buffer.noteDeleted(1)
    touched.noteDeleted(key)
  }

  func deleteAll() throws(StoreError) {
    let keys = try connection.statement("SELECT \(key) FROM \(table)")
    while try keys.step() { touched.noteDeleted(keys.integer(0)) }
    try connection.run("DELETE FROM \(table)")
    for pending in buffer.pendingEntries { _ = pending.take() }
    for index in spatial { try index.deleteAll() }
    for index in texts { try index.removeAll() }
    buffer.noteDeleted(rowCount)
  }

  /// Sets a link column to null wherever it holds a key.
  func unlink(_ column: Int, from target: ObjectKey) throws(StoreError) {
    let name = SQL.quoted(layout.columns[column].name)
    try unlink(column, "\(name) = ?", [.link(target)])
  }

  /// Sets a column of any type to null wherever it links to an object.
  func unlink(mixed column: Int, from target: ObjectAddress) throws(StoreError) {
    let type = MixedForm(.object(target)).type
    try unlink(column, MixedForm.isLink(layout.columns[column]), [.link(target.key), type])
  }

  private func unlink(
    _ column: Int, _ condition: String, _ values: [Value]
  ) throws(StoreError) {
    let owners = try connection.statement("SELECT \(key) FROM \(table) WHERE \(condition)")
    for (index, value) in values.enumerated() { try owners.bind(value, at: index + 1) }
    var linking: [Int64] = []
    while try owners.step() { linking.append(owners.integer(0)) }
    for owner in linking { _ = try update(ObjectKey(owner), [(column, .null)]) }
  }

  /// Records the following changes in the generations of the class.
  func record(in generation: ClassGeneration) { touched.generation = generation }

  /// Records the change of a column, or of a property that is stored outside of the object's row.
  func noteModified(_ key: Int64, _ column: Int) { touched.noteModified(key, column) }

  // MARK: Primary keys

  private var primaryKey: (property: Property, column: Int)? { checksKey ? declaredKey : nil }

  /// Whether the primary keys of new rows must be unique.
  var hasUniqueKey: Bool { primaryKey != nil }

  /// SQLite accepts several nulls in a unique index; as a primary key null is a value like any other.
  private func refuseSecondNullKey(_ value: Value, of object: Int64) throws(StoreError) {
    guard value.isNull, let (property, column) = primaryKey else { return }
    let name = SQL.quoted(layout.columns[column].name)
    let other = try connection.integer(
      "SELECT 1 FROM \(table) WHERE \(name) IS NULL AND \(key) <> ?", .int(object))
    if other != nil { throw duplicate(property) }
  }

  /// Runs a write and describes a violation of the unique index as a duplicate primary key.
  private func explainingDuplicates(
    _ write: () throws(StoreError) -> Void
  ) throws(StoreError) {
    do throws(StoreError) {
      try write()
    } catch {
      throw explained(error)
    }
  }

  /// Returns the error of a write; a violation of the unique index is a duplicate primary key.
  func explained(_ error: StoreError) -> StoreError {
    guard error.isUniqueViolation, let (property, _) = primaryKey else { return error }
    return duplicate(property)
  }

  private func duplicate(_ property: Property) -> StoreError {
    StoreError(
      .duplicateKey(className: layout.schema.className, property: property.name),
      path: connection.path)
  }
}
