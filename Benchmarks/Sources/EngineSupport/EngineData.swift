public import BenchmarkPlaces
public import Foundation

/// The folder that an engine is told of: `questions.json` and `places.csv`.
public struct EngineData: Sendable {
  /// What is asked, by name.
  public let questions: [String: EngineQuestion]
  /// The number of places, whose ids are 1 and up.
  public let count: Int
  private let folder: URL

  /// Reads the questions; places are read when they are needed.
  public init(_ folder: URL) throws {
    struct Contents: Decodable {
      let count: Int
      let questions: [String: EngineQuestion]
    }
    let data = try Data(contentsOf: folder.appendingPathComponent("questions.json"))
    let contents = try JSONDecoder().decode(Contents.self, from: data)
    (count, questions, self.folder) = (contents.count, contents.questions, folder)
  }

  /// Reads the places; that of index 0 has the id 1.
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

  /// A place of a line; nil for the header.
  ///
  /// No field has a comma in it.
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

  /// The place that is written one by one: all engines write the same.
  public func newPlace(_ number: Int) -> (id: Int, place: Place) {
    let place = Place(
      name: "new", category: "category 3", population: number, rating: 2.5,
      longitude: Double(number % 18_000) / 100, latitude: 45)
    return (count + 1 + number, place)
  }
}
