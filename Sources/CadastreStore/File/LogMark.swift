import CadastreSQLite
import Foundation

/// The mark by which a store and its log belong together.
///
/// A process that was killed leaves the log beside the name of the store. Extended attributes of both files contain
/// the same identifier, and that of the store also its name. So a store that took the place of another does not fit
/// the log, and a store that is used under another name leads to its log. A copy without attributes has no mark, and
/// neither have files of a file system without attributes: they are not checked.
struct LogMark: Equatable {
  /// The identifier, which the log has too.
  let identifier: String
  /// The canonical path of the store when the log was opened for writing.
  let path: String

  private static let attribute = FileAttribute("cadastre.log")

  /// The mark of a store; nil where it has none.
  init?(of store: String) {
    let parts = Self.attribute[store]?.split(separator: "\n", maxSplits: 1).map(String.init) ?? []
    guard parts.count == 2 else { return nil }
    (identifier, path) = (parts[0], parts[1])
  }

  /// The identifier of the log beside a path; nil where there is no log, or it has none.
  static func identifier(ofLogBeside path: String) -> String? { attribute[path + "-wal"] }

  /// Marks a store and its log, under the write lock.
  ///
  /// A failure has no effect but that a replaced store is not detected.
  static func write(at path: String) {
    let log = identifier(ofLogBeside: path)
    let mark = LogMark(of: path)
    if let log, let mark, mark.identifier == log, mark.path == path { return }
    let identifier = log ?? UUID().uuidString
    guard attribute.set(identifier + "\n" + path, of: path), log == nil else { return }
    // A mark of the log without that of the store would refuse the store after a loss of power.
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else { return }
    defer { DatabaseFiles.close(descriptor) }
    if fsync(descriptor) == 0 { attribute.set(identifier, of: path + "-wal") }
  }
}
