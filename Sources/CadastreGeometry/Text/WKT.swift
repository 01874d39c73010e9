// Well-known text: POINT, POLYGON and MULTIPOLYGON, longitude before latitude.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", section 7.2. A leading `SRID=4326;` and
// the dimensions Z, M and ZM are read; measures are dropped.

extension GeoShape {
  /// Reads a region from a POLYGON or MULTIPOLYGON.
  ///
  /// - Throws: Where reading stopped, and what was expected there.
  public init(wkt: String) throws(GeometryTextError) {
    let (geometry, reader) = try TextReader.readWKT(wkt)
    guard let shape = geometry.shape else {
      throw reader.error(expected: "POLYGON or MULTIPOLYGON", at: 0)
    }
    self = shape
  }

  /// The region as well-known text; nil for a circle, which has none.
  ///
  /// A box is the polygon of its corners as given.
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
  /// Reads a POINT.
  ///
  /// - Throws: Where reading stopped, and what was expected there.
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
  /// The rings in parentheses; all points have an altitude or none has.
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
  /// The polygon of the four corners as given, counter-clockwise for a south-western first one.
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
  /// Reads a whole text; also gives the reader, for errors about the whole.
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
      let place = offset
      guard try number() == 4326 else { throw error(expected: "4326", at: place) }
      try require(";")
      kind = word()
    }
    for suffix in ["ZM", "Z", "M"] where kind.hasSuffix(suffix) && kind != suffix {
      return try wktGeometry(String(kind.dropLast(suffix.count)), dimensions: suffix, start)
    }
    let place = offset
    let dimensions = word()
    if ["Z", "M", "ZM"].contains(dimensions) {
      return try wktGeometry(kind, dimensions: dimensions, start)
    }
    offset(to: place)
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
      let place = offset
      if word() == "EMPTY" { return .polygons([], isMultiple: true) }
      offset(to: place)
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

  /// Reads two to four numbers; after M the third one is a measure.
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
