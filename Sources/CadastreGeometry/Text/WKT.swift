// Well-known text: POINT, POLYGON and MULTIPOLYGON, longitude before latitude.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", section 7.2. A leading `SRID=4326;` and
// the dimensions Z, M and ZM are read; measures are ignored.

extension GeoShape {
  /// Reads a region from the well-known text of a POLYGON or MULTIPOLYGON.
  ///
  /// - Parameter wkt: The text, longitude first.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the length of the text.
  public init(wkt: String) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readWKT(wkt)
    guard let shape = geometry.shape else {
      throw reader.error(expected: "POLYGON or MULTIPOLYGON", at: 0)
    }
    self = shape
  }

  /// The region as well-known text; nil for a circle, for which the format has no type.
  ///
  /// A box becomes the polygon of its corners in their given order.
  ///
  /// - Complexity: O(n) in the number of points.
  public var wkt: String? {
    switch self {
    case .circle: nil
    case .polygon(let polygon): "POLYGON \(polygon.wktRings)"
    case .multiPolygon(let polygons) where polygons.isEmpty: "MULTIPOLYGON EMPTY"
    case .multiPolygon(let polygons):
      "MULTIPOLYGON (" + polygons.map(\.wktRings).joined(separator: ", ") + ")"
    case .box(let box): box.corners.map { "POLYGON \($0.wktRings)" }
    }
  }
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

  /// The point as well-known text, with its altitude if that is not 0.
  public var wkt: String {
    altitude == 0 ? "POINT (\(wktNumbers))" : "POINT Z (\(wktNumbers))"
  }

  fileprivate var wktNumbers: String {
    coordinates.map(\.description).joined(separator: " ")
  }
}

extension GeoPolygon {
  /// The rings in parentheses; altitudes are written for all points if at least one is not 0.
  fileprivate var wktRings: String {
    let hasAltitude = hasAltitude
    let texts = rings.map { ring in
      let points = ring.map { point in
        hasAltitude && point.altitude == 0 ? point.wktNumbers + " 0.0" : point.wktNumbers
      }
      return "(" + points.joined(separator: ", ") + ")"
    }
    return "(" + texts.joined(separator: ", ") + ")"
  }
}

extension GeoBox {
  /// The polygon of the four corners in their given order.
  ///
  /// The ring is counter-clockwise if the first corner is the south-western one.
  var corners: GeoPolygon? {
    let (first, second) = (bottomLeft, topRight)
    return GeoPolygon(outerRing: [
      (first.latitude, first.longitude), (first.latitude, second.longitude),
      (second.latitude, second.longitude), (second.latitude, first.longitude),
      (first.latitude, first.longitude),
    ])
  }
}

extension TextReader {
  /// Reads a text to its end; returns the geometry and the reader, which makes errors.
  fileprivate static func readWKT(
    _ text: String
  ) throws(GeometryTextError) -> (GeometryText, TextReader) {
    var reader = TextReader(text.utf8)
    let geometry = try reader.wktGeometry()
    try reader.requireEnd()
    return (geometry, reader)
  }

  private mutating func wktGeometry() throws(GeometryTextError) -> GeometryText {
    let start = offset
    var kind = word()
    if kind == "SRID" {
      try require("=")
      let start = offset
      guard try number() == 4326 else { throw error(expected: "4326", at: start) }
      try require(";")
      kind = word()
    }
    for suffix in ["ZM", "Z", "M"] where kind.hasSuffix(suffix) && kind != suffix {
      return try wktGeometry(String(kind.dropLast(suffix.count)), dimensions: suffix, start)
    }
    let afterKind = offset
    let dimensions = word()
    if ["Z", "M", "ZM"].contains(dimensions) {
      return try wktGeometry(kind, dimensions: dimensions, start)
    }
    move(to: afterKind)
    return try wktGeometry(kind, dimensions: "", start)
  }

  private mutating func wktGeometry(
    _ kind: String, dimensions: String, _ start: Int
  ) throws(GeometryTextError) -> GeometryText {
    switch kind {
    case "POINT":
      try require("(")
      let point = try wktPoint(dimensions)
      try require(")")
      return .point(point)
    case "POLYGON":
      return .polygons([try wktPolygon(dimensions)], isMultiple: false)
    case "MULTIPOLYGON":
      let afterKind = offset
      if word() == "EMPTY" { return .polygons([], isMultiple: true) }
      move(to: afterKind)
      var polygons: [GeoPolygon] = []
      try require("(")
      repeat { polygons.append(try wktPolygon(dimensions)) } while skip(",")
      try require(")")
      return .polygons(polygons, isMultiple: true)
    default:
      throw error(expected: "POINT, POLYGON or MULTIPOLYGON", at: start)
    }
  }

  private mutating func wktPolygon(_ dimensions: String) throws(GeometryTextError) -> GeoPolygon {
    skipSpace()
    let start = offset
    var rings: [[GeoPoint]] = []
    try require("(")
    repeat {
      var ring: [GeoPoint] = []
      try require("(")
      repeat { ring.append(try wktPoint(dimensions)) } while skip(",")
      try require(")")
      rings.append(ring)
    } while skip(",")
    try require(")")
    return try polygon(rings, from: start)
  }

  /// Reads two to four numbers; with the dimension M the third one is a measure.
  private mutating func wktPoint(_ dimensions: String) throws(GeometryTextError) -> GeoPoint {
    skipSpace()
    let start = offset
    var numbers = [try number(), try number()]
    skipSpace()
    while numbers.count < 4, let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: ")") {
      numbers.append(try number())
      skipSpace()
    }
    return try point(Array(numbers.prefix(dimensions == "M" ? 2 : 3)), from: start)
  }
}
