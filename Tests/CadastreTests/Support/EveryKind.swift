import Cadastre
import Foundation

enum Grade: String, PersistableEnum {
  case low, middle, high
}

/// Every type alone, optional and in every kind of collection.
class Every: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var any: AnyRealmValue
  @Persisted var grade: Grade
  @Persisted var optionalGrade: Grade?
  @Persisted var decimal: Decimal128
  @Persisted var optionalDecimal: Decimal128?
  @Persisted var bools: List<Bool>
  @Persisted var ints: List<Int>
  @Persisted var optionalInts: List<Int?>
  @Persisted var small: List<Int8>
  @Persisted var floats: List<Float>
  @Persisted var doubles: List<Double?>
  @Persisted var strings: List<String>
  @Persisted var optionalStrings: List<String?>
  @Persisted var blobs: List<Data>
  @Persisted var dates: List<Date>
  @Persisted var decimals: List<Decimal128>
  @Persisted var ids: List<ObjectId>
  @Persisted var uuids: List<UUID>
  @Persisted var anys: List<AnyRealmValue>
  @Persisted var grades: List<Grade>
  @Persisted var intSet: MutableSet<Int>
  @Persisted var stringSet: MutableSet<String>
  @Persisted var doubleSet: MutableSet<Double>
  @Persisted var dateSet: MutableSet<Date?>
  @Persisted var anySet: MutableSet<AnyRealmValue>
  @Persisted var decimalSet: MutableSet<Decimal128>
  @Persisted var intMap: Map<String, Int>
  @Persisted var stringMap: Map<String, String?>
  @Persisted var anyMap: Map<String, AnyRealmValue>
  @Persisted var link: Other?
  @Persisted var links: List<Other>
  @Persisted var linkSet: MutableSet<Other>
  @Persisted var linkMap: Map<String, Other?>
  @Persisted var spot: Spot?
  @Persisted var knot: Knot?
  @Persisted var knots: List<Knot>
  @Persisted var knotMap: Map<String, Knot?>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class Other: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var rank: Int?
  @Persisted var next: Other?
  @Persisted var friends: List<Other>
  @Persisted(originProperty: "link") var byLink: LinkingObjects<Every>
  @Persisted(originProperty: "links") var byList: LinkingObjects<Every>
  @Persisted(originProperty: "linkSet") var bySet: LinkingObjects<Every>
  @Persisted(originProperty: "linkMap") var byMap: LinkingObjects<Every>
  @Persisted(originProperty: "next") var byNext: LinkingObjects<Other>

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Stored in the row of its owner.
class Spot: EmbeddedObject {
  @Persisted var name = "spot"
  @Persisted var words: List<String>
  @Persisted var seen: Other?
  @Persisted var knot: Knot?
  @Persisted(originProperty: "spot") var owners: LinkingObjects<Every>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Has rows of its own, since it holds itself.
class Knot: EmbeddedObject {
  @Persisted var text = ""
  @Persisted var numbers: List<Int>
  @Persisted var next: Knot?
  @Persisted var more: List<Knot>
  @Persisted var seen: Other?
  @Persisted(originProperty: "knots") var owners: LinkingObjects<Every>

  convenience init(_ text: String) {
    self.init()
    self.text = text
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A file with these classes that vanishes with its last user.
final class EveryFile {
  let configuration: Realm.Configuration
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("cadastre-every-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    configuration = Realm.Configuration(
      fileURL: folder.appendingPathComponent("every.cadastre"), objectTypes: Self.types)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static let types: [ObjectBase.Type] = [Every.self, Other.self, Spot.self, Knot.self]

  var path: String { configuration.fileURL?.path ?? "" }

  func open() throws -> Realm { try Realm(configuration: configuration) }
}

func everyRealm() throws -> Realm {
  try Realm(
    configuration: Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: EveryFile.types))
}
