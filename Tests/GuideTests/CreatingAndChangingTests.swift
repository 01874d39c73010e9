import Cadastre
import Foundation
import Testing
import TestingSupport

/// The samples of `CreatingAndChanging.md`.
@Suite struct CreatingAndChangingTests {
  class Shelf: EmbeddedObject {
    @Persisted var room = ""
    @Persisted var number = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Author: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted(originProperty: "author") var books: LinkingObjects<Book>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Book: Object {
    @Persisted(primaryKey: true) var isbn: String
    @Persisted var title = ""
    @Persisted var copies = 1
    @Persisted var author: Author?
    @Persisted var shelf: Shelf?
    @Persisted var tags: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  final class Reader: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var cards: List<String>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private enum LendingError: Error { case noCopy }

  private let realm: Realm

  init() throws {
    realm = try openRealm(Book.self, Author.self, Shelf.self, Reader.self)
  }

  func lend(_ book: Book, in realm: Realm) throws {
    try realm.write {
      guard book.copies > 0 else { throw LendingError.noCopy }
      book.copies -= 1
    }
  }

  func store(_ records: some Sequence<[String: Any]>, in realm: Realm) throws {
    realm.beginWrite()
    for (index, record) in records.enumerated() {
      realm.create(Book.self, value: record, update: .modified)
      if index % 10_000 == 9_999 {
        try realm.commitWrite()
        realm.beginWrite()
      }
    }
    try realm.commitWrite()
  }

  private func addBooks() throws {
    let book = Book()
    book.isbn = "978-0-14-143951-8"
    book.title = "Pride and Prejudice"
    book.author = Author(value: ["id": 1, "name": "Jane Austen"])
    book.shelf = Shelf(value: ["room": "B", "number": 12])
    book.tags.append(objectsIn: ["novel", "classic"])
    try realm.write { realm.add(book) }

    try realm.write {
      realm.create(
        Book.self,
        value: [
          "isbn": "978-0-14-143984-6", "title": "Emma", "author": ["id": 2, "name": "J. Austen"],
          "shelf": ["room": "B", "number": 13], "tags": ["novel"],
        ] as [String: Any])
    }
  }

  @Test func `a block that throws changes nothing`() throws {
    try addBooks()
    let book = try #require(realm.objects(Book.self).first)
    try lend(book, in: realm)
    #expect(throws: LendingError.noCopy) { try lend(book, in: realm) }
    #expect(book.copies == 0)
  }

  @Test func `objects are created, updated, found, changed and deleted`() throws {
    try addBooks()
    #expect(realm.objects(Book.self).map(\.shelf?.number) == [12, 13])
    try realm.write {
      realm.create(Book.self, value: ["isbn": "978-0-14-143984-6", "copies": 3], update: .modified)
      realm.create(Author.self, value: ["id": 2, "name": "Jane Austen"], update: .modified)
    }
    let updated = try #require(realm.objects(Book.self).last)
    #expect(updated.title == "Emma" && updated.copies == 3)
    #expect(updated.author?.name == "Jane Austen")
    try find()
    let emma = try #require(
      realm.object(ofType: Book.self, forPrimaryKey: "978-0-14-143984-6"))
    let novels = realm.objects(Book.self).where { $0.tags.contains("novel") }
    try realm.write {
      emma.title = "Emma (annotated)"
      emma.tags.insert("annotated", at: 0)
      emma.shelf?.number = 14
      emma.author = realm.object(ofType: Author.self, forPrimaryKey: 1)
    }
    #expect(realm.object(ofType: Author.self, forPrimaryKey: 1)?.books.count == 2)
    try realm.write {
      novels.setValue(0, forKey: "copies")
      for book in novels { book.tags.append("sold out") }
    }
    #expect(Array(emma.tags) == ["annotated", "novel", "sold out"])
    try realm.write {
      realm.delete(emma)
      realm.delete(realm.objects(Book.self).where { $0.copies == 0 })
    }
    #expect(emma.isInvalidated && realm.objects(Book.self).isEmpty)
    #expect(realm.objects(Author.self).count == 2)
  }

  private func find() throws {
    let emma = realm.object(ofType: Book.self, forPrimaryKey: "978-0-14-143984-6")
    let novels = realm.objects(Book.self).where { $0.tags.contains("novel") }
    let byAusten = realm.object(ofType: Author.self, forPrimaryKey: 2)?.books.sorted(by: \.title)
    #expect(emma?.title == "Emma" && novels.count == 2)
    #expect(byAusten?.map(\.title) == ["Emma"])
  }

  @Test func `all sets what a dictionary does not name to its default`() throws {
    try addBooks()
    try realm.write {
      realm.create(Book.self, value: ["isbn": "978-0-14-143984-6"], update: .all)
    }
    let emma = realm.object(ofType: Book.self, forPrimaryKey: "978-0-14-143984-6")
    #expect(emma?.title == "" && emma?.author == nil && emma?.tags.isEmpty == true)
  }

  @Test func `many objects are stored in batches`() throws {
    try store((0..<10_001).lazy.map { ["isbn": "\($0)", "copies": $0] }, in: realm)
    #expect(realm.objects(Book.self).count == 10_001 && !realm.isInWriteTransaction)
  }

  @Test func `JSON is decoded to instances`() throws {
    let json = Data(#"[{"id": 1, "name": "Ada", "cards": ["A-1"]}]"#.utf8)
    let readers = try JSONDecoder().decode([Reader].self, from: json)
    try realm.write {
      for reader in readers { try realm.add(checking: reader, update: .modified) }
    }
    #expect(realm.objects(Reader.self).first?.cards.first == "A-1")
  }

  func json(of books: Results<Book>) throws -> Data {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(books.encoded(depth: 1))
  }

  func store(_ json: Data, in realm: Realm) throws {
    let values = try JSONSerialization.jsonObject(with: json) as? [Any] ?? []
    try realm.write {
      for value in values {
        try realm.create(checking: Book.self, value: value, update: .modified)
      }
    }
  }

  @Test func `JSON of objects is read into another Realm`() throws {
    try addBooks()
    let books = realm.objects(Book.self)
    let copy = try openRealm(Book.self, Author.self, Shelf.self, Reader.self)
    for _ in 0..<2 { try store(try json(of: books), in: copy) }
    #expect(try copy.objects(Book.self).encoded() == books.encoded())
    #expect(copy.objects(Book.self).count == 2 && copy.objects(Author.self).count == 2)
    #expect(throws: InvalidValueError.self) {
      try store(Data(#"[{"isbn": "1", "copies": "many"}]"#.utf8), in: copy)
    }
  }

  @Test func `the article shows this code`() throws {
    try Article("CreatingAndChanging.md").expectSamplesAreCompiled(count: 14)
  }
}
