import CadastreModel
import CadastreSQLite
import Foundation

/// A folder that is deleted when it is released.
///
/// The instance has a shared lock on the folder. A folder without a lock was left by a killed process, and is
/// deleted when the next folder is created.
package final class TemporaryFolder: Sendable {
  /// The path of the folder.
  package let path: String
  private let descriptor: Int32

  /// The kinds of file systems for a folder.
  package enum Medium: Sendable {
    /// Memory where the system has a memory file system, else a disk.
    case memory
    /// A disk, for large files.
    case disk
    /// A folder, for files that get a name in it.
    case folder(String)
  }

  /// The prefix is long, because folders with it are deleted.
  private static let prefix = "cadastre-temporary-"
  private static let randomCount = 6
  /// The minimum age of an abandoned folder; a younger one may not be locked yet.
  private static let graceSeconds = 60

  /// Creates a folder.
  ///
  /// - Throws: ``StoreError`` when the folder cannot be created.
  package init(in medium: Medium) throws(StoreError) {
    let parent = Self.parent(medium)
    Self.removeAbandoned(in: parent)
    let name = Self.prefix + String(repeating: "X", count: Self.randomCount)
    path = try TemporaryFiles.add { () throws(StoreError) in
      var template = Array((parent + "/" + name).utf8CString)
      guard mkdtemp(&template) != nil else { throw StoreError(systemError: errno, path: parent) }
      return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, flock(descriptor, LOCK_SH | LOCK_NB) == 0 else {
      let code = errno
      TemporaryFiles.forget(path)
      rmdir(path)
      if descriptor >= 0 { close(descriptor) }
      throw StoreError(systemError: code, path: path)
    }
  }

  private static func parent(_ medium: Medium) -> String {
    switch medium {
    case .memory where access("/dev/shm", W_OK) == 0: "/dev/shm"
    case .memory, .disk: NSTemporaryDirectory()
    case .folder(let path): path
    }
  }

  deinit {
    TemporaryFiles.forget(path)
    try? FileManager.default.removeItem(atPath: path)
    close(descriptor)
  }

  /// Deletes the folders that killed processes left in a folder.
  static func removeAbandoned(in parent: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    let count = prefix.count + randomCount
    for name in names where name.hasPrefix(prefix) && name.count == count {
      let path = parent + "/" + name
      if isAbandoned(path) { try? FileManager.default.removeItem(atPath: path) }
    }
  }

  private static func isAbandoned(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      status.st_uid == geteuid(), time(nil) - secondsOfLastChange(status) > graceSeconds
    else { return false }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0
  }

  private static func secondsOfLastChange(_ status: stat) -> Int {
    #if canImport(Darwin)
      status.st_mtimespec.tv_sec
    #else
      status.st_mtim.tv_sec
    #endif
  }
}

/// The temporary files and folders of this process, which a program removes when a signal ends it.
package enum TemporaryFiles {
  private static let paths = Guarded<Set<String>>([])

  /// Creates and registers a file or folder, so that a signal in between leaves none behind.
  ///
  /// - Parameter create: Creates the file or folder, and returns its path.
  /// - Returns: The path.
  /// - Throws: The error of the closure.
  @discardableResult
  package static func add<Failure: Error>(
    creating create: () throws(Failure) -> String
  ) throws(Failure) -> String {
    try paths.withLock { (paths) throws(Failure) in
      let path = try create()
      paths.insert(path)
      return path
    }
  }

  /// Unregisters a file or folder that was removed or renamed.
  package static func forget(_ path: String) {
    paths.withLock { _ = $0.remove(path) }
  }

  /// Removes all registered files and folders.
  package static func removeAll() {
    let remaining = paths.withLock { paths in
      defer { paths = [] }
      return paths
    }
    for path in remaining { try? FileManager.default.removeItem(atPath: path) }
  }
}

/// The publication of files that were written under a temporary name, so that no reader sees an incomplete
/// file.
package enum FinishedFile {
  /// Renames a finished file, and makes its content and its name durable.
  ///
  /// - Parameters:
  ///   - file: The finished file, in the same folder as `path`.
  ///   - path: The final name.
  ///   - isReplacing: Whether to replace a file of that name, which is an error otherwise.
  /// - Throws: ``StoreError``: `fileExists` when the name is taken, or the error of a system call.
  package static func publish(
    _ file: String, as path: String, isReplacing: Bool = false
  ) throws(StoreError) {
    try synchronize(file, path)
    if isReplacing {
      guard rename(file, path) == 0 else { throw StoreError(systemError: errno, path: path) }
    } else if link(file, path) != 0 {
      guard errno != EEXIST else { throw StoreError(.fileExists, path: path) }
      // Some file systems have no hard links.
      guard access(path, F_OK) != 0, rename(file, path) == 0 else {
        throw StoreError(systemError: errno, path: path)
      }
    }
    try synchronize(path.parentFolder, path)
  }

  private static func synchronize(_ file: String, _ path: String) throws(StoreError) {
    let descriptor = DatabaseFiles.open(file)
    guard descriptor >= 0 else { throw StoreError(systemError: errno, path: path) }
    defer { DatabaseFiles.close(descriptor) }
    guard fsync(descriptor) == 0 || errno == EINVAL else {
      throw StoreError(systemError: errno, path: path)
    }
  }
}

extension String {
  /// The path of the folder that contains the file at this path; `.` for a name alone.
  ///
  /// Foundation's property of `NSString` stops the process for some names, such as `é`.
  package var parentFolder: String {
    let slash = UInt8(ascii: "/")
    let path = utf8.reversed().drop { $0 == slash }
    guard let end = path.firstIndex(of: slash) else { return utf8.first == slash ? "/" : "." }
    let folder = path[end...].drop { $0 == slash }
    return folder.isEmpty ? "/" : String(decoding: folder.reversed(), as: UTF8.self)
  }
}
