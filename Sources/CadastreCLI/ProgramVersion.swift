import CadastreColumnar
import CadastreDatasets
import CadastreGeometry
import CadastreSQLite

/// The version of the program and of the libraries that it uses.
enum ProgramVersion {
  /// The version of the program.
  static let number = "0.1.0"

  /// The text of `--version`.
  static var text: String {
    let libraries =
      [
        ("SQLite", SQLiteLibrary.version), ("GEOS", GEOSLibrary.version),
        ("zlib", CompressionLibraries.zlibVersion), ("zstd", CompressionLibraries.zstdVersion),
      ]
      + (CoordinateTransformation.libraryVersion.map { [("PROJ", $0)] } ?? [])
    return "\(number)\n" + libraries.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
