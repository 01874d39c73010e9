import CadastreSQLite
import CadastreStore
import Foundation

/// Files and folders that have a temporary name, and are locked, until they are complete.
///
/// A locked one is being written by another process. An unlocked one was left by a process that was
/// killed, and is removed.
enum PartialOutput {
  /// The kinds of outputs.
  enum Kind { case file, folder }

  /// Returns the temporary path of an output.
  static func path(of path: String) -> String { path + ".cadastre-partial" }

  /// Creates and locks a file or folder, which is removed where a signal ends the program.
  ///
  /// - Parameters:
  ///   - kind: What is created.
  ///   - partial: The temporary path.
  ///   - path: The final path, for errors.
  /// - Returns: The open descriptor, which holds the lock.
  /// - Throws: ``OutputError``.
  static func create(
    _ kind: Kind, _ partial: String, for path: String
  ) throws(OutputError) -> Int32 {
    var descriptor: Int32 = -1
    try TemporaryFiles.add { () throws(OutputError) in
      descriptor = try locked(kind, partial, for: path)
      return partial
    }
    return descriptor
  }

  private static func locked(
    _ kind: Kind, _ partial: String, for path: String
  ) throws(OutputError) -> Int32 {
    for _ in 0..<2 {
      let descriptor = make(kind, partial)
      if descriptor >= 0 {
        guard isLockedElsewhere(descriptor) else { return descriptor }
        close(descriptor)
        break
      }
      guard errno == EEXIST else { throw OutputError(systemError: errno, path: path) }
      try removeAbandoned(kind, partial, for: path)
    }
    throw OutputError(.beingWritten, path: path)
  }

  /// Whether a path is still that of an open file or folder.
  static func isInPlace(_ partial: String, _ descriptor: Int32) -> Bool {
    guard let own = FileIdentity(descriptor: descriptor) else { return false }
    return FileIdentity(path: partial) == own
  }

  private static func make(_ kind: Kind, _ partial: String) -> Int32 {
    let common = O_NOFOLLOW | O_CLOEXEC
    switch kind {
    case .file: return open(partial, O_RDWR | O_CREAT | O_EXCL | common, 0o666)
    case .folder:
      guard mkdir(partial, 0o777) == 0 else { return -1 }
      let descriptor = open(partial, O_RDONLY | O_DIRECTORY | common)
      if descriptor < 0 {
        let code = errno
        rmdir(partial)
        errno = code
      }
      return descriptor
    }
  }

  /// Removes the incomplete output of a process that was killed.
  private static func removeAbandoned(
    _ kind: Kind, _ partial: String, for path: String
  ) throws(OutputError) {
    let descriptor = open(partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    let type = kind == .file ? S_IFREG : S_IFDIR
    var status = stat()
    guard descriptor >= 0 else { throw OutputError(.foreignPartialFile(path: partial), path: path) }
    defer { close(descriptor) }
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == type,
      status.st_uid == geteuid()
    else { throw OutputError(.foreignPartialFile(path: partial), path: path) }
    guard !isLockedElsewhere(descriptor) else { throw OutputError(.beingWritten, path: path) }
    switch kind {
    case .file: unlink(partial)
    case .folder: try? FileManager.default.removeItem(atPath: partial)
    }
  }

  /// Locks a file or folder; returns whether another process has it locked.
  ///
  /// On file systems without locks none is locked.
  private static func isLockedElsewhere(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
