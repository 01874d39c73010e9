import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation

/// A place of the tests, in plain Swift.
struct Place {
  var id: Int
  var name: String?
  var level: Int?
  var score: Double?
  var isOpen: Bool?
  var seen: Timestamp?
  /// Longitude and latitude; nil for none.
  var position: (x: Double, y: Double)?

  /// The object of the store.
  var object: PlainObject {
    func member<Content>(_ content: Content?, _ value: (Content) -> Value) -> Member {
      .value(content.map(value) ?? .null)
    }
    var object: PlainObject = [
      "secret": .value(.string("hidden-\(id)")), "id": .value(.int(Int64(id))),
      "name": member(name, Value.string), "level": member(level) { .int(Int64($0)) },
      "score": member(score, Value.double), "open": member(isOpen, Value.bool),
      "seen": member(seen, Value.date),
      "detail": .embedded([
        "floor": .value(.int(Int64(id % 5))), "code": .value(.string("code-\(id)")),
      ]),
    ]
    if let position { object["location"] = Boats.point(position.x, position.y) }
    return object
  }

  /// Random places; some fields are null, and a sixth is near the meridian of 180°.
  static func random(_ count: Int, seed: UInt64) -> [Place] {
    var random = SeededGenerator(seed: seed)
    let names = ["Ada", "ada", "Bo", "Café", "x_y", "100%", "a*b", "O'Neil"]
    return (1...count).map { id in
      let x =
        random.oneIn(6)
        ? random.pick([-1, 1]) * random.number(175...180) : random.number(-180...180)
      return Place(
        id: id, name: random.oneIn(5) ? nil : random.pick(names),
        level: random.oneIn(4) ? nil : random.below(6),
        score: random.oneIn(4) ? nil : Double(random.below(9)) / 2,
        isOpen: random.oneIn(3) ? nil : random.oneIn(2),
        seen: random.oneIn(4)
          ? nil : Timestamp(seconds: Int64(1_577_836_800 + random.below(40) * 86_400)),
        position: random.oneIn(10) ? nil : (x, random.number(-84...84)))
    }
  }
}

/// The classes of the tests.
enum PlaceSchema {
  static let schema = Schema([
    ObjectSchema(
      className: "Spot",
      properties: [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Detail",
      properties: [
        Property(name: "floor", type: .int), Property(name: "code", type: .string),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Account",
      properties: [
        Property(name: "number", type: .string, isPrimaryKey: true),
        Property(name: "site", type: .object, isOptional: true, objectClassName: "Spot"),
      ]),
    ObjectSchema(
      className: "Place",
      properties: [
        Property(name: "secret", type: .string, isIndexed: true),
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "name", type: .string, isOptional: true, isIndexed: true),
        Property(name: "level", type: .int, isOptional: true),
        Property(name: "score", type: .double, isOptional: true),
        Property(name: "open", type: .bool, isOptional: true),
        Property(name: "seen", type: .date, isOptional: true),
        Property(name: "detail", type: .object, isOptional: true, objectClassName: "Detail"),
        Property(name: "location", type: .object, isOptional: true, objectClassName: "Spot"),
        Property(name: "owner", type: .object, isOptional: true, objectClassName: "Account"),
      ]),
    ObjectSchema(
      className: "Area",
      properties: [
        Property(name: "id", type: .int, isPrimaryKey: true),
        Property(name: "shape", type: .geometry, isOptional: true),
      ]),
  ])
}
