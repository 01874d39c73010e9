import Foundation

/// The formats of exported files; the raw values are the names on the command line.
package enum ExportFormat: String, CaseIterable, Sendable {
  case csv, geojson, geojsonseq, gpkg, parquet, fgb, kml, gpx

  /// Creates the format that the extension of a file name denotes.
  ///
  /// - Parameter path: The path; an ending `.gz` is ignored.
  package init?(path: String) {
    let name = path.lowercased()
    let plain = name.hasSuffix(".gz") ? String(name.dropLast(3)) : name
    switch URL(fileURLWithPath: plain).pathExtension {
    case "csv": self = .csv
    case "geojson", "json": self = .geojson
    case "geojsonl", "geojsons", "geojsonseq", "ndjson", "jsonl": self = .geojsonseq
    case "gpkg": self = .gpkg
    case "parquet", "geoparquet": self = .parquet
    case "fgb": self = .fgb
    case "kml", "kmz": self = .kml
    case "gpx": self = .gpx
    default: return nil
    }
  }

  /// Whether the format is written to regular files only.
  package var needsFile: Bool { self == .gpkg || self == .fgb }

  /// Returns the compression of a file by its name.
  ///
  /// - Parameter path: The path.
  /// - Returns: The compression.
  package static func compression(path: String) -> OutputFile.Compression {
    let name = path.lowercased()
    return name.hasSuffix(".gz") ? .gzip : name.hasSuffix(".kmz") ? .kmz : .none
  }

  /// The format of the text; CSV for formats without text.
  package var text: RecordWriter.Format {
    switch self {
    case .geojson: .geojson
    case .geojsonseq: .geojsonseq
    case .kml: .kml
    case .gpx: .gpx
    case .csv, .gpkg, .parquet, .fgb: .csv
    }
  }

  /// Returns why a file of the format cannot have a name; nil if it can.
  ///
  /// - Parameter path: The path of the file; `-` is standard output.
  /// - Returns: The reason, as a sentence without its full stop.
  package func objection(to path: String) -> String? {
    let name = path.lowercased()
    if name.hasSuffix(".kmz"), self != .kml { return "a .kmz file contains KML" }
    if self == .parquet, name.hasSuffix(".gz") {
      return "a Parquet file cannot be compressed; its pages are"
    }
    if needsFile, path == "-" || name.hasSuffix(".gz") {
      let kind = self == .gpkg ? "GeoPackage" : "FlatGeobuf file"
      return "a \(kind) cannot be compressed or written to standard output"
    }
    return nil
  }
}
