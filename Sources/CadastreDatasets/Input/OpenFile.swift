import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A sequential reader of a file on disk, without decompression.
///
/// The file is closed when the instance is released.
final class OpenFile {
  /// The file, as named by the caller.
  let path: String
  /// The size of a regular file when it was opened; nil for pipes and devices.
  let totalBytes: Int?
  /// The number of bytes returned by `read`.
  private(set) var bytesRead = 0
  private let descriptor: Int32
  /// The copy of a pipe that is read in place of a descriptor, and the offset in it.
  private let copy: PipeCopy?
  private var copyOffset = 0
  /// The bytes that `lookAhead` returned and `read` has not.
  private var ahead: [UInt8] = []

  /// Opens a file for reading.
  init(path: String) throws(DatasetError) {
    if let copy = PipeCopy.copy(at: path) {
      self.path = path
      self.copy = copy
      descriptor = -1
      totalBytes = copy.totalBytes
      return
    }
    copy = nil
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else {
      throw DatasetError(path: path, problem: Self.problem(errno))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let problem = Self.problem(errno)
      DatabaseFiles.close(descriptor)
      throw DatasetError(path: path, problem: problem)
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFDIR else {
      DatabaseFiles.close(descriptor)
      throw DatasetError(path: path, problem: .directory)
    }
    self.path = path
    self.descriptor = descriptor
    self.totalBytes = kind == S_IFREG ? Int(status.st_size) : nil
  }

  deinit {
    if copy == nil { DatabaseFiles.close(descriptor) }
  }

  /// Returns the next bytes without consuming them; fewer only at the end of the file.
  func lookAhead(_ count: Int) throws(DatasetError) -> [UInt8] {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { piece.deallocate() }
    while ahead.count < count {
      let read = try readPiece(
        into: UnsafeMutableRawBufferPointer(rebasing: piece[..<(count - ahead.count)]))
      if read == 0 { break }
      ahead += piece[..<read]
    }
    return Array(ahead.prefix(count))
  }

  /// Reads available bytes into a buffer and returns their number; 0 at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    let count: Int
    if ahead.isEmpty {
      count = try readPiece(into: buffer)
    } else {
      count = min(ahead.count, buffer.count)
      buffer.copyBytes(from: ahead.prefix(count))
      ahead.removeFirst(count)
    }
    bytesRead += count
    return count
  }

  private func readPiece(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    if let copy {
      let count = try copy.read(into: buffer, at: copyOffset)
      copyOffset += count
      return count
    }
    while true {
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
      #elseif canImport(Musl)
        let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
      #else
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      #endif
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw DatasetError(path: path, problem: Self.problem(errno))
      }
    }
  }

  /// Returns the problem for an `errno` of the system.
  static func problem(_ number: Int32) -> DatasetError.Problem {
    switch number {
    case ENOENT, ENOTDIR: .missing
    case EISDIR: .directory
    case EACCES, EPERM: .notPermitted
    default: .unreadable(reason: String(cString: strerror(number)))
    }
  }
}

/// A temporary copy of a pipe that grows as it is read, so that a pipe can be read more than once.
///
/// Readers open the copy by its path, see ``OpenFile``. Bytes that no reader requests stay in the
/// pipe.
final class PipeCopy: Sendable {
  /// The path of the temporary file.
  let path: String
  private let folder: Guarded<TemporaryFolder?>
  private let state: Guarded<State>

  private struct State {
    let pipe: OpenFile
    let descriptor: Int32
    var count = 0
    var isComplete = false
  }

  private struct Entry { weak var copy: PipeCopy? }
  private static let copies = Guarded<[String: Entry]>([:])

  /// Opens a pipe.
  ///
  /// - Parameter source: The path of the pipe.
  /// - Throws: ``DatasetError`` if it cannot be opened, or no temporary file can be created.
  init(of source: String) throws(DatasetError) {
    let pipe = try OpenFile(path: source)
    let folder: TemporaryFolder
    do throws(StoreError) {
      folder = try TemporaryFolder(in: .disk)
    } catch {
      throw DatasetError(path: source, problem: .unreadable(reason: "\(error)"))
    }
    path = folder.path + "/content"
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DatasetError(path: source, problem: OpenFile.problem(errno))
    }
    self.folder = Guarded(folder)
    state = Guarded(State(pipe: pipe, descriptor: descriptor))
    Self.copies.withLock { $0[path] = Entry(copy: self) }
  }

  deinit {
    remove()
    close(state.withLock { $0.descriptor })
  }

  /// Removes the temporary file; open readers can still read.
  func remove() {
    Self.copies.withLock { $0[path] = nil }
    folder.withLock { $0 = nil }
  }

  /// The copy whose temporary file has a path; nil for other files.
  static func copy(at path: String) -> PipeCopy? { copies.withLock { $0[path]?.copy } }

  /// The size in bytes; nil before the end of the pipe is reached.
  var totalBytes: Int? { state.withLock { $0.isComplete ? $0.count : nil } }

  /// Reads bytes at an offset, from the pipe if they are not in the copy yet; returns 0 at the end.
  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(DatasetError) -> Int {
    try state.withLock { (state) throws(DatasetError) in
      if offset < state.count {
        let count = pread(
          state.descriptor, buffer.baseAddress, min(buffer.count, state.count - offset),
          off_t(offset))
        guard count > 0 else {
          throw DatasetError(path: state.pipe.path, problem: OpenFile.problem(errno))
        }
        return count
      }
      return try Self.extend(&state, buffer)
    }
  }

  /// Reads the pipe to its end.
  func complete() throws(DatasetError) {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)
    defer { piece.deallocate() }
    try state.withLock { (state) throws(DatasetError) in
      while try Self.extend(&state, piece) > 0 {}
    }
  }

  private static func extend(
    _ state: inout State, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(DatasetError) -> Int {
    guard !state.isComplete else { return 0 }
    let count = try state.pipe.read(into: buffer)
    state.isComplete = count == 0
    let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    guard CompleteWrite.write(bytes, to: state.descriptor) else {
      throw DatasetError(
        path: state.pipe.path,
        problem: .unreadable(reason: "cannot copy it: \(String(cString: strerror(errno)))"))
    }
    state.count += count
    return count
  }
}
