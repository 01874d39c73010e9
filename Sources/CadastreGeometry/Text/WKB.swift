// Well-known binary: Point, Polygon and MultiPolygon, longitude before latitude.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", section 8.2, for the ISO form; PostGIS,
// "doc/ZMSGeoms.txt", for the extended form (EWKB), which has flags for altitude, measure and SRID.
// Both byte orders are read; each part has its own, as the standard allows. Measures are ignored.

/// The variant of well-known binary: how it encodes altitudes and the reference system.
public enum WKBForm: Sendable, Hashable, CaseIterable {
  /// The OGC and ISO standard: 1000 is added to the type code for altitudes; no reference system.
  case iso
  /// EWKB of PostGIS: flags in the type code, followed by the SRID 4326.
  case extended
}

extension GeoShape {
  /// Reads a region from the well-known binary of a Polygon or MultiPolygon.
  ///
  /// Both forms and both byte orders are accepted.
  ///
  /// - Parameter bytes: The well-known binary.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the number of bytes.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    var reader = WKBReader(bytes)
    let geometry = try reader.geometry()
    guard let shape = geometry.shape else {
      throw GeometryTextError(offset: 0, expected: "a Polygon or MultiPolygon", found: "a Point")
    }
    self = shape
  }

  /// Returns the region as well-known binary.
  ///
  /// A box becomes the polygon of its corners in their given order. Altitudes are written for all
  /// points if at least one is not 0.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: Nil for a circle, for which the format has no type.
  /// - Complexity: O(n) in the number of points.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8]? {
    var writer = WKBWriter(form: form, isBigEndian: bigEndian)
    switch self {
    case .circle: return nil
    case .polygon(let polygon): writer.write(polygon, polygon.hasAltitude, isPart: false)
    case .box(let box):
      guard let corners = box.corners else { return nil }
      writer.write(corners, corners.hasAltitude, isPart: false)
    case .multiPolygon(let polygons):
      let hasAltitude = polygons.contains(where: \.hasAltitude)
      writer.writeHeader(.multiPolygon, hasAltitude, isPart: false)
      writer.write(UInt32(polygons.count))
      for polygon in polygons { writer.write(polygon, hasAltitude, isPart: true) }
    }
    return writer.bytes
  }
}

extension GeoPoint {
  /// Reads a point from the well-known binary of a Point.
  ///
  /// Both forms and both byte orders are accepted.
  ///
  /// - Parameter bytes: The well-known binary.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    var reader = WKBReader(bytes)
    guard let point = try reader.geometry().point else {
      throw GeometryTextError(offset: 0, expected: "a Point", found: "another geometry")
    }
    self = point
  }

  /// Reads a point that may be empty, which is encoded as two NaN coordinates.
  ///
  /// - Parameter bytes: The well-known binary of a Point.
  /// - Returns: Nil if the point is empty.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  package static func reading(
    wkb bytes: some Sequence<UInt8>
  ) throws(GeometryTextError) -> GeoPoint? {
    var reader = WKBReader(bytes)
    return try reader.isEmptyPoint() ? nil : GeoPoint(wkb: bytes)
  }

  /// Returns the point as well-known binary, with its altitude if that is not 0.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: The bytes of a Point.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8] {
    var writer = WKBWriter(form: form, isBigEndian: bigEndian)
    writer.writeHeader(.point, altitude != 0, isPart: false)
    writer.write(self, altitude != 0)
    return writer.bytes
  }
}

/// The type codes of the geometries that are read.
private enum WKBType: UInt32 {
  case point = 1
  case polygon = 3
  case multiPolygon = 6
}

/// The flags of the extended form.
private enum WKBFlag {
  static let altitude: UInt32 = 0x8000_0000
  static let measure: UInt32 = 0x4000_0000
  static let srid: UInt32 = 0x2000_0000
}

/// A reader of well-known binary; counts are checked against the remaining bytes before use.
private struct WKBReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The header of a geometry: byte order, type and the dimensions of its points.
  private struct Header {
    let isBigEndian: Bool
    let type: WKBType
    let hasAltitude: Bool
    let hasMeasure: Bool

    var bytesPerPoint: Int { 8 * (2 + (hasAltitude ? 1 : 0) + (hasMeasure ? 1 : 0)) }
  }

  /// Reads a geometry that takes all bytes.
  mutating func geometry() throws(GeometryTextError) -> GeometryText {
    let header = try header()
    let geometry: GeometryText
    switch header.type {
    case .point: geometry = .point(try point(header))
    case .polygon: geometry = .polygons([try polygon(header)], isMultiple: false)
    case .multiPolygon: geometry = .polygons(try polygons(header), isMultiple: true)
    }
    guard offset == bytes.count else {
      throw error("the end", "\(bytes.count - offset) bytes more")
    }
    return geometry
  }

  /// Returns whether the bytes are a Point without coordinates.
  mutating func isEmptyPoint() throws(GeometryTextError) -> Bool {
    let header = try header()
    guard header.type == .point else { return false }
    let (first, second) = (try number(header.isBigEndian), try number(header.isBigEndian))
    return first.isNaN && second.isNaN
  }

  private mutating func polygons(_ header: Header) throws(GeometryTextError) -> [GeoPolygon] {
    // A polygon has at least its header and the number of its rings.
    let count = try count(header, of: "polygons", bytesEach: 9)
    var polygons: [GeoPolygon] = []
    for _ in 0..<count {
      let start = offset
      let part = try self.header()
      guard part.type == .polygon else { throw error("a Polygon", "another geometry", at: start) }
      polygons.append(try polygon(part))
    }
    return polygons
  }

  private mutating func polygon(_ header: Header) throws(GeometryTextError) -> GeoPolygon {
    let start = offset
    var rings: [[GeoPoint]] = []
    for _ in 0..<(try count(header, of: "rings", bytesEach: 4)) {
      let count = try count(header, of: "points", bytesEach: header.bytesPerPoint)
      var ring: [GeoPoint] = []
      ring.reserveCapacity(count)
      for _ in 0..<count { ring.append(try point(header)) }
      rings.append(ring)
    }
    guard let exterior = rings.first,
      let polygon = GeoPolygon(outerRing: exterior, holes: Array(rings.dropFirst()))
    else { throw error(GeometryTextError.closedRings, "other rings", at: start) }
    return polygon
  }

  private mutating func point(_ header: Header) throws(GeometryTextError) -> GeoPoint {
    let start = offset
    let longitude = try number(header.isBigEndian)
    let latitude = try number(header.isBigEndian)
    let altitude = header.hasAltitude ? try number(header.isBigEndian) : 0
    if header.hasMeasure { _ = try number(header.isBigEndian) }
    guard
      let point = GeoPoint(
        latitude: latitude, longitude: longitude,
        altitude: GeometryText.altitude(altitude))
    else {
      throw error(
        GeometryTextError.coordinatesInRange, "\(longitude) and \(latitude)", at: start)
    }
    return point
  }

  private mutating func header() throws(GeometryTextError) -> Header {
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
      guard system == 4326 else { throw error("SRID 4326", "\(system)", at: start) }
    }
    let code = word & 0x1FFF_FFFF
    guard code < 4000, let type = WKBType(rawValue: code % 1000) else {
      throw error("the type of a Point, Polygon or MultiPolygon", "\(code)", at: start)
    }
    return Header(
      isBigEndian: isBigEndian, type: type,
      hasAltitude: word & WKBFlag.altitude != 0 || code / 1000 == 1 || code / 1000 == 3,
      hasMeasure: word & WKBFlag.measure != 0 || code / 1000 >= 2)
  }

  /// Reads a number of elements, or throws if the remaining bytes are too few for them.
  private mutating func count(
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
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Word.self) }
  }

  private func error(
    _ expected: String, _ found: String, at offset: Int? = nil
  ) -> GeometryTextError {
    GeometryTextError(offset: offset ?? self.offset, expected: expected, found: found)
  }
}

/// A writer of geometries as well-known binary.
private struct WKBWriter {
  let form: WKBForm
  let isBigEndian: Bool
  private(set) var bytes: [UInt8] = []

  init(form: WKBForm, isBigEndian: Bool) {
    self.form = form
    self.isBigEndian = isBigEndian
  }

  /// Writes byte order and type; the parts of a geometry do not repeat its reference system.
  mutating func writeHeader(_ type: WKBType, _ hasAltitude: Bool, isPart: Bool) {
    bytes.append(isBigEndian ? 0 : 1)
    switch form {
    case .iso: write(type.rawValue + (hasAltitude ? 1000 : 0))
    case .extended:
      let system = isPart ? 0 : WKBFlag.srid
      write(type.rawValue | system | (hasAltitude ? WKBFlag.altitude : 0))
      if !isPart { write(UInt32(4326)) }
    }
  }

  mutating func write(_ polygon: GeoPolygon, _ hasAltitude: Bool, isPart: Bool) {
    writeHeader(.polygon, hasAltitude, isPart: isPart)
    write(UInt32(polygon.rings.count))
    for ring in polygon.rings {
      write(UInt32(ring.count))
      for point in ring { write(point, hasAltitude) }
    }
  }

  mutating func write(_ point: GeoPoint, _ hasAltitude: Bool) {
    write(point.longitude)
    write(point.latitude)
    if hasAltitude { write(point.altitude) }
  }

  mutating func write(_ word: UInt32) {
    withUnsafeBytes(of: isBigEndian ? word.bigEndian : word.littleEndian) {
      bytes.append(contentsOf: $0)
    }
  }

  private mutating func write(_ number: Double) {
    let word = number.bitPattern
    withUnsafeBytes(of: isBigEndian ? word.bigEndian : word.littleEndian) {
      bytes.append(contentsOf: $0)
    }
  }
}
