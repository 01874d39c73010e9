import Foundation

/// A file to be imported, which can be read more than once.
///
/// A pipe is copied to a temporary file first, which goes with the last reference.
final class InputFile {
  /// The file, as the user names it.
  let name: String
  /// Where its bytes are.
  let path: String
  private let copy: TemporaryFile?

  /// Finds a file; `-` is standard input.
  init(_ name: String) throws {
    self.name = name == "-" ? "standard input" : name
    let source = name == "-" ? "/dev/stdin" : name
    var status = stat()
    guard stat(source, &status) == 0, status.st_mode & S_IFMT != S_IFREG,
      status.st_mode & S_IFMT != S_IFDIR
    else {
      (path, copy) = (source, nil)
      return
    }
    do throws(DatasetError) {
      let copy = try TemporaryFile(copying: FileBytes(path: source))
      (path, self.copy) = (copy.path, copy)
    } catch {
      throw DatasetError(path: self.name, problem: error.problem)
    }
  }

  /// What the file begins with, unpacked if it is packed.
  func firstBytes() throws -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    do throws(DatasetError) {
      return Array(buffer[..<(try FileBytes(path: path).read(into: buffer))])
    } catch {
      throw named(error)
    }
  }

  /// An error about the bytes as one about the file.
  func named(_ error: DatasetError) -> DatasetError {
    var error = error
    error.path = name
    return error
  }
}

/// A file that goes with the last reference to it.
final class TemporaryFile {
  let path: String

  /// Copies what is left of a file.
  init(copying source: FileBytes) throws(DatasetError) {
    let folder = FileManager.default.temporaryDirectory
    path = folder.appendingPathComponent("cadastre-\(UUID().uuidString)").path
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw DatasetError(path: path, problem: FileBytes.problem(errno))
    }
    defer { close(descriptor) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = try source.read(into: buffer)
      guard count > 0 else { return }
      try Self.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor, path)
    }
  }

  private static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ path: String
  ) throws(DatasetError) {
    var rest = bytes
    while let start = rest.baseAddress, !rest.isEmpty {
      let count = Foundation.write(descriptor, start, rest.count)
      guard count > 0 || errno == EINTR else {
        throw DatasetError(path: path, problem: FileBytes.problem(errno))
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[max(count, 0)...])
    }
  }

  deinit { unlink(path) }
}
