import CadastreFormatting

/// What a definition says about the numbers of a file.
enum ReferenceSystem: Hashable {
  /// Degrees of longitude and latitude on WGS 84, from Greenwich.
  case wgs84
  /// Something else, by its name.
  case other(name: String)

  /// Judges a definition in well-known text, of version 1 or 2.
  ///
  /// The order of the axes is not looked at: Shapefiles and GeoPackages put longitude first in any
  /// case. Names of authorities are not either; what is compared is what the numbers mean.
  init(wellKnownText text: String) {
    guard let definition = WellKnownText(text) else {
      self = .other(name: "a definition that is not well-known text")
      return
    }
    self =
      Self.isWGS84(definition)
      ? .wgs84 : .other(name: definition.texts.first ?? definition.keyword)
  }

  /// The command that converts a file to WGS 84, as a GeoPackage beside it.
  ///
  /// - Parameters:
  ///   - path: The file; unpacked first if it is gzipped.
  ///   - parts: Further files of the same source.
  ///   - layer: The layer that is meant.
  /// - Returns: A line for the shell.
  static func conversion(
    of path: String, with parts: [String] = [], layer: String? = nil
  ) -> String {
    func isPacked(_ path: String) -> Bool { path.lowercased().hasSuffix(".gz") }
    let packed = ([path] + parts).filter(isPacked).map(shellQuoted)
    let source = isPacked(path) ? String(path.dropLast(3)) : path
    let stem = source.lastIndex(of: ".").map { String(source[..<$0]) } ?? source
    let words = [stem + "-wgs84.gpkg", source] + (layer.map { [$0] } ?? [])
    let unpacking = packed.isEmpty ? "" : "gunzip --keep \(packed.joined(separator: " ")) && "
    return unpacking + "ogr2ogr -t_srs EPSG:4326 "
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
    // Metres may be there too: for the ellipsoid, and for altitudes.
    let units =
      definition.parts.filter { $0.keyword == "UNIT" } + definition.all(["ANGLEUNIT"])
    return !units.isEmpty
      && units.allSatisfy { unit in unit.numbers.first.map { abs($0 - degree) < 1e-9 } ?? false }
  }
}
