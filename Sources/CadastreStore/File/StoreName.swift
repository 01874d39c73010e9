import CadastreSQLite
import Foundation

/// The name under which a store is opened.
///
/// SQLite keeps the log beside the name that a file was opened with. Symbolic links are resolved; hard links and
/// mounts of a single file are other names of the same file with separate logs, and two processes that used both
/// would destroy the store. The rules:
///
/// - A file is refused while another process uses it with another log.
/// - A file is refused for writing while a log with its newest commits is beside another link, and also for reading where
///   it was moved without its log.
/// - A further hard link is read without locks and side files, so that a backup of links does not keep the owner of
///   the store out. The reader does not see commits of the owner after the opening.
/// - A log that belongs to another file, or to another time of a linked file, is never applied.
enum StoreName {
  /// Checks that a store can be used under a name.
  ///
  /// - Throws: ``StoreError`` `inUseUnderOtherName`, `logOfOtherFile` or `locksUnsupported`.
  static func check(_ path: String, _ access: StoreFile.Access) throws(StoreError) {
    guard let identity = FileIdentity(path: path) else { return }
    try checkMark(path, identity, access)
    do throws(StoreError) {
      // A process that opens or closes the store briefly holds only the first of its two locks.
      let deadline = ContinuousClock.now + Self.lockTimeout
      while let other = try otherUser(path, identity) {
        guard ContinuousClock.now < deadline else {
          throw StoreError(.inUseUnderOtherName(other.name), path: path)
        }
        usleep(2000)
      }
    } catch {
      // A file system without locks can be read.
      if access == .readOnly, case .locksUnsupported = error.reason { return }
      throw error
    }
  }

  private static let lockTimeout: Duration = .seconds(2)

  // MARK: The log

  /// Returns whether a path is a further hard link of a store, whose writers use another name.
  static func isFurtherLink(_ path: String) -> Bool {
    guard linkCount(path) > 1, StoreFile.size(of: path + "-wal") ?? 0 == 0 else { return false }
    guard let mark = LogMark(of: path) else { return StoreFile.size(of: path + "-lock") == nil }
    return !mark.names(path) && FileIdentity(path: mark.path) == FileIdentity(path: path)
  }

  private static func checkMark(
    _ path: String, _ identity: FileIdentity, _ access: StoreFile.Access
  ) throws(StoreError) {
    // Another process may be marking both files.
    for attempt in 1...Self.markAttempts {
      if StoreFile.size(of: path + "-wal") ?? 0 == 0 || LogMark.isOfStore(logBeside: path) { break }
      guard attempt < Self.markAttempts else { throw StoreError(.logOfOtherFile, path: path) }
      usleep(2000)
    }
    if let name = nameWithLog(path, identity, access) {
      throw StoreError(.inUseUnderOtherName(name), path: path)
    }
  }

  private static let markAttempts = 10

  /// Returns another name of a store that has its log: another link, or the name from which the store was
  /// moved without its log.
  private static func nameWithLog(
    _ path: String, _ identity: FileIdentity, _ access: StoreFile.Access
  ) -> String? {
    guard let mark = LogMark(of: path), !mark.names(path),
      StoreFile.size(of: mark.path + "-wal") ?? 0 > 0,
      LogMark.identifier(ofLogBeside: mark.path) == mark.identifier,
      LogMark.identifier(ofLogBeside: path) != mark.identifier
    else { return nil }
    switch FileIdentity(path: mark.path) {
    case nil: return mark.path
    // A backup of links can be read.
    case identity: return access == .readWrite ? mark.path : nil
    // The store is a copy; the log belongs to the original.
    default: return nil
    }
  }

  private static func linkCount(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_nlink) : 0
  }

  // MARK: Other processes

  /// A process that uses the store, and its name for the store where the system shows it.
  private struct User {
    let process: pid_t
    let name: String?

    /// Returns whether the process uses the log beside a path.
    func sharesLog(beside path: String) -> Bool {
      guard let name, let log = FileIdentity(path: path + "-wal") else { return false }
      // The process may see other file systems at the same names.
      return FileIdentity(path: "/proc/\(process)/root" + name + "-wal") == log
    }
  }

  /// Returns a process that uses a store with another log than the one beside a path.
  private static func otherUser(
    _ path: String, _ identity: FileIdentity
  ) throws(StoreError) -> User? {
    let store = DatabaseFiles.open(path)
    guard store >= 0 else { return nil }
    defer { DatabaseFiles.close(store) }
    let header = try FileProbe.header(store, path)
    // A database without a log has no side files beside another name.
    guard header.count > 19, header[18] == 2,
      let holder = try FileLocks.holder(of: .connections, store, path)
    else { return nil }
    let index = DatabaseFiles.open(path + "-shm", of: identity)
    if index >= 0 {
      defer { DatabaseFiles.close(index, of: identity) }
      if try FileLocks.holder(of: .logIndex, index, path) != nil { return nil }
    }
    // A reader without permission to write the index does not lock it.
    let user = User(process: holder, name: name(of: identity, in: holder))
    if user.sharesLog(beside: path) { return nil }
    // Where the system hides the process, a marked log shows that the process uses this name.
    if user.name == nil, let mark = LogMark(of: path), mark.names(path),
      LogMark.identifier(ofLogBeside: path) == mark.identifier
    {
      return nil
    }
    return user
  }

  /// Returns the name of a file in another process; nil where the system hides it.
  private static func name(of identity: FileIdentity, in process: pid_t) -> String? {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where FileIdentity(path: folder + "/" + name) == identity {
      if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name)
      {
        return path
      }
    }
    return nil
  }
}
