import BenchmarkPlaces
import CadastreModel
import CadastreStore
import Foundation

/// A store of places.
enum PlaceStore {
  static let schema = Schema([
    ObjectSchema(
      className: "Location",
      properties: [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Place",
      properties: [
        Property(name: "name", type: .string), Property(name: "category", type: .string),
        Property(name: "population", type: .int), Property(name: "rating", type: .double),
        Property(name: "location", type: .object, isOptional: true, objectClassName: "Location"),
      ]),
  ])

  /// Adds places in one transaction.
  ///
  /// - Parameters:
  ///   - places: The places.
  ///   - file: The store.
  /// - Returns: The seconds of the insertions, and the seconds of the commit, which builds the
  ///   index.
  /// - Throws: The first error of the store.
  static func add(_ places: [Place], to file: StoreFile) throws -> (adding: Double, commit: Double)
  {
    let transaction = try file.beginWrite()
    guard let layout = transaction.catalogue.layout("Place"),
      case .embedded(let location) = layout.fields[4], let point = location.point
    else { preconditionFailure("the schema has no location") }
    let adding = try seconds {
      for place in places {
        var row = [Value](repeating: .null, count: layout.columns.count)
        row[0] = .string(place.name)
        row[1] = .string(place.category)
        row[2] = .int(Int64(place.population))
        row[3] = .double(place.rating)
        row[location.presence] = .int(1)
        point.write(
          PointColumns.Content(type: "Point", coordinates: [place.longitude, place.latitude]),
          to: &row)
        _ = try transaction.insert("Place", row)
      }
    }
    return (adding, try seconds { try transaction.commit() })
  }
}

/// Returns the seconds that a closure takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let time = try ContinuousClock().measure(body).components
  return Double(time.seconds) + Double(time.attoseconds) / 1e18
}

/// Returns the median milliseconds of seven runs of a closure, after a warm-up.
func milliseconds(_ body: () throws -> Void) rethrows -> Double {
  try body()
  return try (0..<7).map { _ in try seconds(body) * 1000 }.sorted()[3]
}
