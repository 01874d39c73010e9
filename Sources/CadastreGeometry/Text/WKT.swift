// Well-known text, longitude before latitude.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", section 7.2. A leading `SRID=4326;` and
// the dimensions Z, M and ZM are read; measures are ignored.

extension Geometry {
  /// Reads a geometry of any type from well-known text.
  ///
  /// - Parameter wkt: The text, longitude first.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(wkt: String) throws(GeometryTextError) {
    self = try TextReader.readWKT(wkt).0
  }

  /// Reads a geometry of any type from well-known text, and converts its coordinates.
  package init(
    wkt: String, converting conversion: GeometryConversion?
  ) throws(GeometryTextError) {
    self = try TextReader.readWKT(wkt, conversion).0
  }
}

extension GeoShape {
  /// Reads a region from the well-known text of a POLYGON or MULTIPOLYGON.
  ///
  /// - Parameter wkt: The text, longitude first.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(wkt: String) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readWKT(wkt)
    guard let region = geometry.region else {
      throw reader.error(expected: "POLYGON or MULTIPOLYGON", at: 0)
    }
    self = region
  }

  /// The region as well-known text; nil for a circle, for which the format has no type.
  ///
  /// A box becomes the polygon of its corners in their order.
  ///
  /// - Complexity: O(n) in the number of points.
  public var wkt: String? { geometry?.wkt(missingAltitude: 0) }
}

extension GeoPoint {
  /// Reads a point from the well-known text of a POINT.
  ///
  /// - Parameter wkt: The text, longitude first.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  public init(wkt: String) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readWKT(wkt)
    guard let point = geometry.point else { throw reader.error(expected: "POINT", at: 0) }
    self = point
  }

  /// The point as well-known text, with its altitude unless it is 0.
  public var wkt: String { Geometry(self).wkt }
}

extension TextReader {
  /// Reads a text to its end; returns the geometry and the reader, which makes errors.
  static func readWKT(
    _ text: String, _ conversion: GeometryConversion? = nil
  ) throws(GeometryTextError) -> (Geometry, TextReader) {
    var reader = TextReader(text.utf8)
    reader.conversion = conversion
    try reader.skipReferenceSystem()
    let geometry = try reader.wktGeometry(depth: 0)
    try reader.requireEnd()
    return (geometry, reader)
  }

  private mutating func skipReferenceSystem() throws(GeometryTextError) {
    let start = offset
    guard word() == "SRID" else { return move(to: start) }
    try require("=")
    let number = offset
    guard try self.number() == 4326 || conversion?.degrees != nil else {
      throw error(expected: "4326", at: number)
    }
    try require(";")
  }

  private mutating func wktGeometry(depth: Int) throws(GeometryTextError) -> Geometry {
    skipSpace()
    let start = offset
    let (name, isMeasured) = wktTag()
    let shape: Geometry.Shape
    switch name {
    case "POINT": shape = .point(try wktPoint(isMeasured))
    case "LINESTRING": shape = .lineString(try wktLine(isMeasured))
    case "POLYGON": shape = .polygon(try wktRings(isMeasured))
    case "MULTIPOINT":
      shape = .multiPoint(
        try wktList { (reader) throws(GeometryTextError) in
          try reader.wktMember(isMeasured)
        }.compactMap(\.self))
    case "MULTILINESTRING":
      shape = .multiLineString(
        try wktList { (reader) throws(GeometryTextError) in try reader.wktLine(isMeasured) })
    case "MULTIPOLYGON":
      shape = .multiPolygon(
        try wktList { (reader) throws(GeometryTextError) in try reader.wktRings(isMeasured) })
    case "GEOMETRYCOLLECTION":
      guard depth < Geometry.maximumDepth else {
        throw error(expected: "at most \(Geometry.maximumDepth) levels of collections", at: start)
      }
      shape = .collection(
        try wktList { (reader) throws(GeometryTextError) in
          try reader.wktGeometry(depth: depth + 1)
        })
    default:
      throw error(expected: "the type of a geometry, such as POINT or POLYGON", at: start)
    }
    return try geometry(shape, from: start)
  }

  /// Reads the name of a type and its dimensions, with or without a space between them.
  private mutating func wktTag() -> (name: String, isMeasured: Bool) {
    let name = word()
    for suffix in ["ZM", "Z", "M"] where name.hasSuffix(suffix) && name != suffix {
      return (String(name.dropLast(suffix.count)), suffix == "M")
    }
    let end = offset
    let dimensions = word()
    if ["Z", "M", "ZM"].contains(dimensions) { return (name, dimensions == "M") }
    move(to: end)
    return (name, false)
  }

  /// Reads elements in parentheses; the word EMPTY is an empty list.
  private mutating func wktList<Element>(
    _ read: (inout TextReader) throws(GeometryTextError) -> Element
  ) throws(GeometryTextError) -> [Element] {
    guard try !skipEmpty() else { return [] }
    var elements: [Element] = []
    try require("(")
    repeat { elements.append(try read(&self)) } while skip(",")
    try require(")")
    return elements
  }

  private mutating func skipEmpty() throws(GeometryTextError) -> Bool {
    let start = offset
    if word() == "EMPTY" { return true }
    move(to: start)
    return false
  }

  private mutating func wktPoint(_ isMeasured: Bool) throws(GeometryTextError) -> GeoPosition? {
    guard try !skipEmpty() else { return nil }
    try require("(")
    let position = try wktPosition(isMeasured)
    try require(")")
    return position
  }

  /// Reads a member of a MULTIPOINT, whose parentheses may be missing.
  private mutating func wktMember(_ isMeasured: Bool) throws(GeometryTextError) -> GeoPosition? {
    skipSpace()
    switch next {
    case UInt8(ascii: "("), UInt8(ascii: "E"), UInt8(ascii: "e"): return try wktPoint(isMeasured)
    default: return try wktPosition(isMeasured)
    }
  }

  private mutating func wktLine(_ isMeasured: Bool) throws(GeometryTextError) -> [GeoPosition] {
    try wktList { (reader) throws(GeometryTextError) in try reader.wktPosition(isMeasured) }
  }

  private mutating func wktRings(_ isMeasured: Bool) throws(GeometryTextError) -> [[GeoPosition]] {
    try wktList { (reader) throws(GeometryTextError) in try reader.wktLine(isMeasured) }
  }

  /// Reads two to four numbers; with the dimension M the third one is a measure.
  private mutating func wktPosition(_ isMeasured: Bool) throws(GeometryTextError) -> GeoPosition {
    skipSpace()
    let start = offset
    var numbers = [try number(), try number()]
    skipSpace()
    while numbers.count < 4, let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: ")") {
      numbers.append(try numberOrNaN())
      skipSpace()
    }
    return try position(Array(numbers.prefix(isMeasured ? 2 : 3)), from: start)
  }

  private mutating func numberOrNaN() throws(GeometryTextError) -> Double {
    let start = offset
    if word() == "NAN" { return .nan }
    move(to: start)
    return try number()
  }
}

extension Geometry {
  /// The geometry as well-known text, longitude first; numbers round-trip exactly.
  ///
  /// A geometry with altitudes has the suffix `Z`, and a position without one has `NaN`.
  ///
  /// - Complexity: O(n) in the number of positions.
  public var wkt: String { wkt(missingAltitude: .nan) }

  /// Returns the text, with `missingAltitude` for a position without an altitude if others have one.
  func wkt(missingAltitude: Double) -> String {
    WKTWriter(hasAltitude: hasAltitude, missingAltitude: missingAltitude).text(shape)
  }
}

/// A writer of geometries as well-known text.
private struct WKTWriter {
  let hasAltitude: Bool
  let missingAltitude: Double

  func text(_ shape: Geometry.Shape) -> String {
    switch shape {
    case .point(let position): tagged("POINT", list(position.map { [numbers($0)] } ?? []))
    case .lineString(let line): tagged("LINESTRING", text(line))
    case .polygon(let rings): tagged("POLYGON", list(rings.map(text)))
    case .multiPoint(let positions):
      tagged("MULTIPOINT", list(positions.map { "(" + numbers($0) + ")" }))
    case .multiLineString(let lines): tagged("MULTILINESTRING", list(lines.map(text)))
    case .multiPolygon(let polygons):
      tagged("MULTIPOLYGON", list(polygons.map { list($0.map(text)) }))
    case .collection(let members):
      tagged("GEOMETRYCOLLECTION", list(members.map { text($0.shape) }))
    }
  }

  private func tagged(_ name: String, _ list: String) -> String {
    name + (hasAltitude ? " Z " : " ") + list
  }

  private func list(_ elements: [String]) -> String {
    elements.isEmpty ? "EMPTY" : "(" + elements.joined(separator: ", ") + ")"
  }

  private func text(_ line: [GeoPosition]) -> String {
    list(line.map(numbers))
  }

  private func numbers(_ position: GeoPosition) -> String {
    let text = "\(position.longitude) \(position.latitude)"
    guard hasAltitude else { return text }
    let altitude = position.altitude ?? missingAltitude
    return text + (altitude.isNaN ? " NaN" : " \(altitude)")
  }
}
