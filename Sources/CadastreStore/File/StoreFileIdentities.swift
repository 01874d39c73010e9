import CadastreSQLite

/// Which files a connection to a store has open: the store itself, its log and the log's index.
struct StoreFileIdentities: Sendable {
  private struct OpenFile: Sendable {
    let path: String
    let identity: FileIdentity?

    init(path: String) {
      self.path = path
      identity = FileIdentity(path: path)
    }

    var isInPlace: Bool { FileIdentity(path: path) == identity }
  }

  private let store: OpenFile
  private let log: OpenFile
  private let logIndex: OpenFile

  /// The files of a store as they are now.
  init(beside path: String) {
    store = OpenFile(path: path)
    log = OpenFile(path: path + "-wal")
    logIndex = OpenFile(path: path + "-shm")
  }

  /// Whether the same files are still at their paths.
  var areInPlace: Bool { store.isInPlace && log.isInPlace && logIndex.isInPlace }

  /// Whether the same log is still at its path.
  var isLogInPlace: Bool { log.identity != nil && log.isInPlace }
}
