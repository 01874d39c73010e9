package import CadastreModel
import Foundation

/// Harbors, boats and their trips: every kind of collection, decimals, and values of any type.
package enum Fleet {
  /// The classes.
  package static let schema = Schema([Boats.spot, harbor, trip, boat])

  private static let harbor = ObjectSchema(
    className: "Harbor",
    properties: [
      Property(name: "code", type: .string, isPrimaryKey: true),
      Property(name: "name", type: .string),
      Property(name: "depth", type: .double),
      Property(name: "site", type: .object, isOptional: true, objectClassName: "Spot"),
      Property(name: "buoys", type: .object, collection: .list, objectClassName: "Spot"),
    ],
    computedProperties: [
      Property(
        name: "boats", type: .linkingObjects, objectClassName: "Boat",
        linkOriginPropertyName: "berth")
    ])

  private static let trip = ObjectSchema(
    className: "Trip",
    properties: [
      Property(name: "miles", type: .double),
      Property(name: "to", type: .object, isOptional: true, objectClassName: "Harbor"),
      Property(name: "stops", type: .string, collection: .list),
    ])

  private static let boat = ObjectSchema(
    className: "Boat",
    properties: [
      Property(name: "id", type: .int, isPrimaryKey: true),
      Property(name: "name", type: .string, isOptional: true),
      Property(name: "crew", type: .int),
      Property(name: "seats", type: .int, isOptional: true),
      Property(name: "length", type: .float, isOptional: true),
      Property(name: "draft", type: .double),
      Property(name: "active", type: .bool),
      Property(name: "rented", type: .bool, isOptional: true),
      Property(name: "built", type: .date, isOptional: true),
      Property(name: "fee", type: .decimal128, isOptional: true),
      Property(name: "key", type: .objectId),
      Property(name: "uid", type: .UUID, isOptional: true),
      Property(name: "blob", type: .data, isOptional: true),
      Property(name: "berth", type: .object, isOptional: true, objectClassName: "Harbor"),
      Property(name: "escort", type: .object, isOptional: true, objectClassName: "Boat"),
      Property(name: "marks", type: .int, collection: .list),
      Property(name: "notes", type: .string, isOptional: true, collection: .list),
      Property(name: "flags", type: .string, collection: .set),
      Property(name: "specs", type: .any, collection: .map),
      Property(
        name: "mates", type: .object, isOptional: true, collection: .map, objectClassName: "Boat"),
      Property(name: "trips", type: .object, collection: .list, objectClassName: "Trip"),
      Property(name: "extra", type: .any),
      Property(name: "log", type: .string, isFullTextIndexed: true),
    ])

  /// Three harbors, six trips and five boats.
  package static let examples: PlainObjects = {
    var objects = PlainObjects(schema: schema)
    for harbor in harbors { objects.insert("Harbor", harbor) }
    for trip in trips { objects.insert("Trip", trip) }
    for boat in boats { objects.insert("Boat", boat) }
    return objects
  }()

  private static let harbors: [PlainObject] = [
    [
      "code": string("AAR"), "name": string("Århus"), "depth": .value(.double(9.5)),
      "site": Boats.point(10.2, 56.15),
      "buoys": .embeddedList([buoy(10.2, 56.15), buoy(10.3, 56.2)]),
    ],
    [
      "code": string("BGO"), "name": string("Bergen"), "depth": .value(.double(11)),
      "site": Boats.point(5.32, 60.39),
      "buoys": .embeddedList([buoy(5.32, 60.39), buoy(10.2, 56.15)]),
    ],
    ["code": string("CPH"), "name": string("Copenhagen"), "depth": .value(.double(8))],
  ]

  private static let trips: [PlainObject] = [
    trip(12.5, to: 2, "x", "y"), trip(3, to: 3), trip(100, to: 1, "x"), trip(12.5, to: 1, "y"),
    trip(1, to: nil), trip(2, to: 3, "z"),
  ]

  private static let boats: [PlainObject] = [
    [
      "id": int(1), "name": string("Alma"), "crew": int(3), "seats": int(4),
      "length": .value(.float(7.5)), "draft": .value(.double(1.5)), "active": bool(true),
      "rented": bool(true), "built": .value(.date(Timestamp(seconds: 988_675_200))),
      "fee": .value(.decimal("10.5")),
      "key": .value(.objectId(ObjectId("000000000000000000000001"))),
      "uid": uuid("00000000-0000-0000-0000-000000000001"), "blob": .value(.data(Data("knot".utf8))),
      "berth": link(1), "marks": .list([.int(1), .int(2), .int(3)]),
      "notes": .list([.string("ok"), .null]), "flags": .list([.string("dk"), .string("eu")]),
      "specs": map(["color": .string("red"), "hp": .int(90)]),
      "mates": map(["left": .link(ObjectKey(3)), "right": .link(ObjectKey(4))]),
      "trips": links(1, 2), "extra": int(42), "log": string("Sailed north, wind strong"),
    ],
    [
      "id": int(2), "name": string("alma"), "crew": int(0), "draft": .value(.double(0)),
      "active": bool(false), "key": .value(.objectId(ObjectId("000000000000000000000002"))),
      "berth": link(2), "escort": link(1), "extra": string("42"), "log": string("wind calm"),
    ],
    [
      "id": int(3), "name": string("Bo*t"), "crew": int(12), "seats": int(12),
      "length": .value(.float(30)), "draft": .value(.double(3)), "active": bool(true),
      "rented": bool(false),
      "built": .value(.date(Timestamp(seconds: -2, nanoseconds: 500_000_000))),
      "fee": .value(.decimal("NaN")),
      "key": .value(.objectId(ObjectId("5f0000000000000000000003"))),
      "uid": uuid("3b241101-e2bb-4255-8caf-4136c566a961"), "blob": .value(.data(Data())),
      "escort": link(2), "marks": .list([.int(5), .int(5)]),
      "notes": .list([.string(""), .string("")]), "flags": .list([.string("no")]),
      "specs": map(["hp": .null]), "trips": links(3),
      "extra": .value(
        .list([.int(1), .list([.int(2), .int(3)]), .map(ValueMap([("k", .string("v"))]))])),
      "log": string("northern lights"),
    ],
    [
      "id": int(4), "name": string("Ærø"), "crew": int(3), "seats": int(0),
      "length": .value(.float(9.25)), "draft": .value(.double(.nan)), "active": bool(false),
      "rented": bool(true),
      "built": .value(.date(Timestamp(seconds: 988_675_200, nanoseconds: 1))),
      "fee": .value(.decimal("10.50")),
      "key": .value(.objectId(ObjectId("5f0000000000000000000004"))),
      "uid": uuid("3b241101-e2bb-4255-8caf-4136c566a962"), "blob": .value(.data(Data("Knob".utf8))),
      "berth": link(1), "marks": .list([.int(3)]), "notes": .list([.string("Ok")]),
      "flags": .list([.string("dk")]), "specs": map(["color": .string("Red")]),
      "mates": map(["left": .null]), "trips": links(4), "log": string("Wind from north"),
    ],
    [
      "id": int(5), "crew": int(7), "length": .value(.float(.nan)),
      "draft": .value(.double(.infinity)), "active": bool(true),
      "built": .value(.date(Timestamp(seconds: 0))), "fee": .value(.decimal("-3")),
      "key": .value(.objectId(ObjectId("ffffffffffffffffffffffff"))), "berth": link(3),
      "escort": link(5), "marks": .list([.int(10), .int(20)]), "notes": .list([.null]),
      "flags": .list([.string("eu")]),
      "specs": map(["color": .string("blue"), "hp": .double(12.5)]), "trips": links(5, 6),
      "extra": .value(.double(42)), "log": string(""),
    ],
  ]

  // MARK: Members in few words

  private static func int(_ value: Int64) -> Member { .value(.int(value)) }
  private static func bool(_ value: Bool) -> Member { .value(.bool(value)) }
  private static func string(_ value: String) -> Member { .value(.string(value)) }
  private static func link(_ key: Int64) -> Member { .value(.link(ObjectKey(key))) }
  private static func links(_ keys: Int64...) -> Member { .list(keys.map { .link(ObjectKey($0)) }) }
  private static func map(_ values: [String: Value]) -> Member {
    .map(ValueMap(values.map { ($0.key, $0.value) }))
  }
  private static func uuid(_ text: String) -> Member {
    UUID(uuidString: text).map { .value(.uuid($0)) } ?? .value(.null)
  }

  private static func trip(_ miles: Double, to harbor: Int64?, _ stops: String...) -> PlainObject {
    [
      "miles": .value(.double(miles)), "to": harbor.map(link) ?? .value(.null),
      "stops": .list(stops.map(Value.string)),
    ]
  }

  private static func buoy(_ longitude: Double, _ latitude: Double) -> PlainObject {
    [
      "type": string("Point"), "coordinates": .list([.double(longitude), .double(latitude)]),
    ]
  }
}
