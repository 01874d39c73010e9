import CadastreModel
package import CadastreSQLite

/// Reads columns of a class in batches, either of all rows or of rows with given keys.
///
/// What is kept in memory is lent from there, and what is read is kept where it can be. Columns behind
/// links stand beside those of the rows that link there; a null link gives nulls.
package final class BatchReader {
  private let connection: Connection
  private let sql: String
  private let references: [ColumnReference]
  private let key: String
  private let rowCount: Int
  /// What is kept in memory; nil where nothing may be.
  private let kept: (view: ColumnView, joined: JoinedColumns)?
  /// Whether the first rows may be all that is wanted.
  private let isHasty: Bool
  private var streaming: Statement?
  /// Checks the keys of streamed rows.
  private var streamedKeys: AscendingKeys
  private var one: Statement?
  private var hasStarted = false
  /// The segments that are still to be read; nil where there are none, or the rows are streamed.
  private var ahead: (next: Int64, last: Int64)?
  /// Segments from which rows were taken one by one.
  private var images: [Int64: (image: SegmentImage, columns: [ColumnVector])] = [:]
  /// Rows read so far.
  package private(set) var rowsRead = 0

  /// Segments of the class's columns that were in memory, and those that were read from the file, so far.
  package var segments: (inMemory: Int, read: Int) {
    kept.map { ($0.view.segmentsInMemory, $0.view.segmentsRead) } ?? (0, 0)
  }

  /// Prepares to read columns of a class.
  ///
  /// - Parameters:
  ///   - layout: The class.
  ///   - columns: The columns.
  ///   - reader: What they are read from.
  ///   - isHasty: Whether the first rows may be all that is wanted.
  package init(
    _ layout: TableLayout, _ columns: [ColumnReference], _ reader: any StoreReader,
    isHasty: Bool = false
  ) {
    connection = reader.connection
    references = columns
    self.isHasty = isHasty
    let source = RowSource.objects(layout)
    key = source.key
    streamedKeys = AscendingKeys(of: layout.tableName, reader.connection)
    sql = source.query(columns, reader.catalogue)
    rowCount = (try? reader.rowCount(layout.schema.className)) ?? .max
    if let joined = JoinedColumns(layout, columns, reader),
      let view = ColumnView(layout, joined.rootColumns, reader)
    {
      kept = (view, joined)
    } else {
      kept = nil
    }
  }

  deinit {
    streaming?.reset()
    one?.reset()
  }

  /// An empty batch of the right columns.
  package func makeBatch() -> ColumnBatch { ColumnBatch(references) }

  // MARK: All rows

  /// Reads the next rows of all, in order of key; false when there are none left.
  package func readNext(into batch: inout ColumnBatch) throws(StoreError) -> Bool {
    batch.removeAll()
    if !hasStarted {
      hasStarted = true
      try start()
    }
    while true {
      if let streaming, try stream(streaming, into: &batch) { return true }
      guard let (number, last) = ahead, number <= last else { return false }
      ahead = (number + 1, last)
      if try lend(number, into: &batch) {
        if !batch.isEmpty { return true }
        try skipGap()
      } else {
        try startStreaming(number)
      }
    }
  }

  private func start() throws(StoreError) {
    guard let kept else {
      streaming = try connection.statement("\(sql) ORDER BY \(key)")
      return
    }
    guard let keys = try kept.view.keys() else { return }
    ahead = (Segment.number(of: keys.lowerBound), Segment.number(of: keys.upperBound))
  }

  /// Goes on with the next segment that holds a row.
  private func skipGap() throws(StoreError) {
    guard let (next, last) = ahead, next <= last, let kept else { return }
    let first = try kept.view.firstKey(from: Segment.firstKey(next))
    ahead = (first.map(Segment.number) ?? last + 1, last)
  }

  private func lend(
    _ number: Int64, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    guard let kept,
      let image = try kept.view.segment(number, filling: !isHasty || rowsRead > 0),
      let columns = try kept.joined.columns(image.columns, image.rows.slots)
    else { return false }
    batch.lend(image.firstKey, columns, image.rows.slots)
    rowsRead += image.rows.slots.count
    return true
  }

  private func startStreaming(_ number: Int64) throws(StoreError) {
    let statement = try connection.statement(
      "\(sql) WHERE \(key) BETWEEN ? AND ? ORDER BY \(key)")
    let first = Segment.firstKey(number)
    try statement.bind(.int(first), at: 1)
    try statement.bind(.int(first + Int64(Segment.capacity - 1)), at: 2)
    streaming = statement
  }

  private func stream(
    _ statement: Statement, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    while !batch.isFull {
      guard try statement.step() else {
        // Another step would begin again.
        streaming = nil
        break
      }
      try streamedKeys.accept(statement.integer(0))
      batch.append(statement)
      rowsRead += 1
    }
    return !batch.isEmpty
  }

  // MARK: Rows with given keys

  /// Gives the rows with the given keys, in their order, to a closure, batch by batch.
  ///
  /// - Throws: ``StoreError``, or what the closure throws.
  package func forEachBatch(
    of keys: [Int64], _ body: (borrowing ColumnBatch) throws -> Void
  ) throws {
    var batch = makeBatch()
    var next = 0
    while try readNext(of: keys, from: &next, into: &batch) { try body(batch) }
  }

  /// Reads the next of the rows with the given keys, in their order; keys without a row are left out.
  ///
  /// - Parameters:
  ///   - keys: The keys.
  ///   - next: The index of the first key that has not been looked at.
  ///   - batch: Takes the rows.
  /// - Returns: False when there are none left.
  /// - Throws: ``StoreError``
  package func readNext(
    of keys: [Int64], from next: inout Int, into batch: inout ColumnBatch
  ) throws(StoreError) -> Bool {
    batch.removeAll()
    while next < keys.count, !batch.isFull {
      let run = Self.run(of: keys, from: next)
      if run.count >= Self.longRun, let lent = try lent(keys, run) {
        // Rows that were read one by one come first.
        guard batch.isEmpty else { return true }
        next = run.upperBound
        batch.lend(lent.image.firstKey, lent.columns, lent.rows)
        rowsRead += lent.rows.count
        if !batch.isEmpty { return true }
      } else {
        next = try append(keys, run, to: &batch, isWhole: false)
      }
    }
    return !batch.isEmpty
  }

  /// Keys of one segment from which on its columns are lent whole instead of copied row by row.
  private static let longRun = 64

  /// The keys from an index on that ascend within one segment.
  private static func run(of keys: [Int64], from start: Int) -> Range<Int> {
    let number = Segment.number(of: keys[start])
    var end = start + 1
    while end < keys.count, keys[end] > keys[end - 1], Segment.number(of: keys[end]) == number {
      end += 1
    }
    return start..<end
  }

  private func lent(
    _ keys: [Int64], _ run: Range<Int>
  ) throws(StoreError) -> (image: SegmentImage, columns: [ColumnVector], rows: [Int32])? {
    let isDense = run.count * Segment.scannedRows >= min(Segment.capacity, rowCount)
    guard let kept,
      let image = try kept.view.segment(
        Segment.number(of: keys[run.lowerBound]), filling: isDense, rows: run.count)
    else { return nil }
    var rows: [Int32] = []
    rows.reserveCapacity(run.count)
    for place in run {
      let slot = Segment.slot(of: keys[place])
      if image.rows.contains(slot) { rows.append(Int32(slot)) }
    }
    return try kept.joined.columns(image.columns, rows).map { (image, $0, rows) }
  }

  /// Copies rows with keys of one segment from what is kept, or reads them.
  ///
  /// - Parameters:
  ///   - keys: All keys that are asked for.
  ///   - run: The places of those of one segment.
  ///   - batch: Takes the rows that are there.
  ///   - isWhole: Whether to go on when the batch is full.
  /// - Returns: The place of the first key that was not looked at.
  /// - Throws: ``StoreError``
  private func append(
    _ keys: [Int64], _ run: Range<Int>, to batch: inout ColumnBatch, isWhole: Bool
  ) throws(StoreError) -> Int {
    let image = try image(
      Segment.number(of: keys[run.lowerBound]), rows: run.count, of: keys.count)
    for place in run {
      if !isWhole, batch.isFull { return place }
      let key = keys[place]
      guard let image else {
        try read(key, into: &batch)
        continue
      }
      let slot = Segment.slot(of: key)
      guard image.image.rows.contains(slot) else { continue }
      batch.append(key, image.columns, slot)
      rowsRead += 1
    }
    return run.upperBound
  }

  private func image(
    _ number: Int64, rows: Int, of count: Int
  ) throws(StoreError) -> (image: SegmentImage, columns: [ColumnVector])? {
    if let known = images[number] { return known }
    guard let kept, kept.joined.isWithoutLinks else { return nil }
    let isDense = count > rowCount / Segment.scannedRows
    guard let image = try kept.view.segment(number, filling: isDense, rows: rows),
      let columns = try kept.joined.columns(image.columns, [])
    else { return nil }
    if images.count >= Self.mostImages { images = [:] }
    images[number] = (image, columns)
    return (image, columns)
  }

  /// Segments that are held at most for rows taken one by one.
  private static let mostImages = 1024

  /// Reads the rows with the given keys, in their order; keys without a row are left out.
  package func read(
    _ keys: some Sequence<Int64>, into batch: inout ColumnBatch
  ) throws(StoreError) {
    batch.removeAll()
    let keys = Array(keys)
    var next = 0
    while next < keys.count {
      next = try append(keys, Self.run(of: keys, from: next), to: &batch, isWhole: true)
    }
  }

  private func read(_ key: Int64, into batch: inout ColumnBatch) throws(StoreError) {
    let statement: Statement
    if let one {
      statement = one
    } else {
      statement = try connection.statement("\(sql) WHERE \(self.key) = ?")
      one = statement
    }
    try statement.bind(.int(key), at: 1)
    if try statement.step() {
      batch.append(statement)
      rowsRead += 1
    }
    statement.reset()
  }
}
