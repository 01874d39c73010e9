import CadastreSQLite
import Foundation

/// The name under which a store is opened.
///
/// SQLite keeps the log beside the name that a file was opened with. Symbolic links are resolved; hard links and
/// mounts of a single file are other names of the same file with logs of their own, and two processes that used
/// both would destroy the store. The rules:
///
/// - A file is refused while another process uses it under another name.
/// - A file is refused for writing while a log with its newest commits may be beside another name.
/// - A hard link that was never written through is read without locks and side files, so that a backup of links
///   does not keep the owner of the store out. A reader does not see what the owner writes meanwhile.
/// - A log that belongs to a file which was at the path before is never applied to the file there.
enum StoreName {
  /// Checks that a store can be used under a name.
  ///
  /// - Throws: ``StoreError`` `inUseUnderOtherName`, `logOfOtherFile` or `locksUnsupported`.
  static func check(_ path: String, _ access: StoreFile.Access) throws(StoreError) {
    guard let identity = FileIdentity(path: path) else { return }
    try checkRecord(path, identity, access)
    // A process that opens or closes the store holds only the first of its two locks for a moment.
    let deadline = ContinuousClock.now + Self.patience
    while let holder = try holderUnderOtherName(path, identity) {
      guard ContinuousClock.now < deadline else {
        throw StoreError(.inUseUnderOtherName(name(of: identity, in: holder)), path: path)
      }
      usleep(2000)
    }
  }

  private static let patience: Duration = .seconds(2)

  /// Whether a path is a further hard link of a store, which is not the name under which it is written.
  static func isFurtherLink(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_nlink > 1, StoreFile.size(of: path + "-wal") ?? 0 == 0
    else { return false }
    guard StoreFile.size(of: path + "-lock") != nil else { return true }
    guard let record = LogRecord(beside: path) else { return false }
    return isOtherName(record, path)
  }

  /// Whether a record is of the same file under another name that exists.
  private static func isOtherName(_ record: LogRecord, _ path: String) -> Bool {
    record.path != path && FileIdentity(path: record.path) == FileIdentity(path: path)
  }

  private static func checkRecord(
    _ path: String, _ identity: FileIdentity, _ access: StoreFile.Access
  ) throws(StoreError) {
    guard let record = LogRecord(beside: path) else { return }
    if StoreFile.size(of: path + "-wal") ?? 0 > 0, record.store != identity,
      record.log == FileIdentity(path: path + "-wal")
    {
      throw StoreError(.logOfOtherFile, path: path)
    }
    if access == .readWrite, isOtherName(record, path),
      StoreFile.size(of: record.path + "-wal") ?? 0 > 0,
      FileIdentity(path: record.path + "-wal") != FileIdentity(path: path + "-wal")
    {
      throw StoreError(.inUseUnderOtherName(record.path), path: path)
    }
  }

  /// Returns a process that uses a store, but not the log beside a path.
  private static func holderUnderOtherName(
    _ path: String, _ identity: FileIdentity
  ) throws(StoreError) -> pid_t? {
    let store = DatabaseFiles.open(path)
    guard store >= 0 else { return nil }
    defer { DatabaseFiles.close(store) }
    let header = try FileProbe.header(store, path)
    // A database without a log has no side files that could be elsewhere.
    guard header.count > 19, header[18] == 2,
      let holder = try FileLocks.holder(of: .connections, store, path)
    else { return nil }
    let index = DatabaseFiles.open(path + "-shm", of: identity)
    guard index >= 0 else { return holder }
    defer { DatabaseFiles.close(index, of: identity) }
    return try FileLocks.holder(of: .logIndex, index, path) == nil ? holder : nil
  }

  /// Returns the name of a file in another process; nil where it cannot be seen.
  private static func name(of identity: FileIdentity, in process: pid_t) -> String? {
    let folder = "/proc/\(process)/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where FileIdentity(path: folder + "/" + name) == identity {
      if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + name) {
        return path
      }
    }
    return nil
  }
}
