import Cadastre
import Foundation

/// One type in every kind of property.
final class Box<Value: RealmCollectionValue & OptionalPersistable & Codable>: Object, Codable {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var firstValue: Value
  @Persisted var optionalValue: Value?
  @Persisted var missingValue: Value?
  @Persisted var valueList: List<Value>
  @Persisted var optionalList: List<Value?>
  @Persisted var valueSet: MutableSet<Value>
  @Persisted var valueMap: Map<String, Value>
  @Persisted var optionalMap: Map<String, Value?>

  override class func className() -> String { "Box" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The same properties in a plain structure: what an encoder must write for a `Box`.
struct PlainBox<Value: Encodable>: Encodable {
  let id: Int
  let first: Value
  let optional: Value
  let list: [Value]
  let optionalList: [Value?]
  let set: [Value]
  let map: [String: Value]
  let optionalMap: [String: Value?]

  private enum CodingKeys: String, CodingKey {
    case id, firstValue, optionalValue, missingValue, valueList, optionalList, valueSet, valueMap
    case optionalMap
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(first, forKey: .firstValue)
    try container.encode(optional, forKey: .optionalValue)
    try container.encodeNil(forKey: .missingValue)
    try container.encode(list, forKey: .valueList)
    try container.encode(optionalList, forKey: .optionalList)
    try container.encode(set, forKey: .valueSet)
    try container.encode(map, forKey: .valueMap)
    try container.encode(optionalMap, forKey: .optionalMap)
  }
}

enum EncodedGrade: String, PersistableEnum, Codable { case low, high }

/// A type that is stored as a number.
struct Celsius: CustomPersistable, Codable {
  var degrees: Double

  init(_ degrees: Double) { self.degrees = degrees }

  init(persistedValue: Double) { degrees = persistedValue }

  init(from decoder: any Decoder) throws {
    degrees = try decoder.singleValueContainer().decode(Double.self)
  }

  var persistableValue: Double { degrees }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(degrees)
  }
}

/// Classes with links.
enum Linking {
  final class Spot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
    @Persisted var nearTo: Port?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Port: Object {
    @Persisted(primaryKey: true) var code: String
    @Persisted var spot: Spot?
    @Persisted var next: Port?
    @Persisted var others: List<Port>
    @Persisted var byName: Map<String, Port?>
    @Persisted var note: Note?
    @Persisted var notes: List<Note>
    @Persisted var mixed: AnyRealmValue
    @Persisted var nest: Nest?
    @Persisted(originProperty: "next") var previous: LinkingObjects<Port>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Note: Object {
    @Persisted var text = ""

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Nest: EmbeddedObject {
    @Persisted var inner: Nest?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class PortView: Projection<Port> {
    @Projected(\Port.code) var name
    @Projected(\Port.spot?.coordinates) var position
    @Projected(\Port.next?.code) var nextName
    @Projected(\Port.next) var nextPort
    @Projected(\Port.others.projectTo.code) var otherNames
    @Projected(\Port.mixed) var anything
  }

  static func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Spot.self, Port.self, Note.self, Nest.self]))
  }
}
