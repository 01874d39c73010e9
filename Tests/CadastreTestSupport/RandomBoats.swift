package import CadastreModel
import Foundation

extension SeededGenerator {
  /// Returns a random value of a type, often one at the limits of the type.
  package mutating func value(_ type: PropertyType) -> Value {
    switch type {
    case .bool: .bool(oneIn(2))
    case .int: .int(oneIn(2) ? Int64(below(14)) - 3 : pick(Self.edgeIntegers))
    case .float: .float(oneIn(2) ? Float(below(20)) / 2 - 2 : pick(Self.edgeFloats))
    case .double: .double(oneIn(2) ? Double(below(20)) / 2 - 2 : pick(Self.edgeDoubles))
    case .string: .string(pick(Self.strings))
    case .data: .data(Data(pick(Self.strings).utf8.prefix(below(6))))
    case .date: .date(pick(Self.moments))
    case .objectId:
      .objectId(
        ObjectId(
          bytes: [0, 0xff, 0x5f, 0, 0, 0, 0, 0, 0, 0, 0].shuffled(
            using: &self) + [UInt8(below(3))]))
    case .UUID:
      UUID(bytes: [pick([0, 0x7f, 0xff])] + [UInt8](repeating: UInt8(below(3)), count: 15))
        .map(Value.uuid) ?? .null
    case .object, .linkingObjects: .link(ObjectKey(Int64(below(30)) + 1))
    case .decimal128: Decimal128(parsing: pick(Self.decimals)).map(Value.decimal) ?? .null
    case .geometry: .geometry(geometry())
    case .any: anyValue(depth: 0)
    }
  }

  /// Returns a random value for a property of any type.
  private mutating func anyValue(depth: Int) -> Value {
    let single: [PropertyType] = [
      .bool, .int, .float, .double, .string, .data, .date, .objectId, .UUID, .decimal128, .geometry,
    ]
    switch below(depth < 3 ? 8 : 5) {
    case 0: return .null
    case 5: return .list((0..<below(4)).map { _ in anyValue(depth: depth + 1) })
    case 6:
      let keys = (0..<below(4)).map { _ in pick(Self.strings).replacing(".", with: "") }
      return .map(ValueMap(keys.map { ($0, anyValue(depth: depth + 1)) }))
    default: return value(pick(single))
    }
  }

  private static let decimals = [
    "0", "-0", "1", "1.0", "1.50", "-2.5", "NaN", "Infinity", "-Infinity", "1E+6144", "1E-6176",
    "9999999999999999999999999999999999E+6111", "0.1", "3", "3.000", "9007199254740993",
  ]

  private static let edgeIntegers: [Int64] = [
    0, 1, -1, .max, .max - 1, .min, .min + 1, 1 << 53, 1 << 53 + 1, 1 << 53 - 1, -(1 << 53) - 1,
    1 << 62, 1 << 31,
  ]
  private static let edgeDoubles: [Double] = [
    0, -0.0, .nan, .infinity, -.infinity, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0x1p63 - 1024,
    .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, -2.5, 1e300,
  ]
  private static let edgeFloats: [Float] = [
    0, -0.0, .nan, .infinity, -.infinity, 0x1p24, 0x1p53, 0x1p63, 0.1, -2.5,
    .greatestFiniteMagnitude, .leastNonzeroMagnitude,
  ]
  package static let strings = [
    "", "a", "A", "ab", "alma", "Alma", "ALMA", "almanac", "Ærø", "ærø", "AERO", "Århus", "århus",
    "e\u{301}", "\u{e9}", "日本", "🚢", "a\0b", "Bo*t", "Bo?t", "x\u{10FFFF}", "x", "\u{D7FF}",
    "\u{E000}", "ЖУК", "жук", "'\"\\\n",
  ]
  private static let moments: [Timestamp] = [
    Timestamp(seconds: 0), Timestamp(seconds: -2, nanoseconds: 500_000_000),
    Timestamp(seconds: 988_675_200), Timestamp(seconds: 988_675_200, nanoseconds: 1),
    Timestamp(seconds: -1, nanoseconds: 999_999_999), Timestamp(seconds: 9_223_372_036),
    Timestamp(seconds: -9_223_372_036), Timestamp(Date.distantPast), Timestamp(Date.distantFuture),
  ]

  /// Returns a random position, or one at a pole or on the antimeridian.
  package mutating func place() -> (longitude: Double, latitude: Double) {
    switch below(8) {
    case 0: (pick([-180, 180, 179.5, -179.5]), number(-90...90))
    case 1: (number(-180...180), pick([-90, 90, 89.5, -89.5]))
    case 2: (pick([0, -0.0, 10.2, 1e-300]), pick([0, -0.0, 56.15, -1e-300]))
    default: (number(-180...180), asin(number(-1...1)) * 180 / .pi)
    }
  }

  /// Returns an embedded point, sometimes without a valid position.
  package mutating func spot() -> Member {
    let (longitude, latitude) = place()
    return switch below(16) {
    case 0: .value(.null)
    case 1: spot("Polygon", [longitude, latitude])
    case 2: spot("pOINT", [longitude, latitude])
    case 3: spot("Point", [longitude])
    case 4: spot("Point", [])
    case 5: spot("Point", [pick([200, -180.5, .nan, .infinity]), latitude])
    case 6: spot("Point", [longitude, latitude, pick([0, 5, .nan]), 7])
    case 7: spot("Point", [longitude, latitude, pick([0, -0.0, 3, .infinity])])
    case 8: spot(pick(Self.strings), [longitude, latitude])
    default: spot("Point", [longitude, latitude])
    }
  }

  private func spot(_ type: String, _ coordinates: [Double]) -> Member {
    .embedded([
      "type": .value(.string(type)), "coordinates": .list(coordinates.map(Value.double)),
    ])
  }

  /// Returns an object of a class, without links and without its primary key.
  package mutating func object(_ schema: ObjectSchema, in classes: Schema) -> PlainObject {
    var object: PlainObject = [:]
    for property in schema.properties where !property.isPrimaryKey {
      guard property.type == .object else {
        let isNull = property.isOptional && oneIn(4)
        object[property.name] = .value(isNull ? .null : value(property.type))
        continue
      }
      guard let target = classes.target(of: property), target.isEmbedded else { continue }
      if target.isPointShaped {
        object[property.name] = spot()
      } else if !oneIn(3) {
        object[property.name] = .embedded(self.object(target, in: classes))
      }
    }
    return object
  }

  /// Returns harbors and boats with many edge cases; some links are null, and some lead to the object itself.
  package mutating func fleet(harbors: Int, boats: Int) -> PlainObjects {
    var fleet = PlainObjects(schema: Boats.schema)
    for number in 0..<harbors { fleet.insert("Harbor", harbor(number)) }
    for number in 0..<boats { fleet.insert("Boat", boat(number, harbors: harbors, boats: boats)) }
    return fleet
  }

  package mutating func harbor(_ number: Int) -> PlainObject {
    guard let schema = Boats.schema["Harbor"] else { return [:] }
    var harbor = object(schema, in: Boats.schema)
    harbor["code"] = .value(.string("H\(number)"))
    return harbor
  }

  package mutating func boat(_ number: Int, harbors: Int, boats: Int) -> PlainObject {
    guard let schema = Boats.schema["Boat"] else { return [:] }
    var boat = object(schema, in: Boats.schema)
    boat["id"] = .value(.int(Int64(number)))
    if harbors > 0, !oneIn(4) {
      boat["berth"] = .value(.link(ObjectKey(Int64(below(harbors)) + 1)))
    }
    if boats > 0, !oneIn(3) { boat["escort"] = .value(.link(ObjectKey(Int64(below(boats)) + 1))) }
    return boat
  }
}
