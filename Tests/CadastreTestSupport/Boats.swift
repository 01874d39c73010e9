package import CadastreModel
import Foundation

/// The schema and rows that all tests share: harbors, and boats with links to harbors.
package enum Boats {
  /// Every type that can be stored, with and without indexes, links, and embedded objects.
  package static let schema = Schema([spot, engine, harbor, boat])

  /// An embedded point in the form of GeoJSON.
  package static let spot = ObjectSchema(
    className: "Spot",
    properties: [
      Property(name: "type", type: .string),
      Property(name: "coordinates", type: .double, collection: .list),
    ], isEmbedded: true)

  private static let engine = ObjectSchema(
    className: "Engine",
    properties: [
      Property(name: "maker", type: .string, isIndexed: true),
      Property(name: "power", type: .int, isOptional: true),
      Property(name: "torque", type: .double),
      Property(name: "builtAt", type: .object, isOptional: true, objectClassName: "Spot"),
    ], isEmbedded: true)

  private static let harbor = ObjectSchema(
    className: "Harbor",
    properties: [
      Property(name: "code", type: .string, isPrimaryKey: true),
      Property(name: "name", type: .string),
      Property(name: "depth", type: .double),
      Property(name: "site", type: .object, isOptional: true, objectClassName: "Spot"),
    ])

  private static let boat = ObjectSchema(
    className: "Boat",
    properties: [
      Property(name: "id", type: .int, isPrimaryKey: true),
      Property(name: "name", type: .string, isOptional: true, isIndexed: true),
      Property(name: "log", type: .string),
      Property(name: "crew", type: .int, isIndexed: true),
      Property(name: "seats", type: .int, isOptional: true),
      Property(name: "length", type: .float, isOptional: true, isIndexed: true),
      Property(name: "draft", type: .double, isIndexed: true),
      Property(name: "fee", type: .double, isOptional: true),
      Property(name: "active", type: .bool, isIndexed: true),
      Property(name: "rented", type: .bool, isOptional: true),
      Property(name: "built", type: .date, isOptional: true, isIndexed: true),
      Property(name: "key", type: .objectId, isIndexed: true),
      Property(name: "uid", type: .UUID, isOptional: true, isIndexed: true),
      Property(name: "blob", type: .data, isOptional: true),
      Property(name: "engine", type: .object, isOptional: true, objectClassName: "Engine"),
      Property(name: "place", type: .object, isOptional: true, objectClassName: "Spot"),
      Property(name: "berth", type: .object, isOptional: true, objectClassName: "Harbor"),
      Property(name: "escort", type: .object, isOptional: true, objectClassName: "Boat"),
    ])

  /// The three harbors and five boats of the worked examples.
  package static let examples: PlainObjects = {
    var objects = PlainObjects(schema: schema)
    for harbor in exampleHarbors { objects.insert("Harbor", harbor) }
    for boat in exampleBoats { objects.insert("Boat", boat) }
    return objects
  }()

  /// An embedded point.
  package static func point(_ coordinates: Double..., type: String = "Point") -> Member {
    .embedded([
      "type": .value(.string(type)), "coordinates": .list(coordinates.map(Value.double)),
    ])
  }

  private static let exampleHarbors: [PlainObject] = [
    [
      "code": .value(.string("AAR")), "name": .value(.string("Århus")),
      "depth": .value(.double(9.5)), "site": point(10.2, 56.15),
    ],
    [
      "code": .value(.string("BGO")), "name": .value(.string("Bergen")),
      "depth": .value(.double(11)), "site": point(5.32, 60.39),
    ],
    [
      "code": .value(.string("CPH")), "name": .value(.string("Copenhagen")),
      "depth": .value(.double(8)),
    ],
  ]

  private static let exampleBoats: [PlainObject] = [
    [
      "id": .value(.int(1)), "name": .value(.string("Alma")), "crew": .value(.int(3)),
      "seats": .value(.int(4)), "length": .value(.float(7.5)), "draft": .value(.double(1.5)),
      "fee": .value(.double(10.5)), "active": .value(.bool(true)), "rented": .value(.bool(true)),
      "built": .value(.date(Timestamp(seconds: 988_675_200))),
      "key": .value(.objectId(ObjectId("000000000000000000000001"))),
      "uid": uuid("00000000-0000-0000-0000-000000000001"), "blob": .value(.data(Data("knot".utf8))),
      "log": .value(.string("Sailed north, wind strong")), "berth": .value(.link(ObjectKey(1))),
      "engine": .embedded([
        "maker": .value(.string("Volvo")), "power": .value(.int(90)), "torque": .value(.double(1)),
        "builtAt": point(11.97, 57.71),
      ]),
      "place": point(10.2, 56.15),
    ],
    [
      "id": .value(.int(2)), "name": .value(.string("alma")), "crew": .value(.int(0)),
      "draft": .value(.double(0)), "active": .value(.bool(false)),
      "key": .value(.objectId(ObjectId("000000000000000000000002"))),
      "log": .value(.string("wind calm")), "berth": .value(.link(ObjectKey(2))),
      "escort": .value(.link(ObjectKey(1))), "place": point(5.32, 60.39, 3),
    ],
    [
      "id": .value(.int(3)), "name": .value(.string("Bo*t")), "crew": .value(.int(12)),
      "seats": .value(.int(12)), "length": .value(.float(30)), "draft": .value(.double(3)),
      "fee": .value(.double(.nan)), "active": .value(.bool(true)), "rented": .value(.bool(false)),
      "built": .value(.date(Timestamp(seconds: -2, nanoseconds: 500_000_000))),
      "key": .value(.objectId(ObjectId("5f0000000000000000000003"))),
      "uid": uuid("3b241101-e2bb-4255-8caf-4136c566a961"), "blob": .value(.data(Data())),
      "log": .value(.string("northern lights")), "escort": .value(.link(ObjectKey(2))),
      "engine": .embedded(["maker": .value(.string("")), "torque": .value(.double(.nan))]),
      "place": point(200, 0),
    ],
    [
      "id": .value(.int(4)), "name": .value(.string("Ærø")), "crew": .value(.int(3)),
      "seats": .value(.int(0)), "length": .value(.float(9.25)), "draft": .value(.double(.nan)),
      "fee": .value(.double(10.5)), "active": .value(.bool(false)), "rented": .value(.bool(true)),
      "built": .value(.date(Timestamp(seconds: 988_675_200, nanoseconds: 1))),
      "key": .value(.objectId(ObjectId("5f0000000000000000000004"))),
      "uid": uuid("3b241101-e2bb-4255-8caf-4136c566a962"), "blob": .value(.data(Data("Knob".utf8))),
      "log": .value(.string("Wind from north")), "berth": .value(.link(ObjectKey(1))),
      "place": point(10.2, 56.15, type: "Polygon"),
    ],
    [
      "id": .value(.int(5)), "crew": .value(.int(7)), "length": .value(.float(.nan)),
      "draft": .value(.double(.infinity)), "fee": .value(.double(-3)),
      "active": .value(.bool(true)), "built": .value(.date(Timestamp(seconds: 0))),
      "key": .value(.objectId(ObjectId("ffffffffffffffffffffffff"))), "log": .value(.string("")),
      "berth": .value(.link(ObjectKey(3))), "escort": .value(.link(ObjectKey(5))),
    ],
  ]

  private static func uuid(_ text: String) -> Member {
    UUID(uuidString: text).map { .value(.uuid($0)) } ?? .value(.null)
  }
}
