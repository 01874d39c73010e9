import CadastreModel
import CadastreSQLite

/// The tables of one write transaction: the catalogue and the counters that it sees, and the writers of its tables and
/// collections.
final class TransactionTables {
  let connection: Connection
  private(set) var catalogue: Catalogue
  /// The counters of the version that is being changed.
  private(set) var versions: StoreVersions
  private let columns: ColumnCache
  private let history: ChangeHistory
  private let nodes: NodeHistory
  /// The writers of tables by class: those that this transaction uses, and those that earlier transactions left.
  @exclusivity(unchecked) private var tableWriters: [String: TableWriter]
  /// The writers that this transaction uses.
  @exclusivity(unchecked) private var usedWriters: [TableWriter] = []
  /// The writer that was used last: comparing a name takes a tenth of the time of hashing it.
  @exclusivity(unchecked) private var lastWriter: (className: String, writer: TableWriter)?
  @exclusivity(unchecked) private var collectionWriters: [String: CollectionWriter] = [:]
  private lazy var collections = CollectionCache()
  /// Whether classes, indexes or the schema version have changed.
  private(set) var changesSchema = false
  /// Whether columns of classes were added to the stored ones, and nothing else has changed.
  private var changesStorage = false
  /// The rows that changed before tables were changed; nil where these do not fit.
  private var earlierChanges: ChangesByClass? = ChangesByClass()
  /// Whether the format of the file has changed.
  private(set) var changesFormat = false
  /// The classes whose primary keys are checked only later, see `SchemaWriter.deferKey(of:)`.
  var classesWithDeferredKey: Set<String> = []
  /// The classes whose ordered indexes are built at the commit, see `SchemaWriter.suspendIndexes(of:)`.
  var classesWithSuspendedIndexes: Set<String> = []
  /// The maximum number of rows that each table buffers.
  let bufferCapacity: Int
  /// The generation of the reader that writes; nil if no reader has caches of the transaction.
  private var generation: Generation?
  /// Whether the stored segments do not match the rows, so that the commit removes all of them.
  private var hasInvalidSegments: Bool
  /// Whether the segments match the rows, so that the commit sets their counter.
  private var hasMarkedSegments = false

  /// Creates the state of a new transaction.
  ///
  /// - Parameters:
  ///   - connection: The connection, in its transaction.
  ///   - versions: The counters before the transaction.
  ///   - catalogue: The classes before the transaction.
  ///   - columns: The cached columns of the store.
  ///   - history: The changes of earlier commits.
  ///   - nodes: The nodes of spatial indexes that earlier commits have changed.
  ///   - tableWriters: The writers that the last transaction has left, by class.
  ///   - bufferCapacity: The maximum number of rows that each table buffers.
  init(
    connection: Connection, versions: StoreVersions, catalogue: Catalogue, columns: ColumnCache,
    history: ChangeHistory, nodes: NodeHistory, tableWriters: [String: TableWriter],
    bufferCapacity: Int
  ) {
    self.connection = connection
    self.versions = versions
    self.catalogue = catalogue
    self.columns = columns
    self.history = history
    self.nodes = nodes
    self.tableWriters = tableWriters
    self.bufferCapacity = bufferCapacity
    hasInvalidSegments = !versions.hasValidSegments
  }

  /// The number that the commit will have.
  var version: Int64 { versions.commit + 1 }

  /// What has changed so far.
  var changes: ChangeSet {
    var changes = ChangeSet(from: versions.commit, to: version)
    changes.changesSchema = changesSchema && !changesStorage
    changes.changesStorage = changesStorage
    for writer in usedWriters where !writer.touched.changes.isEmpty {
      changes.classes[writer.layout.schema.className] = writer.touched.changes
    }
    return changes
  }

  /// What has changed so far, with the rows that changed before tables were changed; nil where these do not fit.
  ///
  /// The keys of rows stay the same when tables change, the columns do not.
  var allChanges: ChangesByClass? {
    var all = earlierChanges
    for writer in usedWriters where !writer.touched.changes.isEmpty {
      guard all?.append(writer.touched.changes, of: writer.layout.schema.className) == true else {
        return nil
      }
    }
    return all
  }

  /// The state of the store after the commit; nil where the next transaction must read it again.
  var committed: WriterMemory.State? {
    guard !changesSchema else { return nil }
    var versions = versions
    versions.commit = version
    if keepsSegments { versions.segments = hasMarkedSegments ? version : nil }
    return WriterMemory.State(versions: versions, tableWriters: tableWriters)
  }

  /// The state of the store where the transaction has not begun to write; nil otherwise.
  var unchanged: WriterMemory.State? {
    guard !changesSchema, usedWriters.isEmpty else { return nil }
    return WriterMemory.State(versions: versions, tableWriters: tableWriters)
  }

  // MARK: Writers

  /// Records the following changes in the generation of a reader.
  func record(in generation: Generation) {
    self.generation = generation
    for writer in usedWriters {
      writer.record(in: generation.changes(of: writer.layout.schema.className))
    }
  }

  /// Returns the writer of a class's table.
  ///
  /// - Throws: ``StoreError`` `corrupt` where there is no such class, or its counters make no sense.
  func writer(_ className: String) throws(StoreError) -> TableWriter {
    if let lastWriter, lastWriter.className == className { return lastWriter.writer }
    let writer: TableWriter
    if let known = tableWriters[className] {
      writer = known
    } else {
      guard let layout = catalogue.layout(className) else {
        throw StoreError(.corrupt("it has no class '\(className)'"), path: connection.path)
      }
      writer = try TableWriter(layout, connection)
      tableWriters[className] = writer
    }
    if writer.version != version {
      writer.beginTransaction(
        version, checksKey: !classesWithDeferredKey.contains(className),
        generation?.changes(of: className))
      usedWriters.append(writer)
    }
    lastWriter = (className, writer)
    return writer
  }

  /// Returns the writer of a class's table that was used before; nil where there is none.
  func usedWriter(_ className: String) -> TableWriter? {
    if let lastWriter, lastWriter.className == className { return lastWriter.writer }
    // The first write of a transaction hashes no name here.
    guard !usedWriters.isEmpty, let writer = tableWriters[className], writer.version == version
    else { return nil }
    lastWriter = (className, writer)
    return writer
  }

  /// Returns the writer of a collection's table.
  ///
  /// - Throws: ``StoreError`` as that of its owner's class.
  func writer(_ layout: CollectionLayout) throws(StoreError) -> CollectionWriter {
    if let writer = collectionWriters[layout.tableName] { return writer }
    let writer = CollectionWriter(
      layout, catalogue, try writer(layout.ownerClass), connection, collections, bufferCapacity)
    collectionWriters[layout.tableName] = writer
    return writer
  }

  /// Records that a collection of an object has changed.
  func noteModified(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) {
    try writer(layout.ownerClass).noteModified(owner, layout.countColumn)
  }

  /// Discards what the writers have buffered for a deleted object.
  func discardBuffered(_ layout: TableLayout, _ key: ObjectKey) {
    guard !layout.collections.isEmpty else { return }
    usedWriter(layout.schema.className)?.discardChanges(of: key.rawValue)
    for collection in layout.collections {
      collectionWriters[collection.tableName]?.discard(key.rawValue)
    }
  }

  /// Stops or resumes checking the primary keys of a class whose writer exists.
  func setChecksKey(_ checksKey: Bool, of className: String) {
    usedWriter(className)?.checksKey = checksKey
  }

  // MARK: Flushing

  /// Stores what the buffers of all tables contain, table by table.
  ///
  /// - Parameters:
  ///   - extent: What to store: at least the rows.
  ///   - onDuplicate: Called with a class and a new row before the violation of its primary key is thrown.
  /// - Throws: ``StoreError``; the transaction is failed then.
  func flush(
    _ extent: FlushExtent, _ onDuplicate: ((String, [Value]) -> Void)?
  ) throws(StoreError) {
    for writer in usedWriters { try writer.flush(extent, onDuplicate) }
  }

  /// Builds the indexes that were suspended.
  func resumeIndexes() throws(StoreError) {
    guard !classesWithSuspendedIndexes.isEmpty else { return }
    for className in classesWithSuspendedIndexes.sorted() {
      guard let layout = catalogue.layout(className) else { continue }
      for index in layout.valueIndexes where !index.isUnique {
        try layout.create(index, isUnique: false, on: connection)
      }
    }
    classesWithSuspendedIndexes = []
  }

  /// Discards the writers of a transaction whose rows are flushed, before tables change.
  func discardWriters() throws(StoreError) {
    try flush(.everything, nil)
    try resumeIndexes()
    try markSegments()
    earlierChanges = allChanges
    tableWriters = [:]
    usedWriters = []
    lastWriter = nil
    collectionWriters = [:]
    collections.removeAll()
    connection.discardStatements()
    generation?.restart()
  }

  // MARK: Catalogue and versions

  /// Makes another catalogue the one of the store.
  ///
  /// - Parameters:
  ///   - next: The catalogue.
  ///   - changesStorage: Whether it only has more stored columns, and the transaction has changed nothing else.
  /// - Throws: ``StoreError`` when writing fails.
  func replaceCatalogue(
    with next: Catalogue, changesStorage: Bool = false
  ) throws(StoreError) {
    try connection.run(
      "UPDATE cadastre_state SET catalogue_version = ?", .int(next.version))
    try removeSegments(missingIn: next)
    if next.format != catalogue.format || next.hasCompoundIndexes != catalogue.hasCompoundIndexes {
      try CompoundIndexTable.setFormat(of: next, on: connection)
      changesFormat = true
    }
    catalogue = next
    versions.catalogue = next.version
    noteSchemaChange()
    self.changesStorage = changesStorage
  }

  // MARK: Segments

  /// Removes the segments of the columns that another catalogue does not list.
  private func removeSegments(missingIn next: Catalogue) throws(StoreError) {
    guard let stored = catalogue.segments else { return }
    for (table, identifiers) in stored {
      let kept = next.segments?[table] ?? [:]
      let removed = identifiers.filter { kept[$0.key] != $0.value }
      guard !removed.isEmpty else { continue }
      try SegmentTable.remove(table, removed, keepingOthers: !kept.isEmpty, on: connection)
    }
    guard next.segments == nil else { return }
    changesSchema = true
    versions.segments = nil
    try SegmentTable.drop(on: connection)
  }

  /// Whether the store has all tables of segments and their counter; another program may have dropped some.
  private var keepsSegments: Bool { versions.segments != nil && catalogue.segments != nil }

  /// Whether the store has the counter of segments.
  var hasSegmentCounter: Bool { versions.segments != nil }

  /// Records that the store gets the counter of segments.
  func noteSegmentCounter() {
    changesSchema = true
    versions.segments = versions.commit
  }

  /// Records that rows have changed without the writers, so that the commit removes all segments.
  func noteInvalidSegments() { hasInvalidSegments = true }

  /// Marks what the writers have changed in the stored segments.
  private func markSegments() throws(StoreError) {
    guard !catalogue.storedColumns.isEmpty, !hasInvalidSegments else { return }
    let areMarked = try withSegments { () throws(StoreError) in
      for writer in usedWriters where !writer.touched.changes.isEmpty {
        if let columns = catalogue.storedColumns[writer.layout.schema.className] {
          try SegmentMarks(columns, connection).add(writer.touched.changes)
        }
      }
    }
    if !areMarked { hasInvalidSegments = true }
  }

  /// Marks the changes in the stored segments, or removes all that do not match the rows, before the commit.
  ///
  /// - Returns: Whether the store has segments, so that the commit sets their counter.
  func finishSegments() throws(StoreError) -> Bool {
    guard keepsSegments else { return false }
    if !hasInvalidSegments { try markSegments() }
    hasMarkedSegments = try withSegments { () throws(StoreError) in
      if hasInvalidSegments { try SegmentTable.removeSegments(on: connection) }
    }
    return hasMarkedSegments
  }

  /// Changes the tables of segments; returns false where another program has dropped one.
  ///
  /// The change of the rows does not fail then. The commit does not set the counter of segments, so that none is valid.
  private func withSegments(_ change: () throws(StoreError) -> Void) throws(StoreError) -> Bool {
    do throws(StoreError) {
      try change()
      return true
    } catch {
      if try !SegmentTable.exists(on: connection) { return false }
      throw error
    }
  }

  /// Sets the application's schema version.
  func setSchemaVersion(_ version: UInt64) throws(StoreError) {
    guard version != versions.schema else { return }
    try connection.run(
      "UPDATE cadastre_state SET schema_version = ?", .int(Int64(bitPattern: version)))
    versions.schema = version
    changesSchema = true
    changesStorage = false
  }

  /// Notes that tables have changed, so that nothing cached of them is valid.
  func noteSchemaChange() {
    changesSchema = true
    changesStorage = false
    connection.discardStatements()
    generation?.restart()
  }

  // MARK: Reading

  /// Returns the access to a class's cached columns; nil where the cache may not be used.
  func columnSource(_ className: String) -> ColumnSource? {
    // Cached columns are those of the last commit's classes.
    guard !changesSchema else { return nil }
    return ColumnSource(
      cache: columns, history: history, version: versions.commit,
      uncommitted: usedWriter(className)?.touched.segments,
      stored: hasInvalidSegments ? nil : catalogue.storedColumns[className])
  }

  /// The access to the cached nodes of spatial indexes; nil where the cache may not be used.
  var nodeSource: NodeSource? {
    guard !changesSchema, let changed = connection.changedNodes else { return nil }
    return NodeSource(
      cache: columns, history: nodes, version: versions.commit, uncommitted: changed)
  }

  /// The nodes of spatial indexes that the transaction has changed, by index; nil where they are unknown.
  var changedNodes: [String: NodeSet]? {
    changesSchema && !changesStorage ? nil : connection.changedNodes?.byTree
  }

  /// Returns the number of objects of a class.
  func rowCount(_ className: String) throws(StoreError) -> Int {
    if let writer = tableWriters[className] { return writer.rowCount }
    return try connection.storedRowCount(className)
  }

  /// Returns the number of elements of an owner's collection.
  func elementCount(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> Int {
    if let count = usedWriter(layout.ownerClass)?.bufferedCount(owner, layout) { return count }
    return try connection.storedCount(layout, catalogue, owner)
  }

  /// Returns the positions of the elements of an owner's list.
  func positions(_ layout: CollectionLayout, _ owner: Int64) throws(StoreError) -> ListPositions {
    try collections.positions(layout, owner) { () throws(StoreError) in
      try connection.storedPositions(layout, owner)
    }
  }

  /// Returns the elements of an owner's set in ascending order.
  func setElements(
    _ layout: CollectionLayout, _ owner: Int64
  ) throws(StoreError) -> [SetElement] {
    try collections.set(layout, owner) { () throws(StoreError) in
      try connection.storedSet(layout, owner)
    }
  }
}
