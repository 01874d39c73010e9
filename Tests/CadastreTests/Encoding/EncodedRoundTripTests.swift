import Cadastre
import CadastreTestSupport
import Foundation
import Testing

/// Random objects of all types of properties, through `encoded()` and JSON, are the same again.
@Suite struct EncodedRoundTripTests {
  enum Surface: Int, PersistableEnum { case grass = 3, asphalt = 7 }

  final class Link: Object {
    @Persisted(primaryKey: true) var id: ObjectId
    @Persisted var note: String?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Spot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Part: EmbeddedObject {
    @Persisted var title = ""
    @Persisted var shape: Geometry?
    @Persisted var next: Part?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class All: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted var flag = false
    @Persisted var int = 0
    @Persisted var tiny: Int8 = 0
    @Persisted var short: Int16?
    @Persisted var word: Int32 = 0
    @Persisted var long: Int64?
    @Persisted var float: Float = 0
    @Persisted var double = 0.0
    @Persisted var text = ""
    @Persisted var bytes = Data()
    @Persisted var date = Date(timeIntervalSince1970: 0)
    @Persisted var objectId: ObjectId?
    @Persisted var uuid: UUID?
    @Persisted var decimal: Decimal128 = 0
    @Persisted var shape: Geometry
    @Persisted var surface = Surface.grass
    @Persisted var celsius: Celsius?
    @Persisted var any: AnyRealmValue
    @Persisted var link: Link?
    @Persisted var spot: Spot?
    @Persisted var part: Part?
    @Persisted var doubles: List<Double>
    @Persisted var floats: List<Float?>
    @Persisted var shapes: List<Geometry>
    @Persisted var blobs: MutableSet<Data>
    @Persisted var surfaces: MutableSet<Surface>
    @Persisted var decimals: Map<String, Decimal128?>
    @Persisted var named: Map<String, Geometry?>
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var links: List<Link>
    @Persisted var parts: List<Part>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [All.self, Link.self, Spot.self, Part.self]))
  }

  @Test(arguments: Seeds.usual(1...40))
  func `encoded, written as JSON, read and created is the same`(seed: UInt64) throws {
    var maker = Maker(random: SeededGenerator(seed: seed))
    let source = try Self.realm()
    try source.write { for _ in 0..<5 { source.add(maker.object()) } }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "nan")
    for mode in [Realm.CheckingMode.lenient, .strict] {
      let target = try Self.realm()
      for object in source.objects(All.self) {
        let json = try encoder.encode(object.encoded())
        let value = try JSONSerialization.jsonObject(with: json)
        let copy = try target.write {
          try target.create(checking: All.self, value: value, update: .modified, mode: mode)
        }
        // The texts are equal exactly if the values of all properties are.
        let (made, wanted) = (
          try encoder.encode(copy.encoded(depth: 2)), try encoder.encode(object.encoded(depth: 2))
        )
        #expect(
          String(decoding: made, as: UTF8.self) == String(decoding: wanted, as: UTF8.self),
          "seed \(seed)")
        #expect(copy.double.bitPattern == object.double.bitPattern)
        #expect(copy.float.bitPattern == object.float.bitPattern)
        #expect(copy.doubles.map(\.bitPattern) == object.doubles.map(\.bitPattern))
        #expect(copy.shape == object.shape && copy.date == object.date)
      }
    }
  }

  /// Makes random objects.
  private struct Maker {
    var random: SeededGenerator

    mutating func object() -> All {
      let all = All()
      all.id = uuid()
      all.flag = random.oneIn(2)
      all.int = random.pick([0, .min, .max, random.below(1000)])
      all.tiny = random.pick([.min, 0, .max])
      all.short = random.oneIn(3) ? nil : random.pick([Int16.min, 7, .max])
      all.word = random.pick([.min, 0, .max])
      all.long = random.oneIn(3) ? nil : random.pick([Int64.min, 1 << 53 + 1, .max])
      all.float = float()
      all.double = double()
      all.text = text()
      all.bytes = data()
      all.date = date()
      all.objectId = random.oneIn(2) ? nil : ObjectId.generate()
      all.uuid = random.oneIn(2) ? nil : uuid()
      all.decimal = decimal()
      all.shape = random.geometry()
      all.surface = random.pick(Surface.allCases)
      all.celsius = random.oneIn(2) ? nil : Celsius(double())
      all.any = any(levels: 3)
      all.link = random.oneIn(2) ? nil : link()
      all.spot = random.oneIn(2) ? nil : spot()
      all.part = random.oneIn(2) ? nil : part(levels: 3)
      all.doubles.append(objectsIn: (0..<random.below(5)).map { _ in double() })
      for _ in 0..<random.below(5) { all.floats.append(random.oneIn(3) ? nil : float()) }
      all.shapes.append(objectsIn: (0..<random.below(4)).map { _ in random.geometry() })
      all.blobs.insert(objectsIn: (0..<random.below(4)).map { _ in data() })
      for _ in 0..<random.below(3) { all.surfaces.insert(random.pick(Surface.allCases)) }
      for index in 0..<random.below(4) {
        all.decimals.updateValue(random.oneIn(3) ? nil : decimal(), forKey: "key\(index)")
        all.named.updateValue(random.oneIn(3) ? nil : random.geometry(), forKey: "é\"\(index)")
      }
      all.anys.append(objectsIn: (0..<random.below(4)).map { _ in any(levels: 2) })
      all.links.append(objectsIn: (0..<random.below(3)).map { _ in link() })
      all.parts.append(objectsIn: (0..<random.below(3)).map { _ in part(levels: 1) })
      return all
    }

    private mutating func uuid() -> UUID {
      let (high, low) = (random.next(), random.next())
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: high >> (8 * $0)) }
      let others = (0..<8).map { UInt8(truncatingIfNeeded: low >> (8 * $0)) }
      return UUID(
        uuid: (
          bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], others[0],
          others[1], others[2], others[3], others[4], others[5], others[6], others[7]
        ))
    }

    /// A number apart from -0, which JSON loses, and NaN, which is no value of `==`.
    private mutating func double() -> Double {
      let any = Double(bitPattern: random.next())
      let number = random.pick([
        0.1, 1, -5, 1e300, .leastNonzeroMagnitude, .infinity, -.infinity, any.isNaN ? 2.5 : any,
        random.number(-200...200), -random.number(0...0.001),
      ])
      return number == 0 ? 0 : number
    }

    private mutating func float() -> Float {
      let any = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
      let number = random.pick([0.1, 1, -5, 1e30, .infinity, any.isNaN ? 2.5 : any])
      return number == 0 ? 0 : number
    }

    private mutating func text() -> String {
      random.pick(["", "a", "e\u{301}", "\u{1F5FA}", "\"\\/\n\t", "null", "2.5", "中文"])
    }

    private mutating func data() -> Data {
      Data((0..<random.below(6)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }

    /// A date in whole seconds, as ISO 8601 has them.
    private mutating func date() -> Date {
      Date(timeIntervalSince1970: Double(random.below(8_000_000_000) - 4_000_000_000))
    }

    private mutating func decimal() -> Decimal128 {
      random.pick(["0", "1.50", "-3E+7", "9.999999999999999999999999999999999E+6144", "1E-6176"])
    }

    private mutating func link() -> Link {
      let link = Link()
      link.id = ObjectId.generate()
      link.note = random.oneIn(2) ? nil : text()
      return link
    }

    private mutating func spot() -> Spot {
      let spot = Spot()
      spot.coordinates.append(objectsIn: [random.number(-180...180), random.number(-90...90)])
      return spot
    }

    private mutating func part(levels: Int) -> Part {
      let part = Part()
      part.title = text()
      part.shape = random.oneIn(2) ? nil : random.geometry()
      if levels > 0, random.oneIn(2) { part.next = self.part(levels: levels - 1) }
      return part
    }

    /// A value of a type that JSON names.
    private mutating func any(levels: Int) -> AnyRealmValue {
      switch random.below(levels > 0 ? 7 : 5) {
      case 0: return .none
      case 1: return .bool(random.oneIn(2))
      case 2: return .int(random.pick([.min, 0, .max]))
      case 3: return .double(random.number(1...2) + 0.000_000_1)
      case 4: return .string(text())
      case 5: return .fromArray((0..<random.below(4)).map { _ in any(levels: levels - 1) })
      default:
        var values: [String: AnyRealmValue] = [:]
        for index in 0..<random.below(4) { values["key\(index)"] = any(levels: levels - 1) }
        return .fromDictionary(values)
      }
    }
  }

  // `JSONSerialization` reads these as decimals, whose own `doubleValue` is a neighbour.
  @Test(arguments: ["-3.388997527505877e-05", "-53.14521156631318", "-1.9460922180413767e+70"])
  func `numbers of many digits are the nearest ones`(text: String) throws {
    let json = #"{"double": \#(text), "doubles": [\#(text)], "any": \#(text), "celsius": \#(text)}"#
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    let realm = try Self.realm()
    let all = try realm.write { try realm.create(checking: All.self, value: value) }
    let expected = try #require(Double(text))
    #expect(all.double == expected && Array(all.doubles) == [expected])
    #expect(all.any == .double(expected) && all.celsius?.degrees == expected)
  }

  @Test(
    arguments: [
      #"{"type": "Point", "coordinates": [200, 95]}"#, #"{"type": "Point"}"#, "{}",
      #"{"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}"#, "[1, 2]", "true",
      #"{"type": "Point", "coordinates": [true, false]}"#, #"{"type": 1, "coordinates": [1, 2]}"#,
    ])
  func `an object that is no geometry is an error`(json: String) throws {
    let shape = try JSONSerialization.jsonObject(
      with: Data(json.utf8), options: .fragmentsAllowed)
    let realm = try Self.realm()
    for (key, value) in [("shape", shape), ("shapes", [shape]), ("named", ["a": shape])]
      as [(String, Any)]
    {
      let error = #expect(throws: InvalidValueError.self) {
        try realm.write { try realm.create(checking: All.self, value: [key: value]) }
      }
      #expect(error?.expected.contains("as GeoJSON") == true, "\(error?.description ?? "")")
    }
    #expect(realm.objects(All.self).isEmpty)
  }

  @Test func `texts that name no number are no numbers`() throws {
    let realm = try Self.realm()
    for text in ["1e999", "1.5", "", "infinite", "0x1p3"] {
      #expect(throws: InvalidValueError.self, "\(text)") {
        try realm.write { try realm.create(checking: All.self, value: ["double": text]) }
      }
    }
    let all = try realm.write {
      try realm.create(checking: All.self, value: ["double": "nan", "float": "-infinity"])
    }
    #expect(all.double.isNaN && all.float == -.infinity)
  }
}
