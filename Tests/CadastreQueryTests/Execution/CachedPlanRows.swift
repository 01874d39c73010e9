import CadastreModel
import CadastreTestSupport

/// The ships of the tests of cached plans: a property of each type, indexes on some, and a link to a port.
enum CachedPlanRows {
  /// Returns a schema that shares no resolved path and no plan with others.
  static func schema() -> Schema { Schema(classes.objectSchema) }

  private static let classes = Schema([Boats.spot, gear, port, ship])

  private static let gear = ObjectSchema(
    className: "Gear",
    properties: [
      Property(name: "maker", type: .string, isIndexed: true),
      Property(name: "power", type: .int, isOptional: true),
    ], isEmbedded: true)

  private static let port = ObjectSchema(
    className: "Port",
    properties: [
      Property(name: "code", type: .string, isPrimaryKey: true),
      Property(name: "depth", type: .double),
    ])

  private static let ship = ObjectSchema(
    className: "Ship",
    properties: [
      Property(name: "id", type: .int, isPrimaryKey: true),
      Property(name: "crew", type: .int, isIndexed: true),
      Property(name: "seats", type: .int, isOptional: true),
      Property(name: "length", type: .float, isOptional: true, isIndexed: true),
      Property(name: "draft", type: .double, isIndexed: true),
      Property(name: "fee", type: .decimal128, isOptional: true),
      Property(name: "name", type: .string, isOptional: true, isIndexed: true),
      Property(name: "note", type: .string),
      Property(name: "active", type: .bool, isIndexed: true),
      Property(name: "rented", type: .bool, isOptional: true),
      Property(name: "built", type: .date, isOptional: true, isIndexed: true),
      Property(name: "key", type: .objectId, isIndexed: true),
      Property(name: "uid", type: .UUID, isOptional: true),
      Property(name: "blob", type: .data, isOptional: true),
      Property(name: "area", type: .geometry, isOptional: true),
      Property(name: "extra", type: .any),
      Property(name: "marks", type: .int, collection: .list),
      Property(name: "visits", type: .object, collection: .list, objectClassName: "Port"),
      Property(name: "gear", type: .object, isOptional: true, objectClassName: "Gear"),
      Property(name: "place", type: .object, isOptional: true, objectClassName: "Spot"),
      Property(name: "port", type: .object, isOptional: true, objectClassName: "Port"),
    ])

  /// Returns random ports and ships.
  static func objects(
    _ schema: Schema, ports: Int, ships: Int, _ random: inout SeededGenerator
  ) -> PlainObjects {
    var objects = PlainObjects(schema: schema)
    for number in 0..<ports {
      objects.insert(
        "Port", ["code": .value(.string("P\(number)")), "depth": .value(random.value(.double))])
    }
    for number in 0..<ships { objects.insert("Ship", ship(number, ports: ports, &random)) }
    return objects
  }

  /// Returns a random ship.
  static func ship(_ number: Int, ports: Int, _ random: inout SeededGenerator) -> PlainObject {
    var object = random.object(ship, in: classes)
    object["id"] = .value(.int(Int64(number)))
    object["marks"] = .list((0..<random.below(4)).map { _ in random.value(.int) })
    object["visits"] = .list(
      (0..<random.below(4)).map { _ in .link(ObjectKey(Int64(random.below(ports)) + 1)) })
    object["port"] =
      random.oneIn(4) ? .value(.null) : .value(.link(ObjectKey(Int64(random.below(ports)) + 1)))
    return object
  }
}
