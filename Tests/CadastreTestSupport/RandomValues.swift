package import CadastreGeometry
package import CadastreModel
import Foundation

/// A generator of random stored values with many edge cases.
package struct RandomValues {
  package var random: SeededGenerator

  package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// The types of single values.
  package static let scalarTypes = PropertyType.allCases.filter {
    ![.object, .linkingObjects, .any].contains($0)
  }

  /// Returns a value of a type; for `any` a value of any type, or a list or a map of such values.
  package mutating func value(_ type: PropertyType, levels: Int = 3) -> Value {
    switch type {
    case .bool: .bool(random.oneIn(2))
    case .int: .int(random.pick([0, 1, -1, .max, .min, 1 << 53 + 1, Int64(random.below(6))]))
    case .float: .float(float())
    case .double: .double(double())
    case .string: .string(text())
    case .data: .data(data())
    case .date: .date(date())
    case .objectId: .objectId(ObjectId(bytes: bytes(12)))
    case .UUID: UUID(uuidString: uuidText()).map(Value.uuid) ?? .null
    case .decimal128: .decimal(decimal())
    case .geometry: .geometry(random.geometry())
    case .any: any(levels: levels)
    case .object, .linkingObjects: .null
    }
  }

  private mutating func float() -> Float {
    random.pick([
      0, -0.0, 1, 0.1, .infinity, -.infinity, .nan, Float(bitPattern: 0x7F80_0001),
      Float(bitPattern: 0xFFC0_1234), .leastNonzeroMagnitude, Float(random.below(5)),
      Float(bitPattern: UInt32(truncatingIfNeeded: random.next())),
    ])
  }

  private mutating func double() -> Double {
    random.pick([
      0, -0.0, 1, 0.1, .infinity, -.infinity, .nan, Double(bitPattern: 0x7FF0_0000_0000_0001),
      Double(bitPattern: 0xFFF8_0000_DEAD_BEEF), .leastNonzeroMagnitude, 0x1p53, 0x1p63,
      Double(random.below(5)), Double(bitPattern: random.next()),
    ])
  }

  private mutating func decimal() -> Decimal128 {
    let text = random.pick([
      "0", "-0", "0E-7", "1.5", "1.50", "1.500E+3", "NaN", "Infinity", "-Infinity", "3",
      "9.999999999999999999999999999999999E+6144", "1E-6176", "0.1", "\(random.below(9)).0",
    ])
    return Decimal128(parsing: text) ?? Decimal128()
  }

  package mutating func text() -> String {
    random.pick([
      "", "a", "b", "\0", "a\0b", "🗺", "e\u{301}", "\u{e9}", "\u{10FFFF}", "\r\n\t", "\"\\/",
      "{\"$",
      "\(random.below(40))",
    ])
  }

  private mutating func data() -> Data {
    random.oneIn(3) ? Data() : Data(random.pick([bytes(1), Array("a".utf8), bytes(12), bytes(16)]))
  }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(random.below(256)) }
  }

  private mutating func uuidText() -> String {
    var digits = bytes(16).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    for place in [10, 8, 6, 4] { digits.insert("-", at: place) }
    return digits.joined()
  }

  private mutating func date() -> Timestamp {
    random.pick([
      Timestamp(seconds: 0), Timestamp(seconds: -1, nanoseconds: 999_999_999),
      Timestamp(seconds: 9_223_372_036, nanoseconds: 854_775_807),
      Timestamp(
        seconds: Int64(random.below(2_000_000_000)), nanoseconds: Int64(random.below(1_000_000_000))
      ),
      Timestamp(Date.distantPast), Timestamp(Date.distantFuture),
      Timestamp(Date(timeIntervalSinceReferenceDate: 15_746_918_400.0.nextUp)),
      Timestamp(Date(timeIntervalSinceReferenceDate: -1e17)),
    ])
  }

  private mutating func any(levels: Int) -> Value {
    guard levels > 0, random.oneIn(3) else {
      return random.oneIn(10) ? .null : value(random.pick(Self.scalarTypes))
    }
    let count = random.below(4)
    if random.oneIn(2) { return .list((0..<count).map { _ in any(levels: levels - 1) }) }
    return .map(ValueMap((0..<count).map { _ in (key(), any(levels: levels - 1)) }))
  }

  /// Returns a valid key of a map.
  package mutating func key() -> String {
    random.pick(["", "a", "b", "k\0", "e\u{301}", "\u{e9}", "🗝", "a$", "\(random.below(20))"])
  }
}

extension SeededGenerator {
  /// Returns a geometry of any type with few positions.
  ///
  /// Many are empty, at ±180° or at a pole, or share a position with others.
  package mutating func geometry(depth: Int = 0) -> Geometry {
    let hasAltitude = oneIn(6)
    let shape: Geometry.Shape =
      switch below(depth < 2 ? 8 : 7) {
      case 0: .point(oneIn(8) ? nil : position(hasAltitude))
      case 1: .lineString(line(hasAltitude))
      case 2: .polygon(rings(hasAltitude))
      case 3: .multiPoint((0..<below(4)).map { _ in position(hasAltitude) })
      case 4: .multiLineString((0..<below(3)).map { _ in line(hasAltitude) })
      case 5: .multiPolygon((0..<below(3)).map { _ in rings(hasAltitude) })
      case 6: .polygon(oneIn(4) ? [] : rings(hasAltitude))
      default: .collection((0..<below(4)).map { _ in geometry(depth: depth + 1) })
      }
    // The lines and rings are valid.
    return (try? Geometry(shape)) ?? Geometry()
  }

  private mutating func position(_ hasAltitude: Bool) -> GeoPosition {
    let longitude = oneIn(12) ? pick([-180, 180]) : Double(below(24) - 12) / 2
    let latitude = oneIn(20) ? pick([-90, 90]) : Double(below(24) - 12) / 2
    let altitude = hasAltitude && !oneIn(5) ? Double(below(200) - 100) : nil
    let fraction = oneIn(4) ? number(0...0.1) : 0
    return GeoPosition(
      longitude: min(180, longitude + fraction), latitude: min(90, latitude + fraction),
      altitude: altitude) ?? GeoPosition(GeoPoint.zero)
  }

  private mutating func line(_ hasAltitude: Bool) -> [GeoPosition] {
    (0..<below(4) + 2).map { _ in position(hasAltitude) }
  }

  /// Returns the rings of a random polygon, sometimes with a hole.
  private mutating func rings(_ hasAltitude: Bool) -> [[GeoPosition]] {
    var rings: [[GeoPosition]] = []
    for _ in 0...(oneIn(4) ? 1 : 0) {
      var ring = (0..<below(3) + 3).map { _ in position(hasAltitude) }
      ring.append(ring[0])
      rings.append(ring)
    }
    return rings
  }
}

extension GeoPoint {
  fileprivate static let zero: GeoPoint = {
    guard let point = GeoPoint(latitude: 0, longitude: 0) else { fatalError("0, 0 is a point") }
    return point
  }()
}
