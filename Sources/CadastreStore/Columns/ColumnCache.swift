import CadastreModel
import Dispatch

/// The columns of a store that are kept in memory, for all threads and snapshots.
///
/// Nothing in it changes: who has taken a segment out keeps what was right for its version. Nobody
/// holds the lock while reading from the file.
package final class ColumnCache: Sendable {
  private struct Place: Hashable {
    let className: String
    let segment: Int64
  }

  private struct State: Sendable {
    var tables: [String: TableImage] = [:]
    /// Segments that somebody is reading, with what others wait for.
    var fills: [Place: DispatchSemaphore] = [:]
    var clock: UInt64 = 0
    var report = ColumnCacheReport()

    /// Counts what a change of a table adds or takes.
    mutating func change(_ className: String, _ body: (inout TableImage) -> Void) {
      guard var table = tables.removeValue(forKey: className) else { return }
      let before = table.byteCount
      body(&table)
      report.byteCount += table.byteCount - before
      report.mostBytes = max(report.mostBytes, report.byteCount)
      tables[className] = table
    }
  }

  private let state: Guarded<State>

  /// Bytes that are kept unless somebody says otherwise: 256 MiB.
  package static let usualBudget = 256 << 20

  init(budget: Int = ColumnCache.usualBudget) {
    var state = State()
    state.report.budget = budget
    self.state = Guarded(state)
  }

  /// Bytes that may be kept, about; with 0 every question is answered from the file.
  package var budget: Int {
    get { state.withLock { $0.report.budget } }
    set {
      state.withLock { state in
        state.report.budget = max(0, newValue)
        Self.evict(&state, before: .max)
      }
    }
  }

  /// What is kept.
  package var report: ColumnCacheReport {
    state.withLock { state in
      var report = state.report
      report.segmentCount = state.tables.values.reduce(0) { $0 + $1.segmentCount }
      report.bytesByClass = state.tables.mapValues(\.byteCount).filter { $0.value > 0 }
      return report
    }
  }

  /// The share of what a scan of some columns needs that is kept, of a class of so many rows.
  func share(_ className: String, _ columns: [Int], of rowCount: Int) -> Double {
    let segments = max(1, (rowCount + Segment.capacity - 1) / Segment.capacity)
    return state.withLock { state in
      guard let table = state.tables[className] else { return 0 }
      let kept = (columns + [TableImage.rows]).map { table.columns[$0]?.segments.count ?? 0 }
      let needed = segments * kept.count
      return Double(kept.reduce(0) { $0 + min(segments, $1) }) / Double(needed)
    }
  }

  // MARK: Versions

  /// How a version stands to what is kept of a table.
  enum Standing: Sendable {
    /// It is the version at which everything is known.
    case current
    /// It is older than another, and the commits in between touched some segments.
    case older(than: Int64, SegmentTouches)
    /// Nothing is known of what changed in between.
    case apart
  }

  /// Finds out how a version stands to what is kept of a table; a newer version moves it forward.
  ///
  /// - Returns: The standing, and the time that this was; nil where nothing may be kept.
  func open(
    _ className: String, _ columns: [Int], at version: Int64, _ history: ChangeHistory
  ) -> (standing: Standing, time: UInt64)? {
    while true {
      let opened = state.withLock { state -> (known: Int64, isEmpty: Bool, time: UInt64)? in
        guard state.report.budget > 0 else { return nil }
        state.clock += 1
        let time = state.clock
        var table = state.tables[className] ?? TableImage(version: version)
        table.noteUse(columns + [TableImage.rows], at: time)
        if table.byteCount == 0, table.version < version { table.advance(to: version) }
        state.tables[className] = table
        return (table.version, table.byteCount == 0, time)
      }
      guard let opened else { return nil }
      if opened.known == version { return (.current, opened.time) }
      if opened.known > version {
        guard let changes = history.changes(after: version, through: opened.known),
          !changes.changesSchema
        else { return (.apart, opened.time) }
        let touches = changes.classes[className].map(SegmentTouches.init) ?? SegmentTouches()
        return (.older(than: opened.known, touches), opened.time)
      }
      let changes = history.changes(after: opened.known, through: version)
      let hasMoved = state.withLock { state in
        guard state.tables[className]?.version == opened.known else { return false }
        state.change(className) { table in
          guard let changes, !changes.changesSchema else {
            table.removeAll()
            table.advance(to: version)
            return
          }
          if let own = changes.classes[className] {
            table.advance(to: version, own)
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

  /// A segment's column as it was found.
  enum Found: Sendable {
    case hit(CachedSegment.Content)
    /// It is right but for some slots.
    case stale(CachedSegment.Content, changed: [Int32])
    case missing
  }

  /// What is to be done for a segment.
  enum Turn: Sendable {
    /// All is there.
    case done([Found])
    /// Some is missing, and the caller is to read it, and to say so with `finish`.
    case fill([Found])
    /// Somebody else is reading it.
    case wait(DispatchSemaphore)
  }

  /// Looks for columns of a segment at a version.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - segment: The segment.
  ///   - columns: The columns.
  ///   - version: The version.
  ///   - standing: How the version stands to what is kept.
  ///   - filling: Whether the caller will read what is missing.
  ///   - rows: The rows that the caller will fetch one by one otherwise.
  /// - Returns: What was found, or what to do.
  func look(
    _ className: String, _ segment: Int64, _ columns: [Int], at version: Int64,
    _ standing: Standing, filling: Bool, rows: Int
  ) -> Turn {
    state.withLock { state in
      guard let table = state.tables[className] else {
        return .done(columns.map { _ in .missing })
      }
      var hits = 0
      let found = columns.map { column -> Found in
        guard let entry = table[column, segment] else { return .missing }
        let found = Self.found(entry, column, segment, at: version, standing, table.version)
        if case .hit = found { hits += 1 }
        return found
      }
      state.report.hits += hits
      // What is read for a version that is not the newest known cannot be kept.
      guard hits < columns.count, table.version == version,
        filling || state.tables[className]?.noteFetched(segment, rows) == true
      else { return .done(found) }
      let place = Place(className: className, segment: segment)
      if let reading = state.fills[place] { return .wait(reading) }
      state.fills[place] = DispatchSemaphore(value: 0)
      return .fill(found)
    }
  }

  private static func found(
    _ entry: CachedSegment, _ column: Int, _ segment: Int64, at version: Int64,
    _ standing: Standing, _ newest: Int64
  ) -> Found {
    if version >= entry.first {
      if version <= entry.last ?? newest { return .hit(entry.content) }
      return version == newest ? .stale(entry.content, changed: entry.changed) : .missing
    }
    // What was first seen at a version up to which nothing was touched is the same at this one.
    guard case .older(let known, let touches) = standing, entry.first <= known else {
      return .missing
    }
    let isTouched =
      column == TableImage.rows ? touches.touchesRows(segment) : touches.touches(segment, column)
    return isTouched ? .missing : .hit(entry.content)
  }

  /// Keeps what was read of a segment at a version, and lets go of those who wait for it.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - segment: The segment.
  ///   - contents: What was read, by column; none after a failure.
  ///   - patches: The number of those of which only changed rows were read.
  ///   - version: The version.
  ///   - time: When the reader asked for the table: nothing that was used since gives way.
  func finish(
    _ className: String, _ segment: Int64, _ contents: [(column: Int, CachedSegment.Content)],
    patches: Int, at version: Int64, time: UInt64
  ) {
    let place = Place(className: className, segment: segment)
    let waiting = state.withLock { state in
      state.report.fills += contents.count - patches
      state.report.patches += patches
      if state.tables[className]?.version == version {
        state.change(className) { table in
          for (column, content) in contents {
            table.insert(CachedSegment(content, at: version), column, segment)
          }
        }
        Self.evict(&state, before: time)
        if state.report.byteCount > state.report.budget {
          Self.remove(className, segment, contents.map(\.column), &state)
        }
      }
      return state.fills.removeValue(forKey: place)
    }
    waiting?.signal()
  }

  private static func remove(
    _ className: String, _ segment: Int64, _ columns: [Int], _ state: inout State
  ) {
    state.change(className) { table in
      for column in columns { table.remove(column, segment) }
    }
  }

  /// Makes room, taking first what was last used longest ago.
  private static func evict(_ state: inout State, before time: UInt64) {
    guard state.report.byteCount > state.report.budget else { return }
    var candidates = state.tables.flatMap { name, table in
      table.columns.filter { $0.value.lastUse < time && !$0.value.segments.isEmpty }
        .map { (lastUse: $0.value.lastUse, name: name, column: $0.key) }
    }
    candidates.sort { ($0.lastUse, $0.column) > ($1.lastUse, $1.column) }
    while state.report.byteCount > state.report.budget, let next = candidates.popLast() {
      let excess = state.report.byteCount - state.report.budget
      var removed = 0
      state.change(next.name) { table in
        let before = table.byteCount
        while before - table.byteCount < excess, table.removeOne(of: next.column) { removed += 1 }
      }
      state.report.evictions += removed
    }
  }
}
