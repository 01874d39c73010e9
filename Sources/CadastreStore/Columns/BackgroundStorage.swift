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

  fileprivate struct State: Sendable {
    var storage = ColumnStorage.never
    /// The classes that may have enough objects.
    var largeClasses: Set<String> = []
    /// The time between the first note and the first transaction; nil where only tests call `step(_:)`.
    var delay: DispatchTimeInterval?
    /// The columns that wait.
    var waiting: Segments = [:]
    /// The columns that are never stored, by class, and the version of the catalogue that numbers them.
    var omitted: [String: Set<Int>] = [:]
    var catalogueVersion: Int64 = 0
    var isScheduled = false
    /// The number of times that a transaction was not possible since the last one, because of other writers.
    var refusals = 0
  }

  private let state = Guarded(State())
  private static let queueKey = DispatchSpecificKey<Bool>()
  private static let queue = {
    let queue = DispatchQueue(label: "cadastre.column-storage", qos: .utility)
    queue.setSpecific(key: queueKey, value: true)
    return queue
  }()

  /// Whether the current thread runs a step.
  static var isCurrentQueue: Bool { DispatchQueue.getSpecific(key: queueKey) == true }

  /// The time before the first transaction, and after one that was not possible.
  package static let delay = DispatchTimeInterval.seconds(1)
  /// The number of segments whose columns one transaction stores: some 100 KB for each column.
  private static let segmentsOfTransaction = 8
  /// The pause after a transaction, as a multiple of its duration.
  private static let pauseRatio = 4.0
  /// The number of times that other writers may prevent a transaction before the columns are given up.
  private static let mostRefusals = 20

  /// Decides whose columns are stored from now on, and how long after the first note.
  func begin(_ storage: ColumnStorage, after delay: DispatchTimeInterval?) {
    state.withLock { state in
      state.storage = storage
      state.delay = delay
      if storage == .never { state.waiting = [:] }
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
      if state.storage.storesSegment(segment) { state.largeClasses.insert(className) }
      guard state.largeClasses.contains(className), !state.isScheduled else { return nil }
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
      let stored = try file.storeDecoded(className, segments, storage)
      state.withLock { $0.note(stored, className) }
      let pause = max(.milliseconds(10), (ContinuousClock.now - start) * Self.pauseRatio)
      return .microseconds(Int(pause / .microseconds(1)))
    } catch {
      if case .busy = error.reason {
        // The columns are decoded from rows again where they are given up.
        putBack(className, segments)
        return Self.delay
      }
      file.columns.reportDamage("columns of class '\(className)' could not be stored: \(error)")
      state.withLock { $0 = State() }
      return nil
    }
  }

  /// The segments of a transaction.
  private typealias Work = (
    className: String, segments: [Int64: Set<Int>], storage: ColumnStorage
  )

  /// Returns the segments of the next transaction; nil if none waits.
  private func next() -> Work? {
    state.withLock { state -> Work? in
      guard let className = state.waiting.keys.first(where: state.largeClasses.contains) else {
        state.isScheduled = false
        return nil
      }
      let numbers = Array(
        (state.waiting[className] ?? [:]).keys.prefix(Self.segmentsOfTransaction))
      var segments: [Int64: Set<Int>] = [:]
      for number in numbers {
        segments[number] = state.waiting[className]?.removeValue(forKey: number)
      }
      if state.waiting[className]?.isEmpty == true { state.waiting[className] = nil }
      return (className, segments, state.storage)
    }
  }

  /// Puts segments back after a transaction that was not possible, or gives everything up.
  private func putBack(_ className: String, _ segments: [Int64: Set<Int>]) {
    state.withLock { state in
      state.refusals += 1
      guard state.refusals < Self.mostRefusals else {
        state.waiting = [:]
        state.refusals = 0
        return
      }
      for (number, columns) in segments {
        state.waiting[className, default: [:]][number, default: []].formUnion(columns)
      }
    }
  }

  /// What a step has found of a class.
  struct Outcome {
    /// The columns that are never stored.
    var omitted: Set<Int> = []
    /// The version of the catalogue.
    var catalogueVersion: Int64 = 0
  }
}

extension BackgroundStorage.State {
  /// Records what a step has found.
  fileprivate mutating func note(_ outcome: BackgroundStorage.Outcome, _ className: String) {
    refusals = 0
    if outcome.catalogueVersion != catalogueVersion {
      catalogueVersion = outcome.catalogueVersion
      omitted = [:]
    }
    omitted[className, default: []].formUnion(outcome.omitted)
  }
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
    guard access == .readWrite, writer.kind == .durable, Self.mayWrite(path) else { return }
    backgroundStorage.begin(storage, after: delay)
    columns.setDecodeHandler { [weak self] className, segment, columns in
      guard let self else { return }
      backgroundStorage.note(className, segment, columns, of: self)
    }
  }

  /// Stores columns of segments, in a transaction of its own.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - segments: The columns by segment. Those that are stored, and the last segment, are left out.
  ///   - storage: The classes whose columns are stored.
  ///   - interruption: Called between the snapshot and the transaction, for tests.
  /// - Returns: What was found.
  /// - Throws: ``StoreError``: `busy` where another writer has or wants the lock, or has committed meanwhile.
  func storeDecoded(
    _ className: String, _ segments: [Int64: Set<Int>], _ storage: ColumnStorage,
    interruptedBy interruption: () -> Void = {}
  ) throws(StoreError) -> BackgroundStorage.Outcome {
    // The file may have been removed or replaced since it was read.
    guard storage != .never, readers.isInPlace else { return BackgroundStorage.Outcome() }
    try changeStoredClasses(storage, className, .zero)
    let (encoded, versions, outcome) = try encodedSegments(className, segments, storage)
    guard !encoded.isEmpty else { return outcome }
    interruption()
    try lockWriter(.zero) { (connection) throws(StoreError) in
      try connection.withoutWaiting { () throws(StoreError) in
        try connection.inWriteTransaction { () throws(StoreError) in
          // A commit since then may have changed the columns.
          guard readers.isInPlace, try StoreVersions(reading: connection) == versions else {
            throw StoreError(.busy, path: path)
          }
          for segment in encoded { _ = try segment.store(on: connection) }
        }
      }
      checkpoints.run(connection) { commits.fire(nil) }
    }
    releaseWriter()
    return outcome
  }

  /// Reads columns of segments from a snapshot, which ends with the call: it would keep the log from being copied.
  private func encodedSegments(
    _ className: String, _ segments: [Int64: Set<Int>], _ storage: ColumnStorage
  ) throws(StoreError) -> ([EncodedSegment], StoreVersions, BackgroundStorage.Outcome) {
    let snapshot = try snapshot()
    var outcome = BackgroundStorage.Outcome(catalogueVersion: snapshot.catalogue.version)
    // From here on, a write of another program changes the counter of segments.
    guard storage.stores(try snapshot.rowCount(className)), snapshot.versions.hasValidSegments,
      let layout = snapshot.catalogue.layout(className),
      let columns = snapshot.catalogue.storedColumns[className],
      try SegmentTable.hasTriggers(layout.tableName, on: snapshot.connection)
    else { return ([], snapshot.versions, outcome) }
    let count = try SegmentStorage.segmentCount(className, snapshot.connection)
    let reader = SegmentReader(layout, snapshot.connection)
    var encoded: [EncodedSegment] = []
    for (number, wanted) in segments where number < count {
      // The columns were numbered by the catalogue of the reader, which may be an older one.
      outcome.omitted.formUnion(wanted.filter { columns.columns[$0] == nil })
      var missing: [Int] = []
      for column in wanted.sorted() where columns.columns[column] != nil {
        let isStored = try SegmentStorage.isIntact(column, number, columns, snapshot.connection)
        if !isStored { missing.append(column) }
      }
      guard !missing.isEmpty,
        let (rows, values) = try SegmentStorage.read(number, missing, reader),
        let segment = EncodedSegment(number, rows, values, of: columns)
      else { continue }
      let isRead = Set(values.map(\.column))
      outcome.omitted.formUnion(missing.filter { !isRead.contains($0) })
      outcome.omitted.formUnion(segment.omitted)
      if !segment.isEmpty { encoded.append(segment) }
    }
    return (encoded, snapshot.versions, outcome)
  }
}
