import CadastreSQLite
import Foundation
import HeapModule

/// A sort of records by their keys in a bounded amount of memory.
///
/// Up to `capacity` records stay in memory. Further records are written to an unnamed temporary file as
/// sorted runs, and merged during reading. Records with equal keys stay in the order in which they were
/// appended, so the result does not depend on the number of runs.
// The records are `@exclusivity(unchecked)`: no code that runs during an access reaches the sort again.
package final class ExternalSort<Record: SortableRecord> {
  /// The file for which the records are sorted.
  let path: String
  private let capacity: Int
  /// The records in memory; all others are in the file.
  @exclusivity(unchecked) private var records: [Record] = []
  private var file: UnnamedFile?
  /// The sorted runs in the file, as ranges of indexes of records.
  private var runs: [Range<Int>] = []

  /// Creates a sort without records.
  ///
  /// - Parameters:
  ///   - path: The file for which the records are sorted; a temporary file is created in its folder, and errors
  ///     name it.
  ///   - capacity: The maximum number of records in memory.
  package init(for path: String, capacity: Int) {
    self.path = path
    self.capacity = max(capacity, 1)
  }

  /// The number of records.
  package var count: Int { storedCount + records.count }

  private var storedCount: Int { runs.last?.upperBound ?? 0 }

  /// Appends a record.
  ///
  /// - Parameter record: The record.
  /// - Throws: ``StoreError`` when the temporary file cannot be written.
  func append(_ record: Record) throws(StoreError) {
    if records.count == capacity { try writeRun() }
    records.append(record)
  }

  /// Calls a closure with each record, in the order of appending while all records are in memory, else in the
  /// order of the runs.
  ///
  /// - Parameter body: The closure.
  /// - Throws: ``StoreError``, also of the closure.
  func forEach(_ body: (Record) throws(StoreError) -> Void) throws(StoreError) {
    for run in runs {
      var reader = RunReader<Record>(run)
      while let record = try reader.next(file) { try body(record) }
    }
    for record in records { try body(record) }
  }

  /// Calls a closure with each record in ascending order of the keys.
  ///
  /// - Parameter body: The closure.
  /// - Throws: ``StoreError``, also of the closure.
  /// - Complexity: O(n log r) for n records in r runs.
  func forEachSorted(_ body: (Record) throws(StoreError) -> Void) throws(StoreError) {
    guard !runs.isEmpty else {
      RadixSort.sort(records: &records)
      for record in records { try body(record) }
      return
    }
    if !records.isEmpty { try writeRun() }
    var readers = runs.map { RunReader<Record>($0) }
    var heads = Heap<Head>()
    for index in readers.indices {
      if let record = try readers[index].next(file) { heads.insert(Head(record, run: index)) }
    }
    while let head = heads.min {
      try body(head.record)
      if let record = try readers[head.run].next(file) {
        heads.replaceMin(with: Head(record, run: head.run))
      } else {
        heads.removeMin()
      }
    }
  }

  /// Returns records at equal distances in the order of `forEach`.
  ///
  /// - Parameter count: The approximate number of records.
  /// - Returns: The records.
  /// - Throws: ``StoreError`` when the temporary file cannot be read.
  func sample(_ count: Int) throws(StoreError) -> [Record] {
    var sample: [Record] = []
    for index in stride(from: 0, to: self.count, by: max(self.count / count, 1)) {
      var reader = RunReader<Record>(index..<index + 1)
      let stored = index < storedCount ? try reader.next(file) : records[index - storedCount]
      if let stored { sample.append(stored) }
    }
    return sample
  }

  /// Moves the records in memory to the file, as a sorted run.
  private func writeRun() throws(StoreError) {
    let file = if let file { file } else { try UnnamedFile(beside: path) }
    self.file = file
    RadixSort.sort(records: &records)
    let written = records.withUnsafeBytes { bytes in
      Result { () throws(StoreError) in try file.append(bytes) }
    }
    try written.get()
    runs.append(storedCount..<storedCount + records.count)
    records.removeAll(keepingCapacity: true)
  }

  /// The next record of a run.
  private struct Head: Comparable {
    let key: UInt64
    let run: Int
    let record: Record

    init(_ record: Record, run: Int) {
      key = record.sortKey
      self.run = run
      self.record = record
    }

    static func < (first: Head, second: Head) -> Bool {
      first.key != second.key ? first.key < second.key : first.run < second.run
    }

    static func == (first: Head, second: Head) -> Bool {
      first.key == second.key && first.run == second.run
    }
  }
}

// Not Sendable: like its connection, a sort has one owner at a time.
@available(*, unavailable)
extension ExternalSort: Sendable {}

/// A reader of the records of a run.
struct RunReader<Record: SortableRecord> {
  /// The indexes in the file of the records that were not read yet.
  private var rest: Range<Int>
  private var buffer: [Record] = []
  private var position = 0

  /// The number of records that are read together.
  private static var bufferSize: Int { 2048 }

  /// Prepares to read a run.
  ///
  /// - Parameter run: The indexes of its records in the file.
  init(_ run: Range<Int>) { rest = run }

  /// Reads the next record.
  ///
  /// - Parameter file: The file of the run.
  /// - Returns: The record; nil at the end of the run.
  /// - Throws: ``StoreError`` when the file cannot be read.
  mutating func next(_ file: UnnamedFile?) throws(StoreError) -> Record? {
    if position == buffer.count {
      guard let file, !rest.isEmpty else { return nil }
      try fill(file)
    }
    defer { position += 1 }
    return buffer[position]
  }

  private mutating func fill(_ file: UnnamedFile) throws(StoreError) {
    let part = rest.prefix(Self.bufferSize)
    rest = part.upperBound..<rest.upperBound
    position = 0
    var result = Result<Void, StoreError>.success(())
    buffer = Array(unsafeUninitializedCapacity: part.count) { records, count in
      result = Result { () throws(StoreError) in
        try file.read(
          into: UnsafeMutableRawBufferPointer(records),
          at: part.lowerBound * MemoryLayout<Record>.stride)
      }
      if case .success = result { count = part.count }
    }
    try result.get()
  }
}

/// A temporary file without a name.
///
/// The system removes it when it is closed or the process ends.
final class UnnamedFile {
  /// The file that errors name.
  private let path: String
  private let descriptor: Int32
  /// The size in bytes.
  private(set) var size = 0

  /// Creates an empty file on the disk of another file.
  ///
  /// - Parameter path: The other file; its folder must be writable.
  /// - Throws: ``StoreError`` when the file cannot be created.
  init(beside path: String) throws(StoreError) {
    self.path = path
    let folder: TemporaryFolder
    do throws(StoreError) {
      folder = try TemporaryFolder(in: .folder(path.parentFolder))
    } catch {
      throw StoreError(error.reason, path: path)
    }
    // The descriptor stays valid after the folder is removed.
    descriptor = withExtendedLifetime(folder) {
      open(folder.path + "/content", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends bytes.
  ///
  /// - Parameter bytes: The bytes.
  /// - Throws: ``StoreError``, for example on a full disk.
  func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    try transfer(bytes.count, at: size) { done, offset in
      pwrite(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset)
    }
    size += bytes.count
  }

  /// Reads bytes.
  ///
  /// - Parameters:
  ///   - bytes: The memory to fill.
  ///   - offset: The offset of the first byte in the file; the file must have enough bytes after it.
  /// - Throws: ``StoreError``.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(StoreError) {
    try transfer(bytes.count, at: offset) { done, offset in
      pread(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, offset)
    }
  }

  /// Repeats a call of the system until all bytes are transferred.
  private func transfer(
    _ count: Int, at offset: Int, _ call: (_ done: Int, _ offset: off_t) -> Int
  ) throws(StoreError) {
    var done = 0
    while done < count {
      let transferred = call(done, off_t(offset + done))
      if transferred < 0, errno == EINTR { continue }
      guard transferred > 0 else {
        // The file is shorter than the written data.
        throw StoreError(systemError: transferred < 0 ? errno : EIO, path: path)
      }
      done += transferred
    }
  }
}
