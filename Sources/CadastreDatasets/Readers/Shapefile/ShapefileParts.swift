import Foundation

/// Where the parts of a Shapefile are: beside each other, with one name and several endings.
struct ShapefileParts {
  /// The shapes.
  let shapes: String
  /// The table of attributes.
  let table: String
  /// The name of the table's encoding, if there is such a file.
  let encoding: String?
  /// The reference system, if there is such a file.
  let referenceSystem: String?

  /// Finds the parts beside a .shp file, which may be gzipped, as each of the others.
  ///
  /// - Throws: That there is no table of that name.
  init(shapes path: String) throws(DatasetError) {
    shapes = path
    var stem = path
    if stem.lowercased().hasSuffix(".gz") { stem.removeLast(3) }
    if stem.lowercased().hasSuffix(".shp") { stem.removeLast(4) }
    guard let table = Self.part(stem, "dbf") else {
      throw DatasetError(path: stem + ".dbf", problem: .missing)
    }
    self.table = table
    encoding = Self.part(stem, "cpg")
    referenceSystem = Self.part(stem, "prj")
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

  /// The text of a small part; a longer one is cut off behind a limit that none should reach.
  static func text(_ path: String, limitBytes: Int) throws(DatasetError) -> String {
    let input = try BinaryInput(path: path)
    var bytes: [UInt8] = []
    while bytes.count <= limitBytes, let byte = try input.take(1) { bytes.append(byte[0]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
