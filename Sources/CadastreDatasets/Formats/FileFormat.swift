import CadastreFormatting
import Foundation

/// The file formats that can be imported; the raw values are the names on the command line.
package enum FileFormat: String, CaseIterable, Sendable {
  case csv, tsv, geojson, geojsonseq, gpkg, shp, geonames, parquet, fgb, kml, gpx, topojson

  /// Creates the format for a file name extension; nil if it is unknown.
  ///
  /// - Parameter path: The path of the file; a trailing `.gz` is ignored.
  package init?(fileName path: String) {
    var name = path.lowercased()[...]
    if name.hasSuffix(".gz") { name = name.dropLast(3) }
    guard let dot = name.lastIndex(of: ".") else { return nil }
    switch name[dot...].dropFirst() {
    case "csv": self = .csv
    case "tsv", "tab": self = .tsv
    case "geojson", "json": self = .geojson
    case "geojsonl", "geojsons", "geojsonseq", "ndjson", "jsonl": self = .geojsonseq
    case "gpkg": self = .gpkg
    // A table of attributes alone is read as a Shapefile without shapes.
    case "shp", "dbf": self = .shp
    case "parquet", "geoparquet": self = .parquet
    case "fgb": self = .fgb
    case "kml", "kmz": self = .kml
    case "gpx": self = .gpx
    case "topojson": self = .topojson
    default: return nil
    }
  }

  /// Detects the format from the first bytes of a file; the default is a text table.
  init(content: [UInt8]) {
    if content.starts(with: Array("SQLite format 3\0".utf8)) {
      self = .gpkg
    } else if content.starts(with: [0, 0, 0x27, 0x0A]) {
      self = .shp
    } else if content.starts(with: Array("PAR1".utf8)) {
      self = .parquet
    } else if content.starts(with: [0x66, 0x67, 0x62, 3, 0x66, 0x67, 0x62]) {
      self = .fgb
    } else if content.first == 0x1E {
      self = .geojsonseq
    } else if let byte = content.drop(while: { Self.isBlank($0) }).first,
      byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
    {
      self = Self.isTopology(content) ? .topojson : .geojson
    } else if let format = Self.xmlFormat(content) {
      self = format
    } else {
      self = GeoNames.isDump(content) ? .geonames : .csv
    }
  }

  /// Detects the common format of files from their names, or from their first bytes.
  ///
  /// - Parameter files: The files.
  /// - Throws: ``DatasetError`` if a file cannot be read, or is XML or HTML of another kind than KML and
  ///   GPX; ``ImportError`` if the formats differ.
  init(_ files: [InputFile]) throws {
    let formats = try files.map { file -> Self in
      let named = Self(fileName: file.name)
      if let named, ![.csv, .tsv, .geojson].contains(named) { return named }
      let content = try file.firstBytes()
      // A file .json may be a topology.
      if named == .geojson { return Self.isTopology(content) ? .topojson : .geojson }
      let format = named ?? Self(content: content)
      if format == .csv || format == .tsv, let root = MarkupContent.rootElement(content) {
        throw DatasetError(path: file.name, problem: .markup(root: root))
      }
      return format
    }
    guard let format = formats.first else { throw ImportError("there is no file to import") }
    // The delimiter of each table is detected.
    if formats.allSatisfy({ $0 == .csv || $0 == .tsv }) {
      self = .csv
      return
    }
    if let other = formats.firstIndex(where: { $0 != format }) {
      throw ImportError(
        "\(printable(files[0].name)) is \(format.rawValue) and \(printable(files[other].name)) is "
          + "\(formats[other].rawValue); expected files of one format, or --format")
    }
    self = format
  }

  /// Returns whether a JSON object begins with the type of TopoJSON.
  private static func isTopology(_ content: [UInt8]) -> Bool {
    let start = content.prefix(256).filter { !isBlank($0) }
    return start.starts(with: Array("{\"type\":\"Topology\"".utf8))
  }

  /// Returns the format of an XML file by its root element; nil for other content.
  private static func xmlFormat(_ content: [UInt8]) -> FileFormat? {
    guard let start = content.prefix(4096).drop(while: { isBlank($0) }).first,
      start == UInt8(ascii: "<")
    else { return nil }
    let text = String(decoding: content.prefix(4096), as: UTF8.self)
    if text.contains("<kml") { return .kml }
    return text.contains("<gpx") ? .gpx : nil
  }

  /// Returns whether a byte is a blank, a line end or part of a byte order mark.
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0xEF || byte == 0xBB || byte == 0xBF
  }
}
