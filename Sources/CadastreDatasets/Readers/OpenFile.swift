#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An open file as it is on the disk, read from start to end in pieces.
///
/// It is closed when the last reference to it goes away.
final class OpenFile {
  /// The file, as it was named by the caller.
  let path: String
  /// The size of a regular file when it was opened; nil for pipes and devices.
  let totalBytes: Int?
  /// How many bytes were given out.
  private(set) var bytesRead = 0
  private let descriptor: Int32
  /// Bytes that were looked at and are still to be given out.
  private var lookedAt: [UInt8] = []

  /// Opens a file for reading.
  init(path: String) throws(DatasetError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw DatasetError(path: path, problem: Self.problem(errno))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let problem = Self.problem(errno)
      close(descriptor)
      throw DatasetError(path: path, problem: problem)
    }
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFDIR else {
      close(descriptor)
      throw DatasetError(path: path, problem: .directory)
    }
    self.path = path
    self.descriptor = descriptor
    self.totalBytes = kind == S_IFREG ? Int(status.st_size) : nil
  }

  deinit {
    close(descriptor)
  }

  /// The first bytes of what is still to be read, fewer only at the end; reading starts with them.
  func lookAhead(_ count: Int) throws(DatasetError) -> [UInt8] {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { piece.deallocate() }
    while lookedAt.count < count {
      let read = try readPiece(
        into: UnsafeMutableRawBufferPointer(rebasing: piece[..<(count - lookedAt.count)]))
      if read == 0 { break }
      lookedAt += piece[..<read]
    }
    return Array(lookedAt.prefix(count))
  }

  /// Fills a buffer as far as the file gives; 0 is the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
    let count: Int
    if lookedAt.isEmpty {
      count = try readPiece(into: buffer)
    } else {
      count = min(lookedAt.count, buffer.count)
      buffer.copyBytes(from: lookedAt.prefix(count))
      lookedAt.removeFirst(count)
    }
    bytesRead += count
    return count
  }

  private func readPiece(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
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

  /// The problem behind an error number of the system.
  static func problem(_ number: Int32) -> DatasetError.Problem {
    switch number {
    case ENOENT, ENOTDIR: .missing
    case EISDIR: .directory
    case EACCES, EPERM: .notPermitted
    default: .unreadable(reason: String(cString: strerror(number)))
    }
  }
}
