import Foundation

/// A file to be imported, which can be read more than once.
///
/// A pipe is copied to a temporary file first, which goes with the last reference.
final class InputFile {
  /// The file, as the user names it.
  let name: String
  /// Where its bytes are.
  let path: String
  private let copy: UnpackedFile?

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
      let copy = try UnpackedFile(unpacking: source)
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
      let file = try FileBytes(path: path)
      var count = 0
      while count < buffer.count {
        let read = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
        if read == 0 { break }
        count += read
      }
      return Array(buffer[..<count])
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
