import CadastreFormatting
import CadastreSQLite
import CadastreStore
import Foundation

/// A GeoPackage opened for reading; its content is untrusted.
///
/// A file in rollback mode is read under the lock of SQLite. A file in WAL mode would need further
/// files, so it is read as immutable if it has no log, and rejected otherwise.
struct GeoPackageFile {
  let path: String
  let connection: Connection
  let totalBytes: Int?

  private static let magic = Array("SQLite format 3\0".utf8)
  /// The offsets of the file format versions for writing and reading; 2 is a write-ahead log.
  ///
  /// Source: sqlite.org/fileformat2.html, "The Database Header".
  private static let versionOffsets = 18...19

  /// Opens a file, which may be compressed with gzip.
  init(path: String) throws(DatasetError) {
    self.path = path
    let file = try OpenFile(path: path)
    totalBytes = file.totalBytes
    let head = try file.lookAhead(20)
    if GzipReader.isGzip(head) {
      try Self.requireMagic(of: path)
      let decompressed = try DecompressedFile(of: path)
      connection = try Self.connection(path) { () throws(StoreError) in
        try .readingForeign(decompressed.path, isImmutable: true)
      }
      // The open descriptor of SQLite stays valid.
      decompressed.unlink()
      return
    }
    // Throws for other compressions.
    _ = try InputBytes(path: path)
    guard head.count == 20, head.starts(with: Self.magic) else {
      throw DatasetError(path: path, problem: .geoPackage(.notSQLite))
    }
    let hasLog = head[Self.versionOffsets].contains(2)
    if hasLog, Self.size(path + "-wal") > 0 {
      throw DatasetError(path: path, problem: Self.log(path))
    }
    connection = try Self.connection(path) { () throws(StoreError) in
      try .readingForeign(path, isImmutable: hasLog)
    }
  }

  /// Checks the first bytes of a compressed file before all of it is decompressed.
  private static func requireMagic(of path: String) throws(DatasetError) {
    let first = try InputBytes(path: path).read(magic.count)
    guard first == magic else {
      throw DatasetError(path: path, problem: .geoPackage(.notSQLite))
    }
  }

  private static func connection(
    _ path: String, _ open: () throws(StoreError) -> Connection
  ) throws(DatasetError) -> Connection {
    do throws(StoreError) {
      return try open()
    } catch {
      throw DatasetError(path: path, problem: problem(error, path))
    }
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func log(_ path: String) -> DatasetError.Problem {
    .geoPackage(.log(command: "sqlite3 \(shellQuoted(path)) 'PRAGMA journal_mode = DELETE'"))
  }

  /// Converts an error of SQLite to an error of this file.
  func error(_ error: StoreError) -> DatasetError {
    DatasetError(path: path, problem: Self.problem(error, path))
  }

  private static func problem(_ error: StoreError, _ path: String) -> DatasetError.Problem {
    switch error.reason {
    case .notADatabase: .geoPackage(.notSQLite)
    // A hot journal that would have to be rolled back.
    case .readOnly: log(path)
    case .permissionDenied: .notPermitted
    case .busy: .geoPackage(.locked)
    case .corrupt(let detail): .geoPackage(.corrupt(detail: detail))
    case .sqlite where error.isOfTooLargeValue:
      .geoPackage(.valueTooLarge(limit: Int(Connection.foreignValueBytes)))
    case .sqlite(_, let message): .geoPackage(.corrupt(detail: message))
    default: .unreadable(reason: "\(error)")
    }
  }
}
