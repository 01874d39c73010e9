import CadastreSQLite
import Foundation

/// The mark that shows that a store and its log belong together.
///
/// A killed process leaves the log beside the path of the store. Extended attributes of both files contain
/// the same identifier. The attribute of the store also contains its path, the attribute of the log the
/// identities of both files. So a log that belongs to a replaced store is detected, and a store that is used
/// under another name leads to its log. Files without attributes (copies, or file systems without them) are
/// not checked.
struct LogMark: Equatable {
  /// The identifier, which the log has too.
  let identifier: UUID
  /// The canonical path of the store when the log was opened for writing.
  let path: String

  private static let attribute = FileAttribute("cadastre.log")

  private init(_ identifier: UUID, _ path: String) {
    (self.identifier, self.path) = (identifier, path)
  }

  /// Reads the mark of a store; nil where it has none.
  init?(of store: String) {
    guard let (identifier, path) = Self.parsed(Self.attribute[store]) else { return nil }
    self.init(identifier, path)
  }

  /// Returns the identifier of the log beside a path; nil where there is no log, or the log has none.
  static func identifier(ofLogBeside path: String) -> UUID? {
    parsed(attribute[path + "-wal"])?.identifier
  }

  /// Returns whether the log beside a path belongs to the store there; true for a log without a mark.
  static func isOfStore(logBeside path: String) -> Bool {
    guard let (identifier, identities) = parsed(attribute[path + "-wal"]) else { return true }
    // A copy of the store with the same attributes has replaced it; the log belongs to the replaced file.
    let (before, now) = (identities.split(separator: " "), Self.identities(of: path))
    if before.count == 2, before[1] == now.log, before[0] != now.store { return false }
    return identifier == LogMark(of: path)?.identifier
  }

  /// Returns whether the mark contains a path.
  func names(_ path: String) -> Bool { self.path.utf8.elementsEqual(path.utf8) }

  /// Marks a store and its log, under the write lock.
  ///
  /// After a failure, a replaced store is not detected.
  static func write(at path: String) {
    let log = identifier(ofLogBeside: path)
    if let log, let mark = LogMark(of: path), mark.identifier == log, mark.names(path) { return }
    let identifier = log ?? UUID()
    guard set(LogMark(identifier, path), of: path), log == nil else { return }
    // The mark of the store becomes durable first: after a loss of power, a mark of the log alone would
    // refuse the store.
    let descriptor = DatabaseFiles.open(path)
    guard descriptor >= 0 else { return }
    defer { DatabaseFiles.close(descriptor) }
    guard fsync(descriptor) == 0 else { return }
    let now = identities(of: path)
    attribute.set("\(identifier)\n\(now.store) \(now.log)", of: path + "-wal")
  }

  /// Gives a store without a log another identifier, under the write lock, so that it does not match copies
  /// of earlier logs.
  static func renew(at path: String) {
    if let mark = LogMark(of: path) { set(LogMark(UUID(), mark.path), of: path) }
  }

  @discardableResult
  private static func set(_ mark: LogMark, of store: String) -> Bool {
    attribute.set("\(mark.identifier)\n\(mark.path)", of: store)
  }

  /// Returns the identities of a store and of its log, as text.
  private static func identities(of path: String) -> (store: String, log: String) {
    let texts = [path, path + "-wal"].map { FileIdentity(path: $0).map { "\($0)" } ?? "" }
    return (texts[0], texts[1])
  }

  /// Returns the identifier in the first line of an attribute, and the rest; nil for other text.
  private static func parsed(_ text: String?) -> (identifier: UUID, rest: String)? {
    guard let text, let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")),
      let identifier = UUID(uuidString: String(text[..<end]))
    else { return nil }
    return (identifier, String(text[text.utf8.index(after: end)...]))
  }
}
