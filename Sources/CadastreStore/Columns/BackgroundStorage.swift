import CadastreModel
package import Dispatch

/// Stores columns that readers have decoded from rows, so that later processes need not read the rows.
///
/// Readers note the segments. A background queue reads the columns again some time later, encodes them, and stores them
/// in short transactions, which have the write lock only while they write and do not change the version. A transaction
/// waits for no other writer, and a pause follows each one.
package final class BackgroundStorage: Sendable {
  /// Columns of segments by class.
  typealias Segments = [String: [Int64: Set<Int>]]

  private struct State: Sendable {
    var storage = ColumnStorage.never
    /// The time between the first note and the first transaction; nil where only tests call `step(_:)`.
    var delay: DispatchTimeInterval?
    /// The columns that wait.
    var waiting: Segments = [:]
    /// The columns that are never stored, by class.
    var omitted: [String: Set<Int>] = [:]
    var isScheduled = false
    /// The number of times that a transaction was not possible since the last one, because of other writers.
    var refusals = 0
  }

  private let state = Guarded(State())
  private static let queue = DispatchQueue(label: "cadastre.column-storage", qos: .utility)

  /// The time before the first transaction, and after one that was not possible.
  package static let delay = DispatchTimeInterval.seconds(1)
  /// The number of segments whose columns one transaction stores: some 100 KB for each column.
  private static let segmentsOfTransaction = 8
  /// The pause after a transaction, as a multiple of its duration.
  private static let pauseRatio = 4.0
  /// The number of times that other writers may have the lock before the columns are given up.
  private static let mostRefusals = 100

  /// Decides whose columns are stored from now on, and how long after the first note.
  func begin(_ storage: ColumnStorage, after delay: DispatchTimeInterval?) {
    state.withLock { state in
      state.storage = storage
      state.delay = delay
    }
  }

  /// Notes that a reader has decoded columns of a segment from rows.
  func note(_ className: String, _ segment: Int64, _ columns: [Int], of file: StoreFile) {
    let delay = state.withLock { state -> DispatchTimeInterval? in
      guard state.storage != .never, segment >= 0 else { return nil }
      let omitted = state.omitted[className] ?? []
      let columns = columns.filter { !omitted.contains($0) }
      guard !columns.isEmpty else { return nil }
      state.waiting[className, default: [:]][segment, default: []].formUnion(columns)
      // A class with fewer segments has too few objects.
      guard state.storage.storesSegment(segment), !state.isScheduled else { return nil }
      state.isScheduled = state.delay != nil
      return state.delay
    }
    if let delay { schedule(delay, file) }
  }

  private func schedule(_ delay: DispatchTimeInterval, _ file: StoreFile) {
    Self.queue.asyncAfter(deadline: .now() + delay) { [weak file, path = file.path] in
      OpenStores.whileBusy(path) {
        if let file, let pause = self.step(file) { self.schedule(pause, file) }
      }
    }
  }

  /// Stores some of the columns that wait.
  ///
  /// - Returns: The time until the next step; nil at the end.
  func step(_ file: StoreFile) -> DispatchTimeInterval? {
    let start = ContinuousClock.now
    guard let (className, segments, storage) = next() else { return nil }
    do throws(StoreError) {
      let omitted = try file.storeDecoded(className, segments, storage)
      state.withLock { state in
        state.refusals = 0
        state.omitted[className, default: []].formUnion(omitted)
      }
      let pause = max(.milliseconds(10), (ContinuousClock.now - start) * Self.pauseRatio)
      return .microseconds(Int(pause / .microseconds(1)))
    } catch {
      if case .busy = error.reason, putBack(className, segments) { return Self.delay }
      file.columns.reportDamage("columns of class '\(className)' could not be stored: \(error)")
      stop()
      return nil
    }
  }

  /// Returns the segments of the next transaction; nil if none waits.
  private func next() -> (className: String, segments: [Int64: Set<Int>], ColumnStorage)? {
    state.withLock { state in
      guard let className = state.waiting.keys.min(), let waiting = state.waiting[className] else {
        state.isScheduled = false
        return nil
      }
      var segments: [Int64: Set<Int>] = [:]
      for number in waiting.keys.sorted().prefix(Self.segmentsOfTransaction) {
        segments[number] = waiting[number]
        state.waiting[className]?[number] = nil
      }
      if segments.count == waiting.count { state.waiting[className] = nil }
      return (className, segments, state.storage)
    }
  }

  /// Puts segments back after a transaction that could not begin; returns false after too many.
  private func putBack(_ className: String, _ segments: [Int64: Set<Int>]) -> Bool {
    state.withLock { state in
      state.refusals += 1
      for (number, columns) in segments {
        state.waiting[className, default: [:]][number, default: []].formUnion(columns)
      }
      return state.refusals < Self.mostRefusals
    }
  }

  /// Gives up the columns that wait, and later ones.
  private func stop() { state.withLock { $0 = State() } }
}

extension StoreFile {
  /// Stores the columns of large classes in the background, once queries have decoded them from rows.
  ///
  /// A read-only or temporary store stores none.
  ///
  /// - Parameters:
  ///   - storage: The classes.
  ///   - delay: The time after the first query; nil where only tests call `BackgroundStorage.step(_:)`.
  package func storeDecodedColumns(
    _ storage: ColumnStorage, after delay: DispatchTimeInterval? = BackgroundStorage.delay
  ) {
    guard access == .readWrite, writer.kind == .durable else { return }
    backgroundStorage.begin(storage, after: delay)
    columns.setDecodeHandler { [weak self] className, segment, columns in
      guard let self else { return }
      backgroundStorage.note(className, segment, columns, of: self)
    }
  }

  /// Stores columns of segments, in a transaction of its own.
  ///
  /// A snapshot is read before the transaction, so that the write lock is held for short.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - segments: The columns by segment. The last segment is left out.
  ///   - storage: The classes whose columns are stored.
  ///   - interruption: Called between the snapshot and the transaction, for tests.
  /// - Returns: The columns that are never stored.
  /// - Throws: ``StoreError``: `busy` where another writer has or wants the lock, or has committed meanwhile.
  func storeDecoded(
    _ className: String, _ segments: [Int64: Set<Int>], _ storage: ColumnStorage,
    interruptedBy interruption: () -> Void = {}
  ) throws(StoreError) -> Set<Int> {
    try changeStoredClasses(storage, className, .zero)
    let snapshot = try snapshot()
    // From here on, a write of another program changes the counter of segments.
    guard storage.stores(try snapshot.rowCount(className)), snapshot.versions.hasValidSegments,
      let layout = snapshot.catalogue.layout(className),
      let columns = snapshot.catalogue.storedColumns[className],
      try SegmentTable.hasTriggers(layout.tableName, on: snapshot.connection)
    else { return [] }
    let count = try SegmentStorage.segmentCount(className, snapshot.connection)
    let reader = SegmentReader(layout, snapshot.connection)
    var encoded: [EncodedSegment] = []
    for (number, wanted) in segments where number < count {
      guard let (rows, values) = try SegmentStorage.read(number, wanted.sorted(), reader),
        let segment = EncodedSegment(number, rows, values, of: columns)
      else { continue }
      encoded.append(segment)
    }
    let omitted = Set(encoded.flatMap(\.omitted))
    encoded.removeAll(where: \.isEmpty)
    guard !encoded.isEmpty else { return omitted }
    interruption()
    try lockWriter(.zero) { (connection) throws(StoreError) in
      try connection.inWriteTransaction { () throws(StoreError) in
        // A commit since then may have changed the columns.
        guard try StoreVersions(reading: connection) == snapshot.versions else {
          throw StoreError(.busy, path: path)
        }
        for segment in encoded { _ = try segment.store(on: connection) }
      }
      checkpoints.run(connection) { commits.fire(nil) }
    }
    releaseWriter()
    return omitted
  }
}
