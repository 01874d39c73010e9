// Well-known binary: Point, Polygon and MultiPolygon, longitude before latitude.
//
// Source: OGC 06-103r4, "Simple feature access, part 1", section 8.2, for the ISO form; PostGIS,
// "doc/ZMSGeoms.txt", for the extended form (EWKB), which marks altitude, measure and SRID by bits.
// Both byte orders are read, in each part by itself as the standard allows; measures are dropped.

/// How well-known binary says that points have an altitude, and which reference system is meant.
public enum WKBForm: Sendable, Hashable, CaseIterable {
  /// The standard: a thousand is added to the type of what has altitudes; no reference system.
  case iso
  /// PostGIS's: bits of the type, and the SRID 4326 after it.
  case extended
}

extension GeoShape {
  /// Reads a region from the bytes of a Polygon or MultiPolygon.
  ///
  /// - Throws: Where reading stopped, and what was expected there.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    var reader = WKBReader(bytes)
    let geometry = try reader.wholeGeometry()
    guard let shape = geometry.shape else {
      throw GeometryTextError(offset: 0, expected: "a Polygon or MultiPolygon", found: "a Point")
    }
    self = shape
  }

  /// The region as well-known binary; nil for a circle, which has none.
  ///
  /// A box is the polygon of its corners as given. All points have an altitude or none has.
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
      writer.writeHead(.multiPolygon, hasAltitude, isPart: false)
      writer.write(UInt32(polygons.count))
      for polygon in polygons { writer.write(polygon, hasAltitude, isPart: true) }
    }
    return writer.bytes
  }
}

extension GeoPoint {
  /// Reads a point from the bytes of a Point.
  ///
  /// - Throws: Where reading stopped, and what was expected there.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    var reader = WKBReader(bytes)
    guard let point = try reader.wholeGeometry().point else {
      throw GeometryTextError(offset: 0, expected: "a Point", found: "another geometry")
    }
    self = point
  }

  /// Reads a point that may be empty, which two coordinates that are not numbers say.
  ///
  /// - Parameter bytes: A Point.
  /// - Returns: The point; nil if it is empty.
  /// - Throws: Where reading stopped, and what was expected there.
  package static func reading(
    wkb bytes: some Sequence<UInt8>
  ) throws(GeometryTextError) -> GeoPoint? {
    var reader = WKBReader(bytes)
    return try reader.isEmptyPoint() ? nil : GeoPoint(wkb: bytes)
  }

  /// The point as well-known binary, with its altitude if that is not 0.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8] {
    var writer = WKBWriter(form: form, isBigEndian: bigEndian)
    writer.writeHead(.point, altitude != 0, isPart: false)
    writer.write(self, altitude != 0)
    return writer.bytes
  }
}

/// The numbers by which types are named.
private enum WKBType: UInt32 {
  case point = 1
  case polygon = 3
  case multiPolygon = 6
}

/// The bits of the extended form.
private enum WKBFlag {
  static let altitude: UInt32 = 0x8000_0000
  static let measure: UInt32 = 0x4000_0000
  static let srid: UInt32 = 0x2000_0000
}

/// Reads bytes from the front; no count in them is believed beyond the bytes that are there.
private struct WKBReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// What the bytes begin with: byte order, type and what points are made of.
  private struct Head {
    let isBigEndian: Bool
    let type: WKBType
    let hasAltitude: Bool
    let hasMeasure: Bool

    var bytesPerPoint: Int { 8 * (2 + (hasAltitude ? 1 : 0) + (hasMeasure ? 1 : 0)) }
  }

  mutating func wholeGeometry() throws(GeometryTextError) -> GeometryText {
    let head = try head()
    let geometry: GeometryText
    switch head.type {
    case .point: geometry = .point(try point(head))
    case .polygon: geometry = .polygons([try polygon(head)], isMultiple: false)
    case .multiPolygon: geometry = .polygons(try polygons(head), isMultiple: true)
    }
    guard offset == bytes.count else {
      throw error("the end", "\(bytes.count - offset) bytes more")
    }
    return geometry
  }

  /// Whether the bytes are a Point without coordinates.
  mutating func isEmptyPoint() throws(GeometryTextError) -> Bool {
    let head = try head()
    guard head.type == .point else { return false }
    let (first, second) = (try number(head.isBigEndian), try number(head.isBigEndian))
    return first.isNaN && second.isNaN
  }

  private mutating func polygons(_ head: Head) throws(GeometryTextError) -> [GeoPolygon] {
    // A polygon takes its head and the number of its rings at least.
    let count = try count(head, of: "polygons", bytesEach: 9)
    var polygons: [GeoPolygon] = []
    for _ in 0..<count {
      let start = offset
      let part = try self.head()
      guard part.type == .polygon else { throw error("a Polygon", "another geometry", at: start) }
      polygons.append(try polygon(part))
    }
    return polygons
  }

  private mutating func polygon(_ head: Head) throws(GeometryTextError) -> GeoPolygon {
    let start = offset
    var rings: [[GeoPoint]] = []
    for _ in 0..<(try count(head, of: "rings", bytesEach: 4)) {
      let count = try count(head, of: "points", bytesEach: head.bytesPerPoint)
      var ring: [GeoPoint] = []
      ring.reserveCapacity(count)
      for _ in 0..<count { ring.append(try point(head)) }
      rings.append(ring)
    }
    guard let shell = rings.first,
      let polygon = GeoPolygon(outerRing: shell, holes: Array(rings.dropFirst()))
    else {
      throw error(
        "rings of at least four points that end where they began", "other rings", at: start)
    }
    return polygon
  }

  private mutating func point(_ head: Head) throws(GeometryTextError) -> GeoPoint {
    let start = offset
    let longitude = try number(head.isBigEndian)
    let latitude = try number(head.isBigEndian)
    let altitude = head.hasAltitude ? try number(head.isBigEndian) : 0
    if head.hasMeasure { _ = try number(head.isBigEndian) }
    guard
      let point = GeoPoint(
        latitude: latitude, longitude: longitude,
        altitude: GeometryText.altitude(altitude))
    else {
      throw error(
        "a longitude from -180 to 180 and a latitude from -90 to 90",
        "\(longitude) and \(latitude)", at: start)
    }
    return point
  }

  private mutating func head() throws(GeometryTextError) -> Head {
    guard offset < bytes.count else { throw error("a geometry", "the end") }
    let order = bytes[offset]
    guard order <= 1 else { throw error("a byte order of 0 or 1", "\(order)") }
    offset += 1
    let isBigEndian = order == 0
    let start = offset
    let word = try word(isBigEndian)
    if word & WKBFlag.srid != 0 {
      let place = offset
      let system = try self.word(isBigEndian)
      guard system == 4326 else { throw error("SRID 4326", "\(system)", at: place) }
    }
    let code = word & 0x1FFF_FFFF
    guard code < 4000, let type = WKBType(rawValue: code % 1000) else {
      throw error("the type of a Point, Polygon or MultiPolygon", "\(code)", at: start)
    }
    return Head(
      isBigEndian: isBigEndian, type: type,
      hasAltitude: word & WKBFlag.altitude != 0 || code / 1000 == 1 || code / 1000 == 3,
      hasMeasure: word & WKBFlag.measure != 0 || code / 1000 >= 2)
  }

  /// A number of things that the bytes left have room for.
  private mutating func count(
    _ head: Head, of things: String, bytesEach: Int
  ) throws(GeometryTextError) -> Int {
    let start = offset
    let count = Int(try word(head.isBigEndian))
    guard count <= (bytes.count - offset) / bytesEach else {
      throw error(
        "\(things) in the \(bytes.count - offset) bytes left", "\(count) of them", at: start)
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
    _ expected: String, _ found: String, at place: Int? = nil
  ) -> GeometryTextError {
    GeometryTextError(offset: place ?? offset, expected: expected, found: found)
  }
}

/// Appends geometries to bytes.
private struct WKBWriter {
  let form: WKBForm
  let isBigEndian: Bool
  private(set) var bytes: [UInt8] = []

  init(form: WKBForm, isBigEndian: Bool) {
    self.form = form
    self.isBigEndian = isBigEndian
  }

  /// Writes byte order and type; parts of another geometry do not repeat its reference system.
  mutating func writeHead(_ type: WKBType, _ hasAltitude: Bool, isPart: Bool) {
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
    writeHead(.polygon, hasAltitude, isPart: isPart)
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
