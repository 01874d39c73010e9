import CadastreSQLite
import Foundation

/// The content of the lock file of a store: which file the log beside it belongs to.
///
/// A process that was killed leaves the log. The record shows that the store was replaced since, or that the
/// store is used under another name whose log is not beside this one.
struct LogRecord: Equatable {
  /// The canonical path of the store.
  let path: String
  /// The store and its log.
  let store, log: FileIdentity

  /// The record of the files as they are now; nil where there is no log.
  init?(at path: String) {
    guard let store = FileIdentity(path: path), let log = FileIdentity(path: path + "-wal") else {
      return nil
    }
    (self.path, self.store, self.log) = (path, store, log)
  }

  /// Reads the record beside a store; nil where there is none.
  init?(beside path: String) {
    let descriptor = DatabaseFiles.open(path + "-lock", of: FileIdentity(path: path))
    guard descriptor >= 0 else { return nil }
    defer { DatabaseFiles.close(descriptor, of: FileIdentity(path: path)) }
    self.init(descriptor)
  }

  private init?(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes)
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 5, lines[0] == Self.title, let store = FileIdentity(lines[1]),
      let log = FileIdentity(lines[2])
    else { return nil }
    (path, self.store, self.log) = (String(lines[3]), store, log)
  }

  /// Writes a record into an open lock file, or removes the record.
  ///
  /// A failure has no effect but that a replaced store is not detected.
  static func write(_ record: LogRecord?, _ descriptor: Int32) {
    guard let record else {
      _ = ftruncate(descriptor, 0)
      return
    }
    guard LogRecord(descriptor) != record, !record.path.contains("\n") else { return }
    let bytes = Array("\(title)\n\(record.store)\n\(record.log)\n\(record.path)\n".utf8)
    guard bytes.count <= maximumBytes, ftruncate(descriptor, 0) == 0 else { return }
    bytes.withUnsafeBytes { _ = pwrite(descriptor, $0.baseAddress, $0.count, 0) }
  }

  private static let title = "cadastre log 1"
  private static let maximumBytes = 8192
}
