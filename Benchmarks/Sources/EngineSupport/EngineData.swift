public import BenchmarkPlaces
public import Foundation

/// The input folder of an engine with `queries.json` and `places.csv`.
public struct EngineData: Sendable {
  /// The constants of the queries by name.
  public let queries: [String: EngineQuery]
  /// The number of places, whose ids begin with 1.
  public let count: Int
  private let folder: URL

  /// Reads the queries; the places are read on demand.
  public init(_ folder: URL) throws {
    struct Contents: Decodable {
      let count: Int
      let queries: [String: EngineQuery]
    }
    let data = try Data(contentsOf: folder.appendingPathComponent("queries.json"))
    let contents = try JSONDecoder().decode(Contents.self, from: data)
    (count, queries, self.folder) = (contents.count, contents.queries, folder)
  }

  /// Reads the places; the place at index 0 has the id 1.
  public func places() throws -> [Place] {
    let data = try Data(contentsOf: folder.appendingPathComponent("places.csv"))
    var places: [Place] = []
    places.reserveCapacity(count)
    data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        if let place = Self.place(rest[..<end]) { places.append(place) }
        rest = rest[(end + 1)...]
      }
    }
    return places
  }

  /// Parses a line; returns nil for the header.
  ///
  /// No field contains a comma.
  private static func place(_ line: UnsafeRawBufferPointer.SubSequence) -> Place? {
    let fields = line.split(separator: UInt8(ascii: ",")).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard fields.count == 7, let population = Int(fields[3]), let rating = Double(fields[4]),
      let longitude = Double(fields[5]), let latitude = Double(fields[6])
    else { return nil }
    return Place(
      name: fields[1], category: fields[2], population: population, rating: rating,
      longitude: longitude, latitude: latitude)
  }

  /// Returns a new place for single commits, the same for all engines.
  public func newPlace(_ number: Int) -> (id: Int, place: Place) {
    let place = Place(
      name: "new", category: "category 3", population: number, rating: 2.5,
      longitude: Double(number % 18_000) / 100, latitude: 45)
    return (count + 1 + number, place)
  }
}
