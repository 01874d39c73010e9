/// A length on the Earth's surface, stored as a central angle in radians.
///
///     if let center = GeoPoint(latitude: 48.8566, longitude: 2.3522),
///       let radius = Distance.kilometers(100)
///     {
///       print(GeoCircle(center: center, radius: radius))
///     }
///
/// Lengths and angles are converted on a sphere with the radius ``earthRadiusMeters``.
public struct Distance: Hashable, Sendable, Codable {
  /// The radius of the reference sphere in metres: 6,378,100, as in Realm and MongoDB.
  public static let earthRadiusMeters = 6_378_100.0
  /// The length of an international mile in metres.
  public static let metersPerMile = 1_609.344

  /// The distance of a point from itself.
  public static let zero = Distance(uncheckedRadians: 0)

  /// The greatest distance, which is infinite.
  package static let greatest = Distance(uncheckedRadians: .infinity)

  /// The central angle in radians; 0 or more, possibly infinite.
  public let radians: Double

  /// Creates a distance from an angle of 0 or more, without a check.
  init(uncheckedRadians radians: Double) {
    self.radians = radians
  }

  /// Creates a distance from a length in kilometres.
  ///
  /// - Parameter kilometers: The length; 0 or more, possibly infinite.
  /// - Returns: Nil if the length is negative or NaN.
  public static func kilometers(_ kilometers: Double) -> Distance? {
    radians(kilometers * 1_000 / earthRadiusMeters)
  }

  /// Creates a distance from a length in international miles.
  ///
  /// - Parameter miles: The length; 0 or more, possibly infinite.
  /// - Returns: Nil if the length is negative or NaN.
  public static func miles(_ miles: Double) -> Distance? {
    radians(miles * metersPerMile / earthRadiusMeters)
  }

  /// Creates a distance from a central angle in degrees.
  ///
  /// - Parameter degrees: The angle; 0 or more, possibly infinite.
  /// - Returns: Nil if the angle is negative or NaN.
  public static func degrees(_ degrees: Double) -> Distance? {
    radians(degrees * .pi / 180)
  }

  /// Creates a distance from a central angle in radians.
  ///
  /// - Parameter radians: The angle; 0 or more, possibly infinite.
  /// - Returns: Nil if the angle is negative or NaN.
  public static func radians(_ radians: Double) -> Distance? {
    guard radians >= 0 else { return nil }
    return Distance(uncheckedRadians: radians)
  }

  /// Returns the length in kilometres.
  public func asKilometers() -> Double {
    asMeters() / 1_000
  }

  /// Returns the length in metres.
  public func asMeters() -> Double {
    radians * Self.earthRadiusMeters
  }

  /// Returns the length in international miles.
  public func asMiles() -> Double {
    asMeters() / Self.metersPerMile
  }

  /// Returns the central angle in degrees.
  public func asDegrees() -> Double {
    radians * 180 / .pi
  }

  /// Decodes a central angle in radians.
  ///
  /// - Parameter decoder: A decoder with a single number.
  /// - Throws: `DecodingError` if the value is not a number, or is negative.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let radians = try container.decode(Double.self)
    guard radians >= 0 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a distance is 0 radians or more, found \(radians)")
    }
    self.init(uncheckedRadians: radians)
  }

  /// Encodes the central angle in radians, as a single number.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: The errors of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(radians)
  }
}

extension Distance: Comparable {
  /// Returns whether the left distance is shorter than the right one.
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

/// A unit of distances on the Earth's surface, by its symbol in predicates and on the command line.
package enum DistanceUnit: String, Sendable, CaseIterable {
  /// Kilometres.
  case kilometers = "km"
  /// Metres.
  case meters = "m"
  /// International miles.
  case miles = "mi"
  /// Degrees of the central angle.
  case degrees = "deg"
  /// Radians of the central angle.
  case radians = "rad"

  /// Creates the unit with a symbol in any letter case; nil for other texts.
  package init?(symbol: String) { self.init(rawValue: symbol.lowercased()) }

  /// Returns a distance; nil if the number is negative or NaN.
  package func distance(_ number: Double) -> Distance? {
    switch self {
    case .kilometers: .kilometers(number)
    case .meters: .kilometers(number / 1000)
    case .miles: .miles(number)
    case .degrees: .degrees(number)
    case .radians: .radians(number)
    }
  }

  /// Parses a number with a unit, such as `50km`; a number alone is in radians.
  ///
  /// - Parameter text: The text; blanks before the unit are ignored.
  /// - Returns: The distance; nil for other texts.
  package static func distance(_ text: String) -> Distance? {
    let symbol = String(text.reversed().prefix { $0.isLetter }.reversed())
    let number = text.dropLast(symbol.count)
    guard let unit = symbol.isEmpty ? .radians : DistanceUnit(symbol: symbol),
      let value = Double(number.filter { $0 != " " }), value.isFinite
    else { return nil }
    return unit.distance(value)
  }
}
