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

/// A definition in well-known text: a keyword with names, numbers and nested definitions.
///
/// Source: OGC 18-010r7, "Well-known text representation of coordinate reference systems"; WKT 1
/// (OGC 01-009, also used by Esri) has the same syntax.
struct WellKnownText {
  /// The keyword in upper case.
  var keyword: String
  /// The quoted texts, in order.
  var texts: [String] = []
  /// The numbers, in order.
  var numbers: [Double] = []
  /// The words without quotes or brackets, in upper case.
  var words: [String] = []
  /// The nested definitions, in order.
  var parts: [WellKnownText] = []

  /// The maximum size of a text, in bytes.
  static let limitBytes = 64 * 1024
  /// The maximum nesting of definitions.
  static let maximumDepth = 32

  /// Parses a definition; nil for invalid text.
  init?(_ text: String) {
    guard text.utf8.count <= Self.limitBytes else { return nil }
    var bytes = Array(text.utf8)[...]
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard let definition = Self.definition(&bytes, depth: 0) else { return nil }
    Self.skipBlanks(&bytes)
    guard bytes.allSatisfy({ $0 == 0 }) else { return nil }
    self = definition
  }

  private init(keyword: String) { self.keyword = keyword }

  /// Returns the first nested definition with one of the keywords, outer levels first.
  func first(_ keywords: String...) -> WellKnownText? { all(keywords).first }

  /// Returns all nested definitions with one of the keywords, outer levels first.
  func all(_ keywords: [String]) -> [WellKnownText] {
    parts.filter { keywords.contains($0.keyword) } + parts.flatMap { $0.all(keywords) }
  }

  // MARK: - Parsing

  private static func definition(_ bytes: inout ArraySlice<UInt8>, depth: Int) -> WellKnownText? {
    skipBlanks(&bytes)
    guard depth < maximumDepth, let keyword = word(&bytes) else { return nil }
    skipBlanks(&bytes)
    guard let closing = opening(&bytes) else { return nil }
    var definition = WellKnownText(keyword: keyword)
    while true {
      guard definition.takeItem(&bytes, depth: depth) else { return nil }
      skipBlanks(&bytes)
      guard let next = bytes.popFirst() else { return nil }
      if next == closing { return definition }
      guard next == UInt8(ascii: ",") else { return nil }
    }
  }

  private mutating func takeItem(_ bytes: inout ArraySlice<UInt8>, depth: Int) -> Bool {
    Self.skipBlanks(&bytes)
    guard let first = bytes.first else { return false }
    if first == UInt8(ascii: "\"") {
      guard let text = Self.quoted(&bytes) else { return false }
      texts.append(text)
      return true
    }
    let start = bytes
    guard let word = Self.word(&bytes) else { return false }
    Self.skipBlanks(&bytes)
    if Self.opening(&bytes) != nil {
      bytes = start
      guard let part = Self.definition(&bytes, depth: depth + 1) else { return false }
      parts.append(part)
    } else if let number = Double(word) {
      numbers.append(number)
    } else {
      words.append(word)
    }
    return true
  }

  /// Consumes an opening bracket and returns the matching closing bracket.
  private static func opening(_ bytes: inout ArraySlice<UInt8>) -> UInt8? {
    switch bytes.first {
    case UInt8(ascii: "["):
      bytes.removeFirst()
      return UInt8(ascii: "]")
    case UInt8(ascii: "("):
      bytes.removeFirst()
      return UInt8(ascii: ")")
    default: return nil
    }
  }

  private static func quoted(_ bytes: inout ArraySlice<UInt8>) -> String? {
    bytes.removeFirst()
    var text: [UInt8] = []
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "\"") {
        guard bytes.first == byte else { return String(decoding: text, as: UTF8.self) }
        bytes.removeFirst()
      }
      text.append(byte)
    }
    return nil
  }

  /// Consumes letters, digits and characters of numbers, and returns them in upper case.
  private static func word(_ bytes: inout ArraySlice<UInt8>) -> String? {
    let word = bytes.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "+"), UInt8(ascii: "_"), UInt8(ascii: ":"):
        true
      default: false
      }
    }
    bytes = bytes[word.endIndex...]
    return word.isEmpty ? nil : String(decoding: word, as: UTF8.self).uppercased()
  }

  private static func skipBlanks(_ bytes: inout ArraySlice<UInt8>) {
    bytes = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
  }
}
