import CadastreColumnar
import CadastreDatasets
import CadastreGeometry
import CadastreModel
import CadastreSQLite

/// The version of Cadastre and of the libraries that it uses.
enum ProgramVersion {
  /// The text of `--version`.
  static var text: String {
    let libraries =
      [
        ("SQLite", SQLiteLibrary.version), ("GEOS", GEOSLibrary.version),
        ("zlib", CompressionLibraries.zlibVersion), ("zstd", CompressionLibraries.zstdVersion),
      ]
      + (CoordinateTransformation.libraryVersion.map { [("PROJ", $0)] } ?? [])
    return "\(CadastreVersion.number)\n"
      + libraries.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
