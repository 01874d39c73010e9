import Cadastre
import Foundation

/// Models and structures for the tests of rows.
enum RowModels {
  enum Surface: String, PersistableEnum, Decodable { case asphalt, grass, water }

  /// An enumeration that only its raw value stores.
  enum Level: Int, Decodable { case low, high }

  final class Street: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var city: String?
    @Persisted var number = 0
  }

  final class Point: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
  }

  final class Site: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var height: Double?
    @Persisted var share: Float = 0
    @Persisted var small: Int8 = 0
    @Persisted var isOpen = false
    @Persisted var opened: Date?
    @Persisted var image: Data?
    @Persisted var uuid = UUID()
    @Persisted var price: Decimal128?
    @Persisted var key = ObjectId()
    @Persisted var surface: Surface?
    @Persisted var level = 0
    @Persisted var link: String?
    @Persisted var mixed: AnyRealmValue
    @Persisted var street: Street?
    @Persisted var point: Point?
    @Persisted var next: Site?
    @Persisted var tags: List<String>
    @Persisted var marks: MutableSet<Int>
    @Persisted var counts: Map<String, Int?>
    @Persisted var streets: List<Street>
    @Persisted var others: List<Site>
  }

  struct StreetRow: Decodable, Hashable, Sendable {
    var city: String?
    var number: Int

    init?(_ street: Street?) {
      guard let street else { return nil }
      (city, number) = (street.city, street.number)
    }
  }

  struct PointRow: Decodable, Hashable, Sendable {
    var type: String
    var coordinates: [Double]

    init?(_ point: Point?) {
      guard let point else { return nil }
      (type, coordinates) = (point.type, Array(point.coordinates))
    }
  }

  struct NextRow: Decodable, Hashable, Sendable {
    var id: Int
    var height: Double?
    var street: StreetRow?

    init?(_ site: Site?) {
      guard let site else { return nil }
      (id, height, street) = (site.id, site.height, StreetRow(site.street))
    }
  }

  /// Members that are all in columns.
  struct ColumnRow: Decodable, Hashable, Sendable {
    var id: Int
    var name: String
    var height: Double?
    var share: Float
    var small: Int8
    var isOpen: Bool
    var opened: Date?
    var image: Data?
    var uuid: UUID
    var price: Decimal128?
    var key: ObjectId
    var surface: Surface?
    var level: Level
    var link: URL?
    var city: String?
    var nextName: String?
    var nextNextCity: String?
    var street: StreetRow?
    var next: NextRow?

    enum CodingKeys: String, CodingKey {
      case id, name, height, share, small, isOpen, opened, image, uuid, price, key, surface, level
      case link, street, next
      case city = "street.city"
      case nextName = "next.name"
      case nextNextCity = "next.next.street.city"
    }

    init(_ site: Site) {
      (id, name, height) = (site.id, site.name, site.height)
      (share, small, isOpen) = (site.share, site.small, site.isOpen)
      (opened, image, uuid, price) = (site.opened, site.image, site.uuid, site.price)
      (key, surface, level) = (site.key, site.surface, site.level == 0 ? .low : .high)
      link = site.link.flatMap(URL.init(string:))
      (city, nextName) = (site.street?.city, site.next?.name)
      nextNextCity = site.next?.next?.street?.city
      (street, next) = (StreetRow(site.street), NextRow(site.next))
    }
  }

  /// Members in columns, and others that are in none.
  struct WholeRow: Decodable, Hashable, Sendable {
    var id: UInt
    var point: PointRow?
    var type: String?
    var tags: [String]
    var marks: Set<Int>
    var counts: [String: Int?]
    var streets: [StreetRow]
    var others: [NextRow]
    var nextTags: [String]?

    enum CodingKeys: String, CodingKey {
      case id, point, tags, marks, counts, streets, others
      case type = "point.type"
      case nextTags = "next.tags"
    }

    init(_ site: Site) {
      (id, point, type) = (UInt(site.id), PointRow(site.point), site.point?.type)
      (tags, marks) = (Array(site.tags), Set(site.marks))
      counts = Dictionary(site.counts.asKeyValueSequence().map { ($0.key, $0.value) }) { $1 }
      streets = site.streets.compactMap { StreetRow($0) }
      others = site.others.compactMap { NextRow($0) }
      nextTags = site.next.map { Array($0.tags) }
    }
  }

  static func realm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Site.self, Street.self, Point.self]))
  }

  /// A Realm with some sites of random content.
  static func filled(_ count: Int, seed: UInt64) throws -> Realm {
    let realm = try realm()
    var random = Random(state: seed)
    try realm.write {
      var sites: [Site] = []
      for id in 0..<count {
        let site = site(id, among: sites, &random)
        realm.add(site)
        sites.append(site)
      }
    }
    return realm
  }

  private static func site(_ id: Int, among sites: [Site], _ random: inout Random) -> Site {
    let site = Site()
    site.id = id * 2
    site.name = "name \(Int.random(in: 0..<20, using: &random))"
    site.height = random.oneIn(4) ? nil : Double.random(in: -1...1, using: &random)
    site.share = Float.random(in: 0...1, using: &random)
    site.small = Int8.random(in: Int8.min...Int8.max, using: &random)
    site.isOpen = Bool.random(using: &random)
    site.opened = random.oneIn(3) ? nil : Date(timeIntervalSince1970: Double(id) * 1e5)
    site.image = random.oneIn(3) ? nil : Data(repeating: UInt8(id % 256), count: id % 5)
    site.price = random.oneIn(3) ? nil : Decimal128(Int64(id))
    site.surface = random.oneIn(4) ? nil : Surface.allCases.randomElement(using: &random)
    site.level = id % 2
    site.link = random.oneIn(3) ? nil : "https://example.org/\(id)"
    site.street = random.oneIn(3) ? nil : street(&random)
    if !random.oneIn(3) {
      let point = Point()
      point.coordinates.append(objectsIn: [Double(id % 180), Double(id % 90)])
      site.point = point
    }
    site.next = random.oneIn(3) ? nil : sites.randomElement(using: &random)
    for index in 0..<Int.random(in: 0..<4, using: &random) {
      site.tags.append("tag \(index)")
      site.marks.insert(index * id)
      site.counts["key \(index)"] = random.oneIn(2) ? nil : index
      site.streets.append(street(&random))
      if let other = sites.randomElement(using: &random) { site.others.append(other) }
    }
    return site
  }

  private static func street(_ random: inout Random) -> Street {
    let street = Street()
    street.city = random.oneIn(3) ? nil : "city \(Int.random(in: 0..<9, using: &random))"
    street.number = Int.random(in: 0..<100, using: &random)
    return street
  }

  /// The same numbers for the same seed: SplitMix64.
  struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }

    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
  }
}
