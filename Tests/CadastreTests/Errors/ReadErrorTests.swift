import CadastreModel
import CadastreSQLite
import Foundation
import Testing

@testable import Cadastre

/// Reads of a damaged file, whose signatures cannot throw.
@Suite struct ReadErrorTests {
  final class Inner: EmbeddedObject {
    @Persisted var text = ""
  }

  final class Page: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var name = ""
    @Persisted var text = ""
    @Persisted var inner: Inner?
    @Persisted var words: List<String>
    @Persisted var marks: MutableSet<String>
    @Persisted var next: Page?
    @Persisted(originProperty: "next") var previous: LinkingObjects<Page>
  }

  private static let types: [ObjectBase.Type] = [Page.self, Inner.self]

  /// A store of many pages, most of which are overwritten with a byte.
  private func damaged(
    _ folder: URL, _ byte: UInt8, _ errors: Guarded<[Realm.Error]>
  ) throws -> Realm {
    let whole = folder.appending(path: "whole.cadastre")
    let copy = folder.appending(path: "damaged.cadastre")
    do {
      let realm = try Realm(
        configuration: Realm.Configuration(fileURL: whole, objectTypes: Self.types))
      try realm.write {
        var last: Page?
        for id in 0..<2000 {
          let page = Page(
            value: [
              "id": id, "name": "page \(id)", "text": String(repeating: "t", count: 300),
              "inner": ["text": "inner"], "words": ["a", "b"],
            ])
          page.next = last
          realm.add(page)
          last = page
        }
      }
      try realm.writeCopy(toFile: copy)
    }
    let file = try FileHandle(forUpdating: copy)
    let size = try file.seekToEnd()
    // The first pages hold the catalogue, without which nothing can be opened.
    let start: UInt64 = 160 * 4096
    try file.seek(toOffset: start)
    try file.write(contentsOf: Data(repeating: byte, count: Int(size - start)))
    try file.close()
    var configuration = Realm.Configuration(fileURL: copy, objectTypes: Self.types)
    configuration.readErrorHandler = { error in errors.withLock { $0.append(error) } }
    return try Realm(configuration: configuration)
  }

  @Test(arguments: [
    "UPDATE cadastre_class SET row_count = row_count + 5 WHERE name = 'Page'",
    "UPDATE cadastre_class SET row_count = row_count - 5 WHERE name = 'Page'",
    "DELETE FROM \"Page\" NOT INDEXED WHERE id = 3",
    "UPDATE \"Page\" SET words = 4", "UPDATE \"Page\" SET words = 1",
    "UPDATE \"Page\" SET marks = 3",
  ])
  func `a collection with another number of elements than it counts is an error`(
    change: String
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = Realm.Configuration(
      fileURL: folder.appending(path: "counts.cadastre"), objectTypes: Self.types)
    configuration.readErrorHandler = { _ in }
    do {
      let realm = try Realm(configuration: configuration)
      try realm.write {
        for id in 0..<20 {
          realm.create(Page.self, value: ["id": id, "words": ["a", "b"], "marks": ["c"]])
        }
      }
    }
    try Connection(path: folder.path + "/counts.cadastre", mode: .readWrite).run(change)

    let realm = try Realm(configuration: configuration)
    #expect(throws: Realm.Error.self) {
      try realm.throwingReadErrors {
        // Each of these traps where the iteration ends before or after the counted elements.
        let pages = realm.objects(Page.self)
        _ = Array(pages).count + pages.map(\.id).sorted().count
        for page in pages { _ = Array(page.words).count + Array(page.marks).count }
      }
    }
  }

  @Test func `objects of damaged pages are not encoded`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let errors = Guarded<[Realm.Error]>([])
    let realm = try damaged(folder, 0xFF, errors)
    #expect(throws: Realm.Error.self) { try realm.objects(Page.self).encoded() }
    let sorted = realm.objects(Page.self).sorted(by: \.text)
    #expect(throws: Realm.Error.self) { try sorted.encoded(depth: 3) }
  }

  @Test(arguments: [UInt8(0), 0xFF, 0x0D])
  func `reads of damaged pages return empty values and report the error once`(byte: UInt8) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let errors = Guarded<[Realm.Error]>([])
    let realm = try damaged(folder, byte, errors)
    let pages = realm.objects(Page.self)
    for id in stride(from: 0, to: 2000, by: 97) {
      guard let page = realm.object(ofType: Page.self, forPrimaryKey: id) else { continue }
      _ = (page.name, page.text, page.inner?.text, Array(page.words), page.next?.name)
      _ = (page.previous.count, page.isInvalidated, page.words.count, page.words.first)
      _ = page["text"]
    }
    _ = pages.where { $0.text == "x" }.count
    _ = pages.where { $0.name > "page 5" }.count
    _ = pages.sorted(byKeyPath: "text").first?.text
    _ = pages.where { $0.words == "b" }.count
    _ = pages.distinct(by: ["name"]).count
    _ = (pages.max(of: \.id), pages.sum(of: \.id), pages.average(of: \.id) as Double?)
    _ = pages.values(of: \.text).count
    _ = pages.sectioned(by: \.name).count
    _ = pages.grouped(by: \.name).count()
    _ = pages.explain(.measured)
    for page in pages { _ = page.text.count }
    #expect(realm.readError?.code == .invalidDatabase, "\(String(describing: realm.readError))")
    #expect(errors.withLock(\.count) == 1)
    let error = #expect(throws: Realm.Error.self) {
      try realm.throwingReadErrors { pages.map(\.text.count).reduce(0, +) }
    }
    #expect(error?.code == .invalidDatabase)
    let frozen = pages.freeze()
    _ = frozen.where { $0.text == "y" }.count
    // Inside a write transaction a read error makes it fail.
    let failure = #expect(throws: Realm.Error.self) {
      try realm.write { for page in pages { page.text += "!" } }
    }
    #expect(failure?.code == .invalidDatabase)
    #expect(!realm.isInWriteTransaction)
  }

  @Test func `an element that its type cannot hold is a read error`() throws {
    let errors = Guarded<[Realm.Error]>([])
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: [Shelf.self])
    configuration.readErrorHandler = { error in errors.withLock { $0.append(error) } }
    let realm = try Realm(configuration: configuration)
    try realm.write {
      realm.create(Shelf.self, value: ["numbers": [1, 2]])
      let connection = try #require(realm.core.transaction).flush(.rows).connection
      try connection.run("UPDATE \"Shelf.numbers\" SET value = 300 WHERE value = 2")
    }
    let shelf = try #require(realm.objects(Shelf.self).first)
    #expect(Array(shelf.numbers) == [1, 0] && shelf.numbers.last == 0)
    #expect(errors.withLock { $0.map(\.code) } == [.invalidDatabase])
    #expect(throws: Realm.Error.self) { try realm.throwingReadErrors { shelf.numbers[1] } }
  }

  @Test func `collections of objects that do not exist are read errors`() throws {
    let errors = Guarded<[Realm.Error]>([])
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types)
    configuration.readErrorHandler = { error in errors.withLock { $0.append(error) } }
    let realm = try Realm(configuration: configuration)
    // Keys of any size, so that the difference of two is no number.
    let keys = [Int64.min, .max, -1, 1 << 40, Int64.min + 1, .max - 1]
    try realm.write {
      for id in 0..<keys.count {
        let page = realm.create(Page.self, value: ["id": id, "words": ["a"]])
        page.next = page
      }
      let connection = try #require(realm.core.transaction).flush(.rows).connection
      for (id, key) in keys.enumerated() {
        try connection.run("UPDATE Page SET next = \(key) WHERE id = \(id)")
      }
    }
    realm.refresh()
    for page in realm.objects(Page.self).sorted(by: \.id) {
      let missing = try #require(page.next)
      #expect((missing.id, missing.text) == (0, "") && missing.inner == nil)
      #expect(Array(missing.words).isEmpty && missing.marks.isEmpty && missing.words.first == nil)
      #expect(missing.next == nil && missing.previous.count == 1)
    }
    #expect(errors.withLock { $0.map(\.code) } == [.invalidDatabase])
    let page = try #require(realm.objects(Page.self).first)
    #expect(throws: Realm.Error.self) {
      try realm.throwingReadErrors { page.next.map { Array($0.words) } }
    }
  }

  @Test func `an upsert that a unique index of another program refuses is an error`() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types)
    configuration.readErrorHandler = { _ in }
    let realm = try Realm(configuration: configuration)
    try realm.write {
      realm.create(Page.self, value: ["id": 1, "text": "a"])
      let connection = try #require(realm.core.transaction).flush(.rows).connection
      try connection.run("CREATE UNIQUE INDEX foreign_texts ON Page(text)")
    }
    #expect(throws: Realm.Error.self) {
      try realm.write {
        realm.create(Page.self, value: ["id": 2, "text": "b"])
        realm.create(Page.self, value: ["id": 3, "text": "a"], update: .modified)
      }
    }
    #expect(!realm.isInWriteTransaction && realm.objects(Page.self).map(\.id) == [1])
  }

  @Test func `a change of a row that a damaged file lacks fails the transaction`() throws {
    var configuration = Realm.Configuration(
      inMemoryIdentifier: UUID().uuidString, objectTypes: Self.types)
    configuration.readErrorHandler = { _ in }
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Page.self, value: ["id": 1, "text": "a"]) }
    let error = #expect(throws: Realm.Error.self) {
      try realm.write {
        let page = try #require(realm.object(ofType: Page.self, forPrimaryKey: 1))
        #expect(page.text == "a")
        // In a damaged file a scan can find a row that a search by its key does not find.
        let connection = try #require(realm.core.transaction).flush(.rows).connection
        try connection.run("DELETE FROM Page")
        page.text = "b"
        page.words.append("c")
      }
    }
    #expect(error?.code == .invalidDatabase)
    #expect(!realm.isInWriteTransaction && realm.objects(Page.self).map(\.text) == ["a"])
  }

  final class Shelf: Object {
    @Persisted var numbers: List<Int8>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }
}
