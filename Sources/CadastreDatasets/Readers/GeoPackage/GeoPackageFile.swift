import CadastreFormatting
import CadastreSQLite
import CadastreStore
import Foundation

/// A GeoPackage opened for reading, without trust in anything that it says.
///
/// A file in rollback mode is read under SQLite's lock. One in WAL mode would need files beside it,
/// so it is read as it is if nobody has a log of it, and refused otherwise.
struct GeoPackageFile {
  let path: String
  let connection: Connection
  let totalBytes: Int?

  private static let magic = Array("SQLite format 3\0".utf8)
  /// Where a database says which journal its readers and writers need; 2 is a write-ahead log.
  ///
  /// Source: sqlite.org/fileformat2.html, "The Database Header".
  private static let versionOffsets = 18...19

  /// Opens a file, which may be gzipped.
  init(path: String) throws(DatasetError) {
    self.path = path
    let file = try OpenFile(path: path)
    totalBytes = file.totalBytes
    let head = try file.lookAhead(20)
    if GzipReader.isGzip(head) {
      let unpacked = try UnpackedFile(unpacking: path)
      connection = try Self.connection(path) { () throws(StoreError) in
        try .readingForeign(unpacked.path, isImmutable: true)
      }
      // What SQLite has open stays readable.
      unpacked.unlink()
      return
    }
    // Refuses other compressions by name.
    _ = try FileBytes(path: path)
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

  /// The error of this file for one of SQLite.
  func error(_ error: StoreError) -> DatasetError {
    DatasetError(path: path, problem: Self.problem(error, path))
  }

  private static func problem(_ error: StoreError, _ path: String) -> DatasetError.Problem {
    switch error.reason {
    case .notADatabase: .geoPackage(.notSQLite)
    // A journal that would have to be rolled back.
    case .readOnly: log(path)
    case .permissionDenied: .notPermitted
    case .busy: .geoPackage(.locked)
    case .corrupt(let detail): .geoPackage(.damaged(detail: detail))
    case .sqlite(_, let message): .geoPackage(.damaged(detail: message))
    default: .unreadable(reason: "\(error)")
    }
  }
}
