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

  /// Creates the unit with a symbol in any letter case; nil if there is none.
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
  /// - Returns: The distance; nil if the text is none.
  package static func distance(_ text: String) -> Distance? {
    let symbol = String(text.reversed().prefix { $0.isLetter }.reversed())
    let number = text.dropLast(symbol.count)
    guard let unit = symbol.isEmpty ? .radians : DistanceUnit(symbol: symbol),
      let value = Double(number.filter { $0 != " " }), value.isFinite
    else { return nil }
    return unit.distance(value)
  }
}
