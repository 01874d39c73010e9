import Foundation
import Synchronization
import Testing

/// An airport, read from the CSV file without the program.
struct Airport: Equatable {
  var icao: String
  var name: String
  var city: String?
  var country: String
  var elevation: Double
  var latitude: Double
  var longitude: Double

  /// Returns the angular distance to a point, in radians, by the haversine formula.
  func angle(toLongitude otherLongitude: Double, latitude otherLatitude: Double) -> Double {
    let radians = Double.pi / 180
    let (first, second) = (latitude * radians, otherLatitude * radians)
    let haversine =
      pow(sin((second - first) / 2), 2)
      + cos(first) * cos(second) * pow(sin((otherLongitude - longitude) * radians / 2), 2)
    return 2 * asin(min(1, haversine.squareRoot()))
  }
}

/// The airports of the repository, as a file, as values and as a store.
enum Airports {
  static let csv = repository.appendingPathComponent("Datasets/airports/airports.csv").path
  static let aroundParis = "location GEOWITHIN geoCircle([2.3522, 48.8566], 0.0157)"
  static let predicate = "\(aroundParis) AND elevation > 300 AND country == 'FR'"

  /// All airports, in the order of the file.
  static let all: [Airport] = {
    let text = (try? String(contentsOfFile: csv, encoding: .utf8)) ?? ""
    return text.split(whereSeparator: \.isNewline).dropFirst().map { line in
      let fields = fields(line)
      return Airport(
        icao: fields[0], name: fields[2], city: fields[3].isEmpty ? nil : fields[3],
        country: fields[5], elevation: Double(fields[6]) ?? .nan,
        latitude: Double(fields[7]) ?? .nan, longitude: Double(fields[8]) ?? .nan)
    }
  }()

  /// The text of a file of the airports of some countries, which a debug build imports in a short time.
  static let smallCSV: String = {
    let rows = ((try? String(contentsOfFile: csv, encoding: .utf8)) ?? "")
      .split(whereSeparator: \.isNewline)
    let countries: Set<String> = ["FR", "DE", "CH", "BE", "NZ", "FJ", "?"]
    let some = zip(rows.dropFirst(), all).filter { row, airport in
      countries.contains(airport.country) || airport.elevation > 9000
    }
    return ([rows[0]] + some.map(\.0)).joined(separator: "\n") + "\n"
  }()

  /// The airports that match `predicate`.
  static let matches = all.filter {
    $0.angle(toLongitude: 2.3522, latitude: 48.8566) <= 0.0157 && $0.elevation > 300
      && $0.country == "FR"
  }

  /// Splits a row of CSV without line ends in fields.
  private static func fields(_ line: Substring) -> [String] {
    var fields = [""]
    var isQuoted = false
    for character in line {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: fields.append("")
      default: fields[fields.count - 1].append(character)
      }
    }
    return fields
  }

  /// Imports a file into a new store in a folder that the end of the process removes.
  private static func imported(
    _ file: (Scratch) throws -> String
  ) -> Result<(Scratch, Outcome), any Error> {
    Result {
      let folder = try Scratch()
      let outcome = try Program.run([
        "import", file(folder), "--store", folder.path("airports.cadastre"), "--into", "Airport",
        "--pk", "icao", "--index", "country", "--summary", "json",
      ])
      temporaryFolders.withLock { $0.append(folder.url.path) }
      atexit {
        for path in Airports.temporaryFolders.withLock({ $0 }) {
          try? FileManager.default.removeItem(atPath: path)
        }
      }
      return (folder, outcome)
    }
  }

  private static let shared = imported { _ in csv }
  private static let small = imported { try $0.csv(smallCSV) }
  private static let temporaryFolders = Mutex<[String]>([])

  /// Returns the path of the store, which is imported once; tests must not write to it.
  static func store() throws -> String { try shared.get().0.path("airports.cadastre") }

  /// Returns the path of the store of ``smallCSV``, which is imported once; tests must not write to it.
  static func smallStore() throws -> String { try small.get().0.path("airports.cadastre") }

  /// Returns the outcome of the import.
  static func importOutcome() throws -> Outcome { try shared.get().1 }
}
