#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file, read from start to end in pieces.
///
/// It is closed when the last reference to it goes away.
final class FileBytes {
  /// The file, as it was named by the caller.
  let path: String
  /// The size of a regular file when it was opened; nil for pipes and devices.
  let totalBytes: Int?
  private let descriptor: Int32

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

  /// Fills a buffer as far as the file gives; 0 is the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(DatasetError) -> Int {
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
