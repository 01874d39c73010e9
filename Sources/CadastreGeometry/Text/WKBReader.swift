// Well-known binary, longitude before latitude.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", section 8.2, for the ISO form; PostGIS,
// "doc/ZMSGeoms.txt", for the extended form (EWKB), which has flags for altitude, measure and SRID.
// Both byte orders are read; each part of a geometry may have another byte order. Measures are ignored.

/// A reader of well-known binary; counts are checked against the remaining bytes before use.
struct WKBReader {
  private let bytes: UnsafeRawBufferPointer
  let conversion: GeometryConversion?
  private(set) var offset = 0

  /// Creates a reader of bytes that must outlive it.
  init(_ bytes: UnsafeRawBufferPointer, _ conversion: GeometryConversion? = nil) {
    self.bytes = bytes
    self.conversion = conversion
  }

  /// The header of a geometry: byte order, type and the dimensions of its positions.
  struct Header {
    let isBigEndian: Bool
    let type: WKBType
    let hasAltitude: Bool
    let hasMeasure: Bool

    var bytesPerPosition: Int { 8 * (2 + (hasAltitude ? 1 : 0) + (hasMeasure ? 1 : 0)) }
  }

  /// Reads a geometry that takes all bytes.
  mutating func geometry() throws(GeometryTextError) -> Geometry {
    let geometry = try geometry(depth: 0)
    guard offset == bytes.count else {
      throw error("the end", "\(bytes.count - offset) bytes more")
    }
    return geometry
  }

  private mutating func geometry(depth: Int) throws(GeometryTextError) -> Geometry {
    let start = offset
    let shape = try shape(try header(), depth: depth)
    do throws(GeometryError) {
      return try Geometry(shape, conversion)
    } catch {
      throw GeometryTextError(error, offset: start)
    }
  }

  private mutating func shape(
    _ header: Header, depth: Int
  ) throws(GeometryTextError) -> Geometry.Shape {
    switch header.type {
    case _ where header.type.isCurved: return try curvedShape(header)
    case .point: return .point(try position(header))
    case .lineString: return .lineString(try positions(header))
    case .polygon: return .polygon(try rings(header))
    case .multiPoint:
      return .multiPoint(
        try parts(header, .point) { (reader, part) throws(GeometryTextError) in
          try reader.position(part)
        }.compactMap(\.self))
    case .multiLineString:
      return .multiLineString(
        try parts(header, .lineString) { (reader, part) throws(GeometryTextError) in
          try reader.positions(part)
        })
    case .multiPolygon:
      return .multiPolygon(
        try parts(header, .polygon) { (reader, part) throws(GeometryTextError) in
          try reader.rings(part)
        })
    case .collection:
      guard depth < Geometry.maximumDepth else {
        throw error("at most \(Geometry.maximumDepth) levels of collections", "another one")
      }
      // A part has at least its header.
      let count = try count(header, of: "geometries", bytesEach: 5)
      var parts: [Geometry] = []
      for _ in 0..<count { parts.append(try geometry(depth: depth + 1)) }
      return .collection(parts)
    default: throw error("the type of a geometry", header.type.name)
    }
  }

  /// Reads the parts of a multi-geometry, each with a header of the expected type.
  private mutating func parts<Part>(
    _ header: Header, _ type: WKBType,
    _ read: (inout WKBReader, Header) throws(GeometryTextError) -> Part
  ) throws(GeometryTextError) -> [Part] {
    // A part has at least its header and a number of elements.
    let count = try count(header, of: "parts", bytesEach: 9)
    var parts: [Part] = []
    parts.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      let part = try self.header()
      guard part.type == type else { throw error("a \(type.name)", part.type.name, at: start) }
      parts.append(try read(&self, part))
    }
    return parts
  }

  mutating func rings(_ header: Header) throws(GeometryTextError) -> [[GeoPosition]] {
    let count = try count(header, of: "rings", bytesEach: 4)
    var rings: [[GeoPosition]] = []
    rings.reserveCapacity(count)
    for _ in 0..<count { rings.append(try positions(header)) }
    return rings
  }

  private mutating func positions(_ header: Header) throws(GeometryTextError) -> [GeoPosition] {
    let count = try count(header, of: "points", bytesEach: header.bytesPerPosition)
    var positions: [GeoPosition] = []
    positions.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      guard let position = try position(header) else {
        throw error(GeometryTextError.coordinatesInRange, "nan and nan", at: start)
      }
      positions.append(position)
    }
    return positions
  }

  /// Reads a position; nil for the two NaN coordinates of an empty point.
  private mutating func position(_ header: Header) throws(GeometryTextError) -> GeoPosition? {
    let start = offset
    let (x, y, z) = try coordinates(header)
    return x.isNaN && y.isNaN ? nil : try position(x, y, z, at: start)
  }

  /// Returns the position of coordinates; an altitude of NaN is none.
  func position(
    _ x: Double, _ y: Double, _ z: Double, at start: Int
  ) throws(GeometryTextError) -> GeoPosition {
    guard let position = GeoPosition(x, y, altitude: z.isNaN ? nil : z, conversion) else {
      throw error(GeometryTextError.coordinatesInRange, "\(x) and \(y)", at: start)
    }
    return position
  }

  /// Reads the coordinates of a position; the third is NaN without an altitude.
  mutating func coordinates(
    _ header: Header
  ) throws(GeometryTextError) -> (x: Double, y: Double, z: Double) {
    let x = try number(header.isBigEndian)
    let y = try number(header.isBigEndian)
    let z = header.hasAltitude ? try number(header.isBigEndian) : .nan
    if header.hasMeasure { _ = try number(header.isBigEndian) }
    return (x, y, z)
  }

  mutating func header() throws(GeometryTextError) -> Header {
    guard offset < bytes.count else { throw error("a geometry", "the end") }
    let order = bytes[offset]
    guard order <= 1 else { throw error("a byte order of 0 or 1", "\(order)") }
    offset += 1
    let isBigEndian = order == 0
    let start = offset
    let word = try word(isBigEndian)
    if word & WKBFlag.srid != 0 {
      let start = offset
      let system = try self.word(isBigEndian)
      guard system == 4326 || conversion?.degrees != nil else {
        throw error("SRID 4326", "\(system)", at: start)
      }
    }
    let code = word & 0x1FFF_FFFF
    guard code < 4000, let type = WKBType(rawValue: code % 1000) else {
      throw error("the type of a geometry, from 1 to 7", "\(code)", at: start)
    }
    return Header(
      isBigEndian: isBigEndian, type: type,
      hasAltitude: word & WKBFlag.altitude != 0 || code / 1000 == 1 || code / 1000 == 3,
      hasMeasure: word & WKBFlag.measure != 0 || code / 1000 >= 2)
  }

  /// Reads a number of elements, or throws if the remaining bytes are too few for them.
  mutating func count(
    _ header: Header, of noun: String, bytesEach: Int
  ) throws(GeometryTextError) -> Int {
    let start = offset
    let count = Int(try word(header.isBigEndian))
    guard count <= (bytes.count - offset) / bytesEach else {
      throw error(
        "\(noun) in the remaining \(bytes.count - offset) bytes", "\(count) \(noun)", at: start)
    }
    return count
  }

  private mutating func word(_ isBigEndian: Bool) throws(GeometryTextError) -> UInt32 {
    let word = try load(UInt32.self)
    return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }

  private mutating func number(_ isBigEndian: Bool) throws(GeometryTextError) -> Double {
    let word = try load(UInt64.self)
    return Double(bitPattern: isBigEndian ? UInt64(bigEndian: word) : UInt64(littleEndian: word))
  }

  private mutating func load<Word: BitwiseCopyable>(
    _ type: Word.Type
  ) throws(GeometryTextError) -> Word {
    let size = MemoryLayout<Word>.size
    guard size <= bytes.count - offset else { throw error("\(size) bytes", "the end") }
    defer { offset += size }
    return bytes.loadUnaligned(fromByteOffset: offset, as: Word.self)
  }

  func error(
    _ expected: String, _ found: String, at offset: Int? = nil
  ) -> GeometryTextError {
    GeometryTextError(offset: offset ?? self.offset, expected: expected, found: found)
  }
}
