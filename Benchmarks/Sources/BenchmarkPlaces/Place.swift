import Foundation

/// A synthetic populated place near a real city.
public struct Place: Sendable {
  /// The name of the city.
  public var name: String
  /// One of 20 categories; lower numbers are more frequent.
  public var category: String
  /// The population of the city.
  public var population: Int
  /// The rating from 0 to 5, in steps of 0.1.
  public var rating: Double
  /// The longitude in degrees.
  public var longitude: Double
  /// The latitude in degrees.
  public var latitude: Double

  /// Creates a place.
  public init(
    name: String, category: String, population: Int, rating: Double, longitude: Double,
    latitude: Double
  ) {
    (self.name, self.category, self.population) = (name, category, population)
    (self.rating, self.longitude, self.latitude) = (rating, longitude, latitude)
  }
}

/// A generator of places: cities, repeated cyclically, each moved by about 0.2 degrees.
///
/// The same count, file and seed generate the same places, bit for bit.
public struct PlaceGenerator {
  private struct City {
    let name: String
    let population: Int
    let longitude: Double
    let latitude: Double
  }

  private let cities: [City]
  private var random: SplitMix64

  /// Reads `Datasets/cities/cities500.csv`, which `fetch.py` in that folder writes.
  public init(cities path: String, seed: UInt64 = 1) throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let columns = lines.first?.split(separator: ",").map(String.init) ?? []
    let indexes = ["name", "population", "longitude", "latitude"].map {
      columns.firstIndex(of: $0) ?? 0
    }
    cities = lines.dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      // The few quoted names with a comma are skipped.
      guard fields.count == columns.count, let population = Int(fields[indexes[1]]),
        let longitude = Double(fields[indexes[2]]), let latitude = Double(fields[indexes[3]])
      else { return nil }
      return City(
        name: String(fields[indexes[0]]), population: population, longitude: longitude,
        latitude: latitude)
    }
    random = SplitMix64(state: seed)
  }

  /// Returns the next places.
  public mutating func places(_ count: Int) -> [Place] {
    (0..<count).map { place(cities[$0 % cities.count]) }
  }

  private mutating func place(_ city: City) -> Place {
    var longitude = city.longitude + jitter()
    if longitude > 180 { longitude -= 360 }
    if longitude < -180 { longitude += 360 }
    let latitude = min(90, max(-90, city.latitude + jitter()))
    let fraction = random.unit()
    return Place(
      name: city.name, category: "category \(Int(fraction * fraction * 20))",
      population: city.population, rating: (random.unit() * 50).rounded() / 10,
      longitude: longitude, latitude: latitude)
  }

  /// Returns degrees with a mean of 0 and a standard deviation of 0.2: a sum of three uniform
  /// numbers.
  private mutating func jitter() -> Double {
    (random.unit() + random.unit() + random.unit() - 1.5) * 0.4
  }
}

/// The generator SplitMix64.
///
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
private struct SplitMix64 {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// Returns a number in the range 0..<1.
  mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }
}
