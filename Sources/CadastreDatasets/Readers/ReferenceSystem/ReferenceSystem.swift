import CadastreFormatting

/// The reference system of coordinates.
enum ReferenceSystem: Hashable {
  /// Degrees of longitude and latitude in WGS 84, from Greenwich.
  case wgs84
  /// Another system, with its name.
  case other(name: String)

  /// Classifies a definition in well-known text, version 1 or 2.
  ///
  /// The parameters of the system are compared. Names of authorities and the order of the axes are
  /// ignored, because Shapefiles and GeoPackages always have longitude first.
  init(wellKnownText text: String) {
    guard let definition = WellKnownText(text) else {
      self = .other(name: "a definition that is not well-known text")
      return
    }
    self =
      Self.isWGS84(definition)
      ? .wgs84 : .other(name: definition.texts.first ?? definition.keyword)
  }

  /// Returns the shell command that converts a file to a GeoPackage in WGS 84.
  ///
  /// - Parameters:
  ///   - path: The file; if it ends in `.gz`, the command decompresses it first.
  ///   - parts: Further files of the same source.
  ///   - layer: The layer to convert.
  /// - Returns: A command line.
  static func conversion(
    of path: String, with parts: [String] = [], layer: String? = nil
  ) -> String {
    func isCompressed(_ path: String) -> Bool { path.lowercased().hasSuffix(".gz") }
    let compressed = ([path] + parts).filter(isCompressed).map(shellQuoted)
    let source = isCompressed(path) ? String(path.dropLast(3)) : path
    let stem = source.lastIndex(of: ".").map { String(source[..<$0]) } ?? source
    let words = [stem + "-wgs84.gpkg", source] + (layer.map { [$0] } ?? [])
    let decompression =
      compressed.isEmpty ? "" : "gunzip --keep \(compressed.joined(separator: " ")) && "
    return decompression + "ogr2ogr -t_srs EPSG:4326 "
      + words.map(shellQuoted).joined(separator: " ")
  }

  private static let geographicKeywords = [
    "GEOGCS", "GEOGCRS", "GEOGRAPHICCRS", "GEODCRS", "GEODETICCRS",
  ]
  private static let datumNames: Set = [
    "WGS1984", "DWGS1984", "WGS84", "WORLDGEODETICSYSTEM1984", "WORLDGEODETICSYSTEM1984ENSEMBLE",
    "WGS1984ENSEMBLE", "WGS84ENSEMBLE",
  ]
  private static let degree = 0.017_453_292_519_943_295

  private static func isWGS84(_ definition: WellKnownText) -> Bool {
    guard geographicKeywords.contains(definition.keyword),
      let datum = definition.first("DATUM", "GEODETICDATUM", "TRF", "ENSEMBLE"),
      let datumName = datum.texts.first,
      datumNames.contains(datumName.uppercased().filter { $0.isLetter || $0.isNumber }),
      let ellipsoid = definition.first("SPHEROID", "ELLIPSOID"), ellipsoid.numbers.count >= 2,
      abs(ellipsoid.numbers[0] - 6_378_137) < 1e-3,
      abs(ellipsoid.numbers[1] - 298.257_223_563) < 1e-6
    else { return false }
    if let meridian = definition.first("PRIMEM", "PRIMEMERIDIAN") {
      guard let east = meridian.numbers.first, abs(east) < 1e-9 else { return false }
    }
    if let system = definition.first("CS") {
      guard system.words.first == "ELLIPSOIDAL" else { return false }
    }
    // Lengths, for example of the ellipsoid, may have units in metres.
    let units =
      definition.parts.filter { $0.keyword == "UNIT" } + definition.all(["ANGLEUNIT"])
    return !units.isEmpty
      && units.allSatisfy { unit in unit.numbers.first.map { abs($0 - degree) < 1e-9 } ?? false }
  }
}
