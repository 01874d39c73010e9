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
