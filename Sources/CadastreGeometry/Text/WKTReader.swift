// Well-known text, longitude before latitude.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", section 7.2. A leading `SRID=4326;` and
// the dimensions Z, M and ZM are read; measures are ignored.

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
    guard try self.number() == 4326 || conversion != nil else {
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

  /// Reads elements in parentheses; none for the word EMPTY.
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

extension TextReader {
  /// Returns the geometry of a shape; `start` is the offset for errors.
  func geometry(_ shape: Geometry.Shape, from start: Int) throws(GeometryTextError) -> Geometry {
    do throws(GeometryError) {
      return try Geometry(shape)
    } catch {
      throw GeometryTextError(error, offset: start)
    }
  }

  /// Returns the position with the given numbers, longitude first; `start` is the offset for errors.
  func position(_ numbers: [Double], from start: Int) throws(GeometryTextError) -> GeoPosition {
    guard numbers.count >= 2,
      let position = GeoPosition(
        numbers[0], numbers[1],
        altitude: numbers.count > 2 && !numbers[2].isNaN ? numbers[2] : nil, conversion)
    else {
      throw error(expected: GeometryTextError.coordinatesInRange, at: start)
    }
    return position
  }
}
