import Foundation

/// An input file that can be read more than once.
///
/// A pipe is copied to a temporary file while it is read, and a file of a zip archive is extracted; these
/// files are removed when the input file is released.
final class InputFile {
  /// The name of the file as given by the user.
  let name: String
  /// The path of a file with the content.
  let path: String
  private let copy: PipeCopy?
  private let member: ArchiveMember?

  /// Creates an input file; `-` is standard input.
  ///
  /// - Parameter name: The path of the file, `-`, or a path in a zip archive as `a.zip/b.shp`.
  /// - Throws: ``DatasetError`` if a pipe cannot be opened or an archive cannot be read.
  init(_ name: String) throws {
    if let member = try ArchiveMember(name) {
      (self.name, path, copy, self.member) = (member.name, member.path, nil, member)
      return
    }
    member = nil
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
      let copy = try PipeCopy(of: source)
      (path, self.copy) = (copy.path, copy)
    } catch {
      throw DatasetError(path: self.name, problem: error.problem)
    }
  }

  // Removed here, because the conversion thread may outlive the import.
  deinit { copy?.remove() }

  /// Copies a pipe to its end, for formats that need random access.
  func complete() throws {
    do throws(DatasetError) {
      try copy?.complete()
    } catch {
      throw named(error)
    }
  }

  /// Returns up to 65,536 bytes from the start of the decompressed file.
  func firstBytes() throws -> [UInt8] {
    do throws(DatasetError) {
      return try InputBytes(path: path).read(1 << 16)
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

/// The remarks of a reader about its file, one clause for each kind.
package final class ReaderNotices {
  private(set) var clauses: Set<String> = []

  /// Adds a clause, once.
  func add(_ clause: String) { clauses.insert(clause) }
}
