import CadastreModel
import CadastreStore
import Foundation

/// A temporary copy of a pipe that grows as it is read, so that a pipe can be read more than once.
///
/// Readers open the copy by its path, see ``OpenFile``. What no reader asks for stays in the pipe.
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
