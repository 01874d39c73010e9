import BenchmarkPlaces
import CadastreModel
import CadastreStore

extension CostBenchmark {
  /// Places with an ordered, a full-text and a spatial index, and a class without objects.
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
        Property(name: "name", type: .string, isFullTextIndexed: true),
        Property(name: "population", type: .int),
        Property(name: "number", type: .int, isIndexed: true),
        Property(name: "location", type: .object, isOptional: true, objectClassName: "Location"),
      ]),
    ObjectSchema(className: "Nothing", properties: [Property(name: "number", type: .int)]),
  ])

  /// Adds places whose property `number` has a different order than their keys.
  static func add(_ places: [Place], to file: StoreFile) throws {
    let transaction = try file.beginWrite()
    guard let layout = transaction.catalogue.layout("Place"),
      case .embedded(let location) = layout.fields[3], let point = location.point
    else { preconditionFailure("the schema has no location") }
    for (number, place) in places.enumerated() {
      var row = [Value](repeating: .null, count: layout.columns.count)
      row[0] = .string(place.name)
      row[1] = .int(Int64(place.population))
      row[2] = .int(Int64(number) * 7919 % Int64(places.count) + 1)
      row[location.presence] = .int(1)
      point.write(
        PointColumns.Content(type: "Point", coordinates: [place.longitude, place.latitude]),
        to: &row)
      _ = try transaction.insert("Place", row)
    }
    try transaction.commit()
  }
}
