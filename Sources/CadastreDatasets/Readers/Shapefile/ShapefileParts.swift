import Foundation

/// The paths of the files of a Shapefile, which differ only in their extensions.
struct ShapefileParts {
  /// The table of attributes.
  let table: String
  /// The file with the encoding of the table; nil if there is none.
  let encoding: String?
  /// The file with the reference system; nil if there is none.
  let referenceSystem: String?

  /// Finds the parts of a Shapefile; each may be compressed with gzip.
  ///
  /// - Parameter path: The path of the .shp file, or of the .dbf file for the table alone.
  /// - Throws: ``DatasetError`` if there is no table.
  init(path: String) throws(DatasetError) {
    var stem = path
    if stem.lowercased().hasSuffix(".gz") { stem.removeLast(3) }
    let isTable = Self.isTable(path)
    if isTable || stem.lowercased().hasSuffix(".shp") { stem.removeLast(4) }
    guard let table = isTable ? path : Self.part(stem, "dbf") else {
      throw DatasetError(path: stem + ".dbf", problem: .missing)
    }
    self.table = table
    encoding = Self.part(stem, "cpg")
    referenceSystem = Self.part(stem, "prj")
  }

  /// Returns whether a path is that of a .dbf file, which is read without shapes.
  static func isTable(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".dbf") || name.hasSuffix(".dbf.gz")
  }

  private static func part(_ stem: String, _ ending: String) -> String? {
    for ending in [ending, ending.uppercased()] {
      for compression in ["", ".gz", ".GZ"] {
        let path = "\(stem).\(ending)\(compression)"
        if FileManager.default.fileExists(atPath: path) { return path }
      }
    }
    return nil
  }

  /// Reads the text of a part, truncated after a limit.
  static func text(_ path: String, limitBytes: Int) throws(DatasetError) -> String {
    let input = try BinaryInput(path: path)
    var bytes: [UInt8] = []
    while bytes.count <= limitBytes, let byte = try input.take(1) { bytes.append(byte[0]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
