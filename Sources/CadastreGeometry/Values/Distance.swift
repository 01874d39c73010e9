/// A length on the Earth's surface, kept as the angle it spans at the centre.
///
/// Lengths and angles are exchanged on a sphere of `earthRadiusMeters`.
public struct Distance: Hashable, Sendable, Codable {
  /// The radius of the sphere that all lengths refer to: 6,378,100 m, as in Realm and MongoDB.
  public static let earthRadiusMeters = 6_378_100.0
  /// The international mile.
  public static let metersPerMile = 1_609.344

  /// The angle at the centre of the sphere; 0 or more, possibly infinite.
  public let radians: Double

  /// Keeps an angle that is known to be a number and not negative.
  init(uncheckedRadians radians: Double) {
    self.radians = radians
  }

  /// A length in kilometres; nil if negative or not a number.
  public static func kilometers(_ kilometers: Double) -> Distance? {
    radians(kilometers * 1_000 / earthRadiusMeters)
  }

  /// A length in international miles; nil if negative or not a number.
  public static func miles(_ miles: Double) -> Distance? {
    radians(miles * metersPerMile / earthRadiusMeters)
  }

  /// An angle in degrees; nil if negative or not a number.
  public static func degrees(_ degrees: Double) -> Distance? {
    radians(degrees * .pi / 180)
  }

  /// An angle in radians; nil if negative or not a number.
  public static func radians(_ radians: Double) -> Distance? {
    guard radians >= 0 else { return nil }
    return Distance(uncheckedRadians: radians)
  }

  /// The length in kilometres.
  public func asKilometers() -> Double {
    asMeters() / 1_000
  }

  /// The length in metres.
  public func asMeters() -> Double {
    radians * Self.earthRadiusMeters
  }

  /// The length in international miles.
  public func asMiles() -> Double {
    asMeters() / Self.metersPerMile
  }

  /// The angle in degrees.
  public func asDegrees() -> Double {
    radians * 180 / .pi
  }

  /// Reads an angle in radians.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let radians = try container.decode(Double.self)
    guard radians >= 0 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a distance is 0 radians or more, found \(radians)")
    }
    self.init(uncheckedRadians: radians)
  }

  /// Writes the angle in radians.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(radians)
  }
}

extension Distance: Comparable {
  /// Whether the left distance is the shorter one.
  public static func < (left: Distance, right: Distance) -> Bool {
    left.radians < right.radians
  }
}

extension Distance: CustomStringConvertible {
  /// The length in kilometres, with its unit.
  public var description: String {
    "\(asKilometers()) km"
  }
}
