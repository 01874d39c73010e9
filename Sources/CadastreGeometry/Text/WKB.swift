extension Geometry {
  /// Reads a geometry of any type from well-known binary.
  ///
  /// Both forms and both byte orders are accepted. Empty parts of multi-geometries are dropped, and
  /// measures are ignored.
  ///
  /// - Parameter bytes: The well-known binary.
  /// - Throws: ``GeometryTextError`` with the offset of the first error.
  /// - Complexity: O(n) in the number of bytes.
  public init(wkb bytes: some Sequence<UInt8>) throws(GeometryTextError) {
    // A failure is returned, because `withUnsafeBytes` cannot throw a typed error from its closure.
    let result = Array(bytes).withUnsafeBytes { bytes in
      Result { () throws(GeometryTextError) in try Geometry(wkb: bytes) }
    }
    self = try result.get()
  }

  /// Reads a geometry of any type from well-known binary in memory, and converts its coordinates.
  package init(
    wkb bytes: UnsafeRawBufferPointer, converting conversion: GeometryConversion? = nil
  ) throws(GeometryTextError) {
    var reader = WKBReader(bytes, conversion)
    self = try reader.geometry()
  }

  /// Returns the geometry as well-known binary.
  ///
  /// Altitudes are written for all positions if at least one has an altitude; a position without one
  /// gets NaN, so that the geometry is read back unchanged.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: The bytes.
  /// - Complexity: O(n) in the number of positions.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8] {
    wkb(form, bigEndian, missingAltitude: .nan)
  }

  /// The well-known binary in exported files.
  ///
  /// Where some positions have an altitude, the others get 0, because some
  /// programs do not read NaN; files of GDAL have 0 too.
  ///
  /// - Complexity: O(n) in the number of positions.
  package var fileWKB: [UInt8] { wkb(.iso, false, missingAltitude: 0) }

  /// The type as in an error: `a Point`, `an empty Polygon`.
  fileprivate var typeWithArticle: String { (isEmpty ? "an empty " : "a ") + kind.rawValue }

  fileprivate func wkb(
    _ form: WKBForm, _ bigEndian: Bool, missingAltitude: Double
  ) -> [UInt8] {
    var writer = WKBWriter(
      form: form, isBigEndian: bigEndian, hasAltitude: hasAltitude,
      missingAltitude: missingAltitude)
    writer.write(shape)
    return writer.bytes
  }
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
    let geometry = try Geometry(wkb: bytes)
    guard let region = geometry.region else {
      throw GeometryTextError(
        offset: 0, expected: "a Polygon or MultiPolygon", found: geometry.typeWithArticle)
    }
    self = region
  }

  /// Returns the region as well-known binary.
  ///
  /// A box becomes the polygon of its corners in their order. Altitudes are written for all
  /// points if at least one is not 0.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: Nil for a circle, for which the format has no type.
  /// - Complexity: O(n) in the number of points.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8]? {
    geometry?.wkb(form, bigEndian, missingAltitude: 0)
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
    let geometry = try Geometry(wkb: bytes)
    guard let point = geometry.point else {
      throw GeometryTextError(offset: 0, expected: "a Point", found: geometry.typeWithArticle)
    }
    self = point
  }

  /// Returns the point as well-known binary, with its altitude unless it is 0.
  ///
  /// - Parameters:
  ///   - form: The variant of the format.
  ///   - bigEndian: Whether numbers begin with their most significant byte.
  /// - Returns: The bytes of a Point.
  public func wkb(_ form: WKBForm = .iso, bigEndian: Bool = false) -> [UInt8] {
    Geometry(self).wkb(form, bigEndian, missingAltitude: 0)
  }
}

/// The type codes of well-known binary.
enum WKBType: UInt32 {
  case point = 1
  case lineString = 2
  case polygon = 3
  case multiPoint = 4
  case multiLineString = 5
  case multiPolygon = 6
  case collection = 7
  case circularString = 8
  case compoundCurve = 9
  case curvePolygon = 10
  case multiCurve = 11
  case multiSurface = 12
  case polyhedralSurface = 15
  case triangulatedSurface = 16
  case triangle = 17

  /// Whether the type is a curve or a surface, which the model does not have.
  var isCurved: Bool { rawValue > WKBType.collection.rawValue }
}

/// The flags of the extended form.
enum WKBFlag {
  static let altitude: UInt32 = 0x8000_0000
  static let measure: UInt32 = 0x4000_0000
  static let srid: UInt32 = 0x2000_0000
}

extension WKBType {
  /// The name of the type, as in GeoJSON.
  var name: String {
    switch self {
    case .circularString: "CircularString"
    case .compoundCurve: "CompoundCurve"
    case .curvePolygon: "CurvePolygon"
    case .multiCurve: "MultiCurve"
    case .multiSurface: "MultiSurface"
    case .polyhedralSurface: "PolyhedralSurface"
    case .triangulatedSurface: "TIN"
    case .triangle: "Triangle"
    default: Geometry.Kind.allCases[Int(rawValue) - 1].rawValue
    }
  }
}

/// The variant of well-known binary: how it encodes altitudes and the reference system.
public enum WKBForm: Sendable, Hashable, CaseIterable {
  /// The OGC and ISO standard: 1000 is added to the type code for altitudes; no reference system.
  case iso
  /// EWKB of PostGIS: flags in the type code, followed by the SRID 4326.
  case extended
}

/// A writer of geometries as well-known binary.
///
/// Positions without an altitude are written with `missingAltitude` if others have one.
struct WKBWriter {
  private let form: WKBForm
  private let isBigEndian: Bool
  private let hasAltitude: Bool
  private let missingAltitude: Double
  private(set) var bytes: [UInt8] = []

  init(form: WKBForm, isBigEndian: Bool, hasAltitude: Bool, missingAltitude: Double) {
    self.form = form
    self.isBigEndian = isBigEndian
    self.hasAltitude = hasAltitude
    self.missingAltitude = missingAltitude
  }

  /// Writes a geometry with its header; the parts of a geometry do not repeat its reference system.
  mutating func write(_ shape: Geometry.Shape, isPart: Bool = false) {
    switch shape {
    case .point(let position):
      writeHeader(.point, isPart)
      if let position {
        write(position)
      } else {
        for _ in 0..<(hasAltitude ? 3 : 2) { write(Double.nan) }
      }
    case .lineString(let line):
      writeHeader(.lineString, isPart)
      write(line)
    case .polygon(let rings):
      writeHeader(.polygon, isPart)
      write(UInt32(rings.count))
      for ring in rings { write(ring) }
    case .multiPoint(let positions):
      writeParts(.multiPoint, positions.map { .point($0) }, isPart)
    case .multiLineString(let lines):
      writeParts(.multiLineString, lines.map { .lineString($0) }, isPart)
    case .multiPolygon(let polygons):
      writeParts(.multiPolygon, polygons.map { .polygon($0) }, isPart)
    case .collection(let members): writeParts(.collection, members.map(\.shape), isPart)
    }
  }

  private mutating func writeParts(_ type: WKBType, _ parts: [Geometry.Shape], _ isPart: Bool) {
    writeHeader(type, isPart)
    write(UInt32(parts.count))
    for part in parts { write(part, isPart: true) }
  }

  private mutating func writeHeader(_ type: WKBType, _ isPart: Bool) {
    bytes.append(isBigEndian ? 0 : 1)
    switch form {
    case .iso: write(type.rawValue + (hasAltitude ? 1000 : 0))
    case .extended:
      let system = isPart ? 0 : WKBFlag.srid
      write(type.rawValue | system | (hasAltitude ? WKBFlag.altitude : 0))
      if !isPart { write(UInt32(4326)) }
    }
  }

  private mutating func write(_ line: [GeoPosition]) {
    write(UInt32(line.count))
    for position in line { write(position) }
  }

  private mutating func write(_ position: GeoPosition) {
    write(position.longitude)
    write(position.latitude)
    if hasAltitude { write(position.altitude ?? missingAltitude) }
  }

  private mutating func write(_ word: UInt32) {
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
