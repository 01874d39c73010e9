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

/// An error in a GeoPackage or in one of its rows.
package enum GeoPackageProblem: FormatProblem {
  /// The file is not an SQLite database.
  case notSQLite
  /// The file is an SQLite database without the tables of a GeoPackage.
  case notGeoPackage
  /// The file has a write-ahead log with changes; a command that merges it.
  case log(command: String)
  /// Another process has locked the file.
  case locked
  /// The database is inconsistent; the message of SQLite.
  case corrupt(detail: String)
  /// A row, a text or a blob is too large; the greatest number of bytes.
  case valueTooLarge(limit: Int)
  /// There is no layer.
  case noLayers
  /// There are several layers, and none was named.
  case severalLayers([String])
  /// There is no layer with the name; the existing layers.
  case noLayer(name: String, layers: [String])
  /// The layer is a virtual table, or a view with a common table expression.
  case notATable(layer: String)
  /// The reference system is not WGS 84; a command that converts the file.
  case referenceSystem(name: String, command: String)
  /// The geometry of a row is invalid.
  case geometry(detail: String)
  /// A text is not UTF-8.
  case text(field: String)
}

extension GeoPackageProblem {
  /// The error as a clause that follows the location.
  package var sentence: String {
    switch self {
    case .notSQLite: "is not an SQLite database; expected a GeoPackage"
    case .notGeoPackage:
      "is an SQLite database without the tables of a GeoPackage; expected gpkg_contents, "
        + "gpkg_geometry_columns and gpkg_spatial_ref_sys (--format gdal reads other databases of geometries)"
    case .log(let command):
      "has a write-ahead log; close the program that writes it, or merge the log into the file: "
        + printable(command)
    case .locked: "is locked by another program; close that program and try again"
    case .corrupt(let detail): "is corrupt: \(printable(detail))"
    case .valueTooLarge(let limit):
      "has a row or a value of more than \(limit) bytes; expected smaller geometries"
    case .noLayers: "has no layers of features and no tables of attributes"
    case .severalLayers(let layers):
      "has several layers; name one with --layer: \(list(layers))"
    case .noLayer(let name, let layers):
      "has no layer '\(printable(name))'; its layers are \(list(layers))"
    case .notATable(let layer):
      "layer '\(printable(layer))' is a virtual table, or a view in a file with a view with WITH; expected an ordinary table, or a view that ends: "
        + "copy the layer with ogr2ogr"
    case .referenceSystem(let name, let command):
      "the coordinates are in '\(printable(name))'; expected longitude and latitude in WGS 84, or "
        + "the library PROJ, which converts them: "
        + printable(command)
    case .geometry(let detail): "the geometry is invalid: \(CoordinateProblem.sentence(detail))"
    case .text(let field): "the text in '\(printable(field))' is not valid UTF-8"
    }
  }

  private func list(_ layers: [String]) -> String {
    layers.prefix(20).map { printable($0) }.joined(separator: ", ")
      + (layers.count > 20 ? " …" : "")
  }
}

extension DatasetError.Problem {
  /// An error in a GeoPackage.
  package static func geoPackage(_ problem: GeoPackageProblem) -> Self {
    .format(AnyFormatProblem(problem))
  }
}
