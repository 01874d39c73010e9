import CadastreModel
import Dispatch

/// The cache of a store's columns and of the nodes of its spatial indexes, shared by all threads and snapshots.
///
/// Segments and nodes are immutable: a reader uses those that are valid for its version. The lock is never held
/// during a read of the file.
package final class ColumnCache: Sendable {
  struct SegmentID: Hashable {
    let className: String
    let segment: Int64
  }

  struct State: Sendable {
    var tables: [String: TableCache] = [:]
    /// The nodes of spatial indexes by the name of the index.
    var nodes: [String: NodeImage] = [:]
    /// The segments that a reader is reading, with the semaphores on which other readers wait.
    var fills: [SegmentID: DispatchSemaphore] = [:]
    var clock: UInt64 = 0
    var report = ColumnCacheReport()
    /// The limit in bytes while the system has little memory left; the greatest number at other times.
    var pressureLimit = Int.max
    /// The last check of the system's memory.
    var memoryCheck = MemoryCheck()

    /// The part of the budget that buffers of sorts use, in bytes.
    var lent = 0

    /// The size in bytes that the cache may have.
    var limit: Int { min(max(0, report.budget - lent), pressureLimit) }

    /// Changes the nodes of an index and updates the byte counts.
    mutating func changeNodes(of index: String, _ body: (inout NodeImage) -> Void) {
      guard var image = nodes.removeValue(forKey: index) else { return }
      let before = image.byteCount
      body(&image)
      add(image.byteCount - before)
      nodes[index] = image
    }

    private mutating func add(_ bytes: Int) {
      report.byteCount += bytes
      report.peakByteCount = max(report.peakByteCount, report.byteCount)
    }

    /// Changes the cache of a table and updates the byte counts.
    mutating func change(_ className: String, _ body: (inout TableCache) -> Void) {
      guard var table = tables.removeValue(forKey: className) else { return }
      let before = table.byteCount
      body(&table)
      add(table.byteCount - before)
      tables[className] = table
    }
  }

  let state: Guarded<State>
  /// The memory of the system.
  let memory: SystemMemory
  /// Delivers the system's notifications of memory pressure; nil where the system sends none.
  private let pressureSource = Guarded<MemoryPressureSource?>(nil)
  /// Receives a sentence about each damaged segment in the file.
  private let damageHandler = Guarded<(@Sendable (String) -> Void)?>(nil)
  /// Receives columns of segments that readers have decoded from rows.
  private let decodeHandler = Guarded<DecodeHandler?>(nil)

  /// The default budget in bytes: the share of the system's memory that ``SystemMemory/cacheShare(of:)`` returns.
  package static let defaultBudget = SystemMemory.cacheShare(of: SystemMemory.current.byteCount)

  init(budget: Int = ColumnCache.defaultBudget, memory: SystemMemory = .current) {
    var state = State()
    state.report.budget = budget
    self.state = Guarded(state)
    self.memory = memory
    let source = MemoryPressureSource { [weak self] pressure in self?.adapt(to: pressure) }
    pressureSource.withLock { $0 = source }
  }

  /// The approximate limit of the cache in bytes; with 0 every query reads the file.
  package var budget: Int {
    get { state.withLock { $0.report.budget } }
    set {
      state.withLock { state in
        state.report.budget = max(0, newValue)
        Self.evict(&state, before: .max)
        // Also which columns were scanned, and how many rows were fetched by key.
        if newValue <= 0 { (state.tables, state.nodes) = ([:], [:]) }
      }
    }
  }

  /// The statistics of the cache.
  package var report: ColumnCacheReport {
    state.withLock { state in
      var report = state.report
      report.segmentCount = state.tables.values.reduce(0) { $0 + $1.segmentCount }
      report.nodeCount = state.nodes.values.reduce(0) { $0 + $1.nodeCount }
      report.nodeByteCount = state.nodes.values.reduce(0) { $0 + $1.byteCount }
      report.byteCountByClass = state.tables.mapValues(\.byteCount).filter { $0.value > 0 }
      report.byteCountByColumn = state.tables.mapValues(\.byteCountByColumn).filter {
        !$0.value.isEmpty
      }
      return report
    }
  }

  /// Returns the fraction of the segments, from 0 to 1, that the scarcest of the columns of a scan has in the cache.
  func share(_ className: String, _ columns: [Int], of rowCount: Int) -> Double {
    let segments = KeySegment.count(ofRows: rowCount)
    return state.withLock { state in
      guard let table = state.tables[className] else { return 0 }
      let cached = (columns + [TableCache.rows]).map { table.columns[$0]?.segments.count ?? 0 }
      return Double(min(segments, cached.min() ?? 0)) / Double(segments)
    }
  }

  // MARK: Stored segments

  /// Receives the name of a class, the number of a segment and the columns that a reader has decoded from its rows.
  typealias DecodeHandler = @Sendable (String, Int64, [Int]) -> Void

  /// Sets the closure that receives a sentence about each damaged segment in the file; any thread calls it.
  package func setDamageHandler(_ handler: @escaping @Sendable (String) -> Void) {
    damageHandler.withLock { $0 = handler }
  }

  /// Reports a damaged segment in the file, or a failure to store segments.
  func reportDamage(_ sentence: String) { damageHandler.withLock { $0 }?(sentence) }

  /// Sets the closure that receives what readers decode from rows; any thread calls it.
  func setDecodeHandler(_ handler: @escaping DecodeHandler) {
    decodeHandler.withLock { $0 = handler }
  }

  /// Notes that a reader has decoded columns of a segment from rows.
  func noteDecoded(_ className: String, _ segment: Int64, _ columns: [Int]) {
    decodeHandler.withLock { $0 }?(className, segment, columns)
  }

  // MARK: Versions

  /// How a reader's version relates to the version of a table's cache.
  enum VersionRelation: Sendable {
    /// The versions are equal.
    case current
    /// The reader's version is older than the cache's; the commits in between touched some segments.
    case older(than: Int64, SegmentTouches)
    /// The changes between the versions are unknown.
    case unrelated
  }

  /// Compares a reader's version with a table's cache; a newer version advances the cache.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - columns: The columns that will be read.
  ///   - version: The reader's version.
  ///   - history: The changes of recent commits.
  ///   - use: The use of the columns by the same scan, which is recorded once; nil for a use of its own.
  /// - Returns: The relation, and the time of the cache's clock since which a column must not have been used that is
  ///   evicted for these columns; nil where the budget is 0.
  func open(
    _ className: String, _ columns: [Int], at version: Int64, _ history: ChangeHistory,
    sharing use: SharedUse? = nil
  ) -> (relation: VersionRelation, time: UInt64)? {
    var time = use?.time
    while true {
      let known = time
      let opened = state.withLock { state -> (version: Int64, time: UInt64, isCheckDue: Bool)? in
        guard state.report.budget > 0 else { return nil }
        var table = state.tables[className] ?? TableCache(version: version)
        let time: UInt64
        if let known {
          time = known
        } else {
          state.clock += 1
          time = table.noteUse(columns, at: state.clock)
        }
        if table.byteCount == 0, table.version < version { table.advance(to: version) }
        state.tables[className] = table
        return (table.version, time, state.isMemoryCheckDue())
      }
      guard let opened else { return nil }
      if opened.isCheckDue { adaptToMemory() }
      time = opened.time
      use?.time = time
      if opened.version == version { return (.current, opened.time) }
      if opened.version > version {
        guard let changes = history.changes(after: version, through: opened.version),
          !changes.changesSchema
        else { return (.unrelated, opened.time) }
        let touches = changes.classes[className].map(SegmentTouches.init) ?? SegmentTouches()
        return (.older(than: opened.version, touches), opened.time)
      }
      let changes = history.changes(after: opened.version, through: version)
      let hasMoved = state.withLock { state in
        guard state.tables[className]?.version == opened.version else { return false }
        state.change(className) { table in
          guard let changes, !changes.changesSchema else {
            table.removeAll()
            table.advance(to: version)
            return
          }
          if let classChanges = changes.classes[className] {
            table.advance(to: version, classChanges)
          } else {
            table.advance(to: version)
          }
        }
        return true
      }
      if hasMoved { return (.current, opened.time) }
    }
  }

  // MARK: Segments

  /// Returns the segments of some columns that are cached for a version, and the counts of rows that were
  /// fetched by key; nil where the table's cache has another version.
  func published(
    _ className: String, _ columns: [Int], at version: Int64
  ) -> (segments: PublishedColumns, fetched: FetchCounts)? {
    state.withLock { state in
      guard let table = state.tables[className], table.version == version else { return nil }
      return (table.published(columns), FetchCounts(before: table.fetched))
    }
  }

  /// Counts rows of a segment that a reader is about to fetch by key; returns whether to read the segment
  /// instead.
  func noteFetched(_ className: String, _ segment: Int64, _ rows: Int) -> Bool {
    state.withLock { $0.tables[className]?.noteFetched(segment, rows) == true }
  }

  /// Adds the counts of a scan that read the cache without the lock.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - hits: The number of cached segments that the scan used, counted per column.
  ///   - fetched: The counts of rows that the scan fetched by key.
  func note(_ className: String, hits: Int, fetched: [FetchCounts.Count]) {
    guard hits > 0 || !fetched.isEmpty else { return }
    state.withLock { state in
      state.report.hits += hits
      if !fetched.isEmpty { state.tables[className]?.noteFetched(fetched) }
    }
  }

  /// The result of a lookup of one column of a segment.
  enum Entry: Sendable {
    case hit(CachedSegment.Content)
    /// The content is valid except for some slots.
    case stale(CachedSegment.Content, changed: [Int32])
    case missing
  }

  /// The result of a lookup of a segment.
  enum Lookup: Sendable {
    /// The lookup is complete; some entries may be missing.
    case done([Entry])
    /// The caller must read the entries that are not hits, and then call `finish`.
    case fill([Entry])
    /// Another reader is reading the segment.
    case wait(DispatchSemaphore)
    /// The cache has no room for the missing entries.
    case full([Entry])
  }

  /// Looks up columns of a segment at a version.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - segment: The segment.
  ///   - columns: The columns.
  ///   - companion: A column that is read together with missing ones; nil for none.
  ///   - version: The version.
  ///   - relation: The relation of the version to that of the table's cache.
  ///   - use: The rows that the caller needs, which decide whether it reads missing entries.
  ///   - time: The time that `open` returned. Columns that were used since then are not evicted.
  /// - Returns: The entries, and whether the caller must read some or wait. Where the caller must read, the
  ///   last entry is that of the companion, unless more than half of the budget is used.
  func lookUp(
    _ className: String, _ segment: Int64, _ columns: [Int], with companion: Int?,
    at version: Int64, _ relation: VersionRelation, for use: SegmentUse, time: UInt64
  ) -> Lookup {
    state.withLock { state in
      guard let table = state.tables[className] else {
        return .done(columns.map { _ in .missing })
      }
      func entry(_ column: Int) -> Entry {
        guard let cached = table[column, segment] else { return .missing }
        return Self.entry(cached, column, segment, at: version, relation, table.version)
      }
      var hits = 0
      // The bytes that the missing entries will probably take.
      var missing = 0
      var entries = columns.map { column -> Entry in
        let entry = entry(column)
        switch entry {
        case .hit: hits += 1
        case .missing: missing += table.columns[column]?.expectedByteCount ?? 0
        case .stale: break
        }
        return entry
      }
      state.report.hits += hits
      // Only a reader at the version of the table's cache may fill it.
      guard hits < columns.count, table.version == version else { return .done(entries) }
      if case .rows(let rows) = use,
        state.tables[className]?.noteFetched(segment, rows) != true
      {
        return .done(entries)
      }
      guard Self.hasRoom(for: missing, state, before: time) else { return .full(entries) }
      let id = SegmentID(className: className, segment: segment)
      if let reading = state.fills[id] { return .wait(reading) }
      state.fills[id] = DispatchSemaphore(value: 0)
      if let companion, state.report.byteCount < state.limit / 2 {
        entries.append(entry(companion))
      }
      return .fill(entries)
    }
  }

  /// Returns whether a number of bytes fits the budget, if columns are evicted that were last used before a time.
  static func hasRoom(for bytes: Int, _ state: State, before time: UInt64) -> Bool {
    let excess = state.report.byteCount + bytes - state.limit
    guard excess > 0 else { return true }
    let nodes = state.nodes.values.reduce(0) { $0 + ($1.use.last < time ? $1.byteCount : 0) }
    return state.tables.values.reduce(nodes) { $0 + $1.byteCount(unusedSince: time) } >= excess
  }

  private static func entry(
    _ cached: CachedSegment, _ column: Int, _ segment: Int64, at version: Int64,
    _ relation: VersionRelation, _ newest: Int64
  ) -> Entry {
    if version >= cached.first {
      if version <= cached.last ?? newest { return .hit(cached.content) }
      return version == newest ? .stale(cached.content, changed: cached.changed) : .missing
    }
    // An entry that was read at a newer version is valid for the reader if no commit in between changed it.
    guard case .older(let newer, let touches) = relation, cached.first <= newer else {
      return .missing
    }
    let isTouched =
      column == TableCache.rows ? touches.touchesRows(segment) : touches.touches(segment, column)
    return isTouched ? .missing : .hit(cached.content)
  }

  /// Caches contents that were read from a segment, and resumes the readers that wait for the segment.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - segment: The segment.
  ///   - contents: The contents; none after a failure.
  ///   - version: The version.
  ///   - time: The time that `open` returned. Columns that were used since then are not evicted.
  ///   - companion: The column that was read together with missing ones, and is cached only if there is room; nil for
  ///     none.
  /// - Returns: False where the cache has no room for the contents.
  func finish(
    _ className: String, _ segment: Int64, _ contents: SegmentContents, at version: Int64,
    time: UInt64, companion: Int? = nil
  ) -> Bool {
    let id = SegmentID(className: className, segment: segment)
    let (waiting, isCached, isCheckDue) = state.withLock { state in
      var isCached = true
      state.report.fills += contents.columns.count - contents.patches
      state.report.patches += contents.patches
      state.report.stored += contents.stored
      if state.tables[className]?.version == version {
        state.change(className) { table in
          for (column, content) in contents.columns {
            table.insert(CachedSegment(content, at: version), column, segment)
          }
        }
        Self.evict(&state, before: time)
        if state.report.byteCount > state.limit, let companion {
          Self.remove(className, segment, [companion], &state)
        }
        if state.report.byteCount > state.limit {
          Self.remove(className, segment, contents.columns.map(\.column), &state)
          isCached = false
        }
      }
      return (state.fills.removeValue(forKey: id), isCached, state.isMemoryCheckDue())
    }
    waiting?.signal()
    if isCheckDue { adaptToMemory() }
    return isCached
  }

  private static func remove(
    _ className: String, _ segment: Int64, _ columns: [Int], _ state: inout State
  ) {
    state.change(className) { table in
      for column in columns { table.remove(column, segment) }
    }
  }

  /// What is evicted together: a column of a class, or the nodes of a spatial index.
  private enum Evictable {
    case column(className: String, Int)
    case nodes(index: String)

    /// Whether it is the list of rows, which every scan of the class needs.
    var isRows: Bool { if case .column(_, TableCache.rows) = self { true } else { false } }
  }

  /// Evicts columns and nodes in the order of their last use until the cache fits its limit.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - time: The time since which what is evicted was not used.
  static func evict(_ state: inout State, before time: UInt64) {
    guard state.report.byteCount > state.limit else { return }
    var candidates = state.tables.flatMap { name, table in
      table.columns.filter { $0.value.use.last < time && !$0.value.segments.isEmpty }
        .map { (use: $0.value.use.last, what: Evictable.column(className: name, $0.key)) }
    }
    for (index, image) in state.nodes where image.use.last < time && image.byteCount > 0 {
      candidates.append((image.use.last, .nodes(index: index)))
    }
    // The rows are evicted after the columns with the same last use.
    candidates.sort { ($0.use, $0.what.isRows ? 1 : 0) > ($1.use, $1.what.isRows ? 1 : 0) }
    while case let excess = state.report.byteCount - state.limit, excess > 0,
      let next = candidates.popLast()
    {
      var removed = 0
      switch next.what {
      case .column(let className, let column):
        state.change(className) { table in
          let before = table.byteCount
          while before - table.byteCount < excess, table.removeOne(of: column) { removed += 1 }
        }
      case .nodes(let index):
        state.changeNodes(of: index) { removed = $0.removeLast(bytes: excess) }
      }
      state.report.evictions += removed
    }
  }
}

/// The use of columns by the readers of one scan, which threads share.
package final class SharedUse: Sendable {
  private let value = Guarded<UInt64?>(nil)

  /// The time that the first reader got from `ColumnCache.open`; nil before.
  var time: UInt64? {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// The access of one reader to the column cache.
package struct ColumnSource {
  /// The cache.
  package let cache: ColumnCache
  /// The changes of recent commits.
  let history: ChangeHistory
  /// The version that the reader sees.
  let version: Int64
  /// The uncommitted changes of the reader's transaction; nil for a snapshot.
  let uncommitted: SegmentTouches?
  /// The columns that are stored as segments, which are valid for the reader; nil if there are none.
  let stored: StoredColumns?

  /// Returns the cached fraction, from 0 to 1, of some columns of a class.
  package func shareInMemory(_ className: String, _ columns: [Int], of rowCount: Int) -> Double {
    cache.share(className, columns, of: rowCount)
  }
}
