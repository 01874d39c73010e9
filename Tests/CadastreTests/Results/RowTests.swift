import Foundation
import Testing

@testable import Cadastre

/// Structures filled from columns, against structures filled from objects.
@Suite struct RowTests {
  private typealias Site = RowModels.Site

  private func check<Sites: RealmCollection>(
    _ sites: Sites, _ comment: Comment
  ) throws where Sites.Element == RowModels.Site {
    let objects = Array(sites)
    let columns = try sites.map(into: RowModels.ColumnRow.self)
    #expect(columns == objects.map { RowModels.ColumnRow($0) }, comment)
    let whole = try sites.map(into: RowModels.WholeRow.self)
    #expect(whole == objects.map { RowModels.WholeRow($0) }, comment)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `rows are those of the objects, in their order`(seed: UInt64) throws {
    let realm = try RowModels.filled(300, seed: seed)
    let sites = realm.objects(Site.self)
    try check(sites, "all")
    try check(sites.where { $0.isOpen && $0.height > 0 }, "filtered")
    try check(sites.sorted(byKeyPath: "name", ascending: false), "sorted")
    try check(sites.where { $0.street.city == "city 3" }.sorted(byKeyPath: "share"), "both")
    try check(try sites.query(parsing: "TRUEPREDICATE SORT(small ASC) LIMIT(7)"), "limited")
    try check(sites.where { $0.id == 1 }, "empty")
    try check(sites.freeze(), "frozen")
    try check(AnyRealmCollection(sites), "any collection")
    let first = try #require(sites.sorted(byKeyPath: "small").first)
    try check(first.others, "list")
    try check(try #require(sites.last).others, "list of the last")
    try realm.write {
      realm.delete(sites.where { $0.small < 0 })
      sites.first?.name = "changed"
      try check(sites, "in a write transaction")
    }
    try check(sites, "after it")
  }

  @Test func `a list gives a row as often as it contains the object`() throws {
    let realm = try RowModels.filled(20, seed: 9)
    let sites = realm.objects(Site.self)
    try realm.write {
      let others = try #require(sites.first).others
      others.removeAll()
      others.append(objectsIn: [sites[5], sites[2], sites[5], sites[0]])
      try check(others, "repetitions")
    }
  }

  @Test func `rows of objects without a Realm are the same`() throws {
    let realm = try RowModels.filled(30, seed: 3)
    let list = List<RowModels.Site>()
    for site in realm.objects(Site.self) { list.append(Site(value: site)) }
    try check(list, "unmanaged")
  }

  @Test func `no objects are made for members in columns`() throws {
    let realm = try RowModels.filled(100, seed: 5)
    let result = realm.objects(Site.self).sorted(byKeyPath: "name").queryResult
    let columns = ResultColumns(result, try #require(result.table))
    for index in 0..<columns.count {
      _ = try RowModels.ColumnRow(row: .record(columns.row(index)), index: index)
    }
    #expect(columns.count == 100 && columns.objectsMade == 0)
    for index in 0..<columns.count {
      _ = try RowModels.WholeRow(row: .record(columns.row(index)), index: index)
    }
    #expect(columns.objectsMade == 100)
  }

  @Test func `rows stay as they were, and other tasks use them`() async throws {
    let rows = try {
      let realm = try RowModels.filled(10, seed: 1)
      let rows = try realm.objects(Site.self).map(into: RowModels.ColumnRow.self)
      try realm.write { realm.deleteAll() }
      return rows
    }()
    let ids = await Task.detached { rows.map(\.id) }.value
    #expect(ids == (0..<10).map { $0 * 2 })
  }

  @Test func `mixed values are decoded as what they are`() throws {
    struct Row: Decodable {
      var mixed: [Int]?
    }
    struct Linked: Decodable {
      struct Target: Decodable { var name: String }
      var mixed: Target
    }
    let realm = try RowModels.realm()
    let sites = realm.objects(Site.self)
    try realm.write { () throws in
      let site = realm.create(Site.self, value: ["id": 1, "name": "one"])
      site.mixed = .fromArray([.int(1), .int(2)])
      #expect(try sites.map(into: Row.self)[0].mixed == [1, 2])
      site.mixed = .none
      #expect(try sites.map(into: Row.self)[0].mixed == nil)
      site.mixed = .object(site)
      #expect(try sites.map(into: Linked.self)[0].mixed.name == "one")
    }
  }

  @Test func `the columns of objects known by the names of their classes are decoded`() throws {
    let realm = try RowModels.filled(20, seed: 2)
    let rows = try realm.dynamicObjects("Site").map(into: RowModels.WholeRow.self)
    #expect(rows == realm.objects(Site.self).map { RowModels.WholeRow($0) })
  }

  // MARK: Errors

  private struct Misspelt: Decodable { var hieght: Double? }
  private struct MisspeltPath: Decodable {
    var city: String?
    enum CodingKeys: String, CodingKey { case city = "street.town" }
  }
  private struct MisspeltMember: Decodable {
    struct Street: Decodable { var town: String? }
    var street: Street?
  }
  private struct Required: Decodable { var height: Double }
  private struct RequiredCity: Decodable {
    struct Street: Decodable { var city: String }
    var street: Street
  }
  private struct Mistyped: Decodable { var name: Int }
  private struct MistypedList: Decodable { var name: [String] }
  private struct MistypedObject: Decodable { var street: String }
  private struct Small: Decodable {
    var level: Int8
  }
  private struct Case: Decodable { var name: RowModels.Surface }

  private func oneSite() throws -> (realm: Realm, sites: Results<Site>) {
    let realm = try RowModels.realm()
    try realm.write {
      realm.create(Site.self, value: ["id": 1, "name": "one", "height": 1.5, "street": [:]])
      realm.create(Site.self, value: ["id": 2, "name": "two", "level": 300, "street": [:]])
    }
    return (realm, realm.objects(Site.self))
  }

  private func error<Row: Decodable>(_ type: Row.Type) throws -> String {
    let (_, sites) = try oneSite()
    do {
      _ = try sites.map(into: type)
    } catch DecodingError.keyNotFound(let key, let context) {
      return "key \(key.stringValue): \(context.debugDescription)"
    } catch DecodingError.valueNotFound(_, let context) {
      return "value \(context.codingPath.map(\.stringValue)): \(context.debugDescription)"
    } catch DecodingError.typeMismatch(_, let context) {
      return "type \(context.codingPath.map(\.stringValue)): \(context.debugDescription)"
    } catch DecodingError.dataCorrupted(let context) {
      return "data \(context.codingPath.map(\.stringValue)): \(context.debugDescription)"
    }
    return "none"
  }

  @Test func `a key that the class lacks is an error, also of an optional member`() throws {
    #expect(
      try error(Misspelt.self).hasPrefix(
        "key hieght: row 0: class 'Site' has no 'hieght', expected one of: id, name, height,"))
    #expect(try error(MisspeltPath.self).hasPrefix("key street.town: row 0: class 'Site' has no"))
    #expect(
      try error(MisspeltMember.self)
        == "key town: row 0, 'street': class 'Street' has no 'town', expected one of: city, number")
  }

  @Test func `null in a member that is not optional names the row and the property`() throws {
    #expect(
      try error(Required.self)
        == #"value ["Index 1", "height"]: row 1, 'height': found null, expected 'Double': "#
        + "make the member optional")
    #expect(
      try error(RequiredCity.self)
        == #"value ["Index 0", "street", "city"]: row 0, 'street.city': found null, "#
        + "expected 'String': make the member optional")
  }

  @Test func `a value that its member cannot have names what was found`() throws {
    #expect(
      try error(Mistyped.self)
        == #"type ["Index 0", "name"]: row 0, 'name': found string, expected 'Int'"#)
    #expect(try error(MistypedList.self).contains("row 0, 'name': found string, expected"))
    #expect(
      try error(MistypedObject.self)
        == #"type ["Index 0", "street"]: row 0, 'street': found an object, expected 'String'"#)
    #expect(
      try error(Small.self)
        == #"data ["Index 1", "level"]: row 1, 'level': the int has no value of 'Int8'"#)
    #expect(
      try error(Case.self)
        == #"data ["Index 0", "name"]: row 0, 'name': the string has no value of 'Surface'"#)
  }
}
