import Foundation

/// An input file that can be read more than once.
///
/// A pipe is first copied to a temporary file, which is removed when the input file is released.
final class InputFile {
  /// The name of the file as given by the user.
  let name: String
  /// The path of a file with the content.
  let path: String
  private let copy: DecompressedFile?

  /// Creates an input file; `-` is standard input.
  ///
  /// - Parameter name: The path of the file, or `-`.
  /// - Throws: ``DatasetError`` if a pipe cannot be copied.
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
      let copy = try DecompressedFile(of: source)
      (path, self.copy) = (copy.path, copy)
    } catch {
      throw DatasetError(path: self.name, problem: error.problem)
    }
  }

  /// Returns up to 65,536 bytes from the start of the decompressed file.
  func firstBytes() throws -> [UInt8] {
    do throws(DatasetError) {
      return try FileBytes(path: path).read(1 << 16)
    } catch {
      throw named(error)
    }
  }

  /// Returns an error with the name of the file instead of the path of its copy.
  func named(_ error: DatasetError) -> DatasetError {
    var error = error
    error.path = name
    return error
  }
}
