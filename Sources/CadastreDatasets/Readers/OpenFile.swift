import CadastreSQLite

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
