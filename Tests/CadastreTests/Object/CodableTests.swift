import Cadastre
import Foundation
import Testing

final class Book: Object, Codable {
  @Persisted(primaryKey: true) var id: ObjectId
  @Persisted var title: String
  @Persisted var pages = 10
  @Persisted var price: Decimal128
  @Persisted var printed: Date?
  @Persisted var rating: Double?
  @Persisted var size: Size
  @Persisted var url: URL?
  @Persisted var tags: List<String>
  @Persisted var marks: MutableSet<Int>
  @Persisted var notes: Map<String, String?>
  @Persisted var cover: Cover?
  @Persisted var chapters: List<Cover>
  @Persisted var sequel: Book?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

final class Cover: EmbeddedObject, Codable {
  @Persisted var color: String?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension Size: Codable {}

/// A class with code of its own to be encoded, which managed objects can use.
final class Author: Object, Codable {
  @Persisted var name: String
  @Persisted var books: List<String>

  private enum CodingKeys: String, CodingKey { case name, books }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(books, forKey: .books)
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Objects and collections as JSON.
@Suite struct CodableTests {
  private static let full = """
    {"chapters":[{"color":"red"},{}],"cover":{"color":"blue"},"id":"0123456789abcdef01234567",\
    "marks":[3,4],"notes":{"a":"b","c":null},"pages":5,"price":"1.50","rating":4.5,\
    "sequel":null,"size":5,"tags":["x","y"],"title":"T","url":"https://a.org"}
    """

  private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  private func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func makeRealm() throws -> Realm {
    try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [Book.self, Cover.self, Author.self]))
  }

  @Test func `an object is decoded, stored, and encoded again`() throws {
    let book = try decode(Book.self, Self.full)
    #expect(book.title == "T" && book.pages == 5 && book.price == "1.5" && book.rating == 4.5)
    #expect(book.id.stringValue == "0123456789abcdef01234567" && book.size == .large)
    #expect(Array(book.tags) == ["x", "y"] && book.marks.contains(4) && book.sequel == nil)
    #expect(book.notes["a"] == "b" && book.notes["c"] == .some(nil) && book.notes.count == 2)
    #expect(book.cover?.color == "blue" && book.chapters.map(\.color) == ["red", nil])
    #expect(book.url == URL(string: "https://a.org") && book.printed == nil)

    let again = try decode(Book.self, try encode(book))
    let realm = try makeRealm()
    try realm.write { realm.add(again) }
    let stored = try #require(realm.object(ofType: Book.self, forPrimaryKey: book.id))
    #expect(stored.cover?.color == "blue" && Array(stored.tags) == ["x", "y"])
    #expect(stored.marks.count == 2 && stored.chapters.count == 2 && stored.price == book.price)
  }

  @Test func `encoding gives what was decoded`() throws {
    let text = try encode(try decode(Book.self, Self.full))
    #expect(
      text
        == Self.full.replacing("{}", with: #"{"color":null}"#)
        .replacing(#""rating""#, with: #""printed":null,"rating""#)
        .replacing(#""1.50""#, with: #""1.5""#))
  }

  @Test func `an object without changes is encoded with its defaults`() throws {
    let text = try encode(Cover())
    #expect(text == #"{"color":null}"#)
    #expect(try encode(Author()) == #"{"books":[],"name":""}"#)
  }

  @Test func `a missing optional is nil, a missing required value is not`() throws {
    let book = try decode(
      Book.self, Self.full.replacing(#","rating":4.5"#, with: #","rating":null,"more":[1]"#))
    #expect(book.rating == nil && book.printed == nil)
    #expect {
      _ = try decode(Book.self, Self.full.replacing(#""pages":5,"#, with: ""))
    } throws: { error in
      guard case DecodingError.keyNotFound(let key, _) = error else { return false }
      return key.stringValue == "pages"
    }
    #expect(throws: DecodingError.self) {
      _ = try decode(Book.self, Self.full.replacing(#""pages":5"#, with: #""pages":"5""#))
    }
    #expect(throws: DecodingError.self) {
      _ = try decode(Book.self, Self.full.replacing(#""size":5"#, with: #""size":7"#))
    }
  }

  @Test func `a managed object is encoded, by code of its own too`() throws {
    let realm = try makeRealm()
    let cover = Cover(value: ["red"])
    let book = Book(value: ["id": ObjectId.generate(), "title": "T", "cover": cover])
    let author = Author(value: ["name": "A", "books": ["x"]])
    let unmanaged = try encode(book)
    try realm.write {
      realm.add(book)
      realm.add(author)
    }
    #expect(try encode(book) == unmanaged)
    #expect(try encode(realm.objects(Book.self)) == "[\(unmanaged)]")
    #expect(try encode(cover) == #"{"color":"red"}"#)
    #expect(try encode(author) == #"{"books":["x"],"name":"A"}"#)
    #expect(try encode(realm.objects(Author.self)) == #"[{"books":["x"],"name":"A"}]"#)
  }

  @Test func `collections by themselves`() throws {
    let list = try decode(List<Int?>.self, "[1,null,3]")
    #expect(Array(list) == [1, nil, 3])
    #expect(try encode(list) == "[1,null,3]")
    #expect(try decode(MutableSet<Int>.self, "[1,2,1]").count == 2)
    let map = try decode(Map<String, Int>.self, #"{"b":2,"a":1}"#)
    #expect(map["a"] == 1 && map.count == 2)
    #expect(try encode(map) == #"{"a":1,"b":2}"#)
    #expect(try encode(Map<String, Int>()) == "{}")
    #expect(try decode(List<URL>.self, #"["https://a.org"]"#).first?.host() == "a.org")
  }

  @Test func `a key that no map can have is an error`() {
    #expect(throws: DecodingError.self) {
      _ = try decode(Map<String, Int>.self, #"{"a.b":1}"#)
    }
    #expect(throws: DecodingError.self) {
      _ = try decode(Map<String, Int>.self, #"{"$a":1}"#)
    }
  }

  @Test func `managed collections are encoded too`() throws {
    let realm = try makeRealm()
    let book = try decode(Book.self, Self.full)
    try realm.write { realm.add(book) }
    #expect(try encode(book.tags) == #"["x","y"]"#)
    #expect(try encode(book.marks) == "[3,4]")
    #expect(try encode(book.notes) == #"{"a":"b","c":null}"#)
    #expect(try encode(book.tags.sorted(ascending: false)) == #"["y","x"]"#)
  }
}
