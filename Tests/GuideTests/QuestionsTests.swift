import Cadastre
import Foundation
import Testing
import TestingSupport

struct WebAddress: FailableCustomPersistable, Hashable {
  var url: URL

  init(_ url: URL) { self.url = url }
  init?(persistedValue: String) {
    guard let url = URL(string: persistedValue) else { return nil }
    self.url = url
  }
  var persistableValue: String { url.absoluteString }
}

/// The samples of `Questions.md`.
@Suite struct QuestionsTests {
  class Bookmark: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var page: WebAddress?
    @Persisted(originProperty: "bookmarks") var folders: LinkingObjects<Folder>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class Folder: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted var bookmarks: List<Bookmark>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private let realm: Realm

  init() throws { realm = try openRealm(Bookmark.self, Folder.self) }

  func addBookmark(_ page: WebAddress, to realm: Realm) throws -> Bookmark {
    try realm.write {
      let next = (realm.objects(Bookmark.self).max(of: \.id) ?? 0) + 1
      return realm.create(Bookmark.self, value: ["id": next, "page": page] as [String: Any])
    }
  }

  func delete(_ folder: Folder, in realm: Realm) throws {
    try realm.write {
      realm.delete(folder.bookmarks.where { $0.folders.count == 1 })
      realm.delete(folder)
    }
  }

  @Test func `keys are counted up`() throws {
    let page = WebAddress(try #require(URL(string: "https://example.org/a")))
    let first = try addBookmark(page, to: realm)
    let second = try addBookmark(page, to: realm)
    #expect([first.id, second.id] == [1, 2] && second.page == page)
    #expect(realm.objects(Bookmark.self).sorted(by: \.id).limit(20, offset: 1).map(\.id) == [2])
    let last = 1
    let next = realm.objects(Bookmark.self).where { $0.id > last }.sorted(by: \.id).limit(20)
    #expect(next.map(\.id) == [2])
  }

  @Test func `bookmarks of one folder only are deleted with it`() throws {
    let page = WebAddress(try #require(URL(string: "https://example.org/a")))
    let bookmarks = try (0..<2).map { _ in try addBookmark(page, to: realm) }
    let folder = try realm.write {
      realm.create(Folder.self, value: ["name": "B", "bookmarks": [bookmarks[0]]] as [String: Any])
      return realm.create(
        Folder.self, value: ["name": "A", "bookmarks": bookmarks] as [String: Any])
    }
    try delete(folder, in: realm)
    #expect(realm.objects(Bookmark.self).values(of: \.id) == [1])
    #expect(realm.objects(Folder.self).values(of: \.name) == ["B"])
  }

  @Test func `a map of results is lazy`() throws {
    #expect("\(type(of: realm.objects(Bookmark.self).map(\.id)))".contains("LazyMapSequence"))
  }

  @Test func `the article shows this code`() throws {
    try Article("Questions.md").expectSamplesAreCompiled(count: 3)
  }
}
