import Cadastre
import Foundation
import Testing

class LinkedTag: Object {
  @Persisted(primaryKey: true) var name = ""
  @Persisted(originProperty: "tag") var places: LinkingObjects<TaggedPlace>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TaggedPlace: EmbeddedObject {
  @Persisted var street = ""
  @Persisted var number: Int?
  @Persisted var tag: LinkedTag?
  @Persisted var inner: TaggedRoom?

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TaggedRoom: EmbeddedObject {
  @Persisted var floor = 0
  @Persisted(originProperty: "inner") var places: LinkingObjects<TaggedPlace>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class TaggedOwner: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var home: TaggedPlace?
  @Persisted var work: TaggedPlace?
  @Persisted var others: List<TaggedPlace>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Linking objects that are embedded in the rows of their owners, in two properties and in a list.
@MainActor @Suite struct EmbeddedLinksTests {
  private let realm: Realm
  private let tag: LinkedTag

  init() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString,
        objectTypes: [LinkedTag.self, TaggedPlace.self, TaggedRoom.self, TaggedOwner.self]))
    self.realm = realm
    tag = try realm.write {
      let (first, second) = (LinkedTag(value: ["name": "a"]), LinkedTag(value: ["name": "b"]))
      realm.add([first, second])
      for id in 0..<12 {
        let owner = realm.create(TaggedOwner.self, value: ["id": id])
        func place(_ kind: String, _ tag: LinkedTag) -> TaggedPlace {
          TaggedPlace(
            value: [
              "street": "\(kind)\(id % 4)", "number": id % 3 == 0 ? NSNull() : id, "tag": tag,
              "inner": ["floor": id],
            ] as [String: Any])
        }
        if id.isMultiple(of: 2) { owner.home = place("h", first) }
        owner.work = place("w", id < 6 ? first : second)
        if id > 8 { owner.others.append(objectsIn: [place("o", first), place("p", second)]) }
      }
      return first
    }
  }

  /// The objects, found by looking at each owner.
  private var expected: [TaggedPlace] {
    realm.objects(TaggedOwner.self).flatMap { owner in
      [owner.home, owner.work].compactMap { $0 } + Array(owner.others)
    }.filter { $0.tag?.name == "a" }
  }

  private func texts(_ places: some Sequence<TaggedPlace>) -> [String] {
    places.map { "\($0.street) \($0.number ?? -1)" }
  }

  @Test func `they are filtered, sorted and summed up`() throws {
    let places = tag.places
    #expect(places.count == expected.count && places.count == 15)
    let found = places.filter("number > 3 AND street BEGINSWITH %@", "h")
    let wanted = expected.filter { $0.number ?? 0 > 3 && $0.street.hasPrefix("h") }
    #expect(Set(texts(found)) == Set(texts(wanted)) && found.count == wanted.count)
    #expect(!found.isEmpty && found.first?.street == found[0].street)
    #expect(places.where { $0.number == nil }.count == expected.count { $0.number == nil })
    #expect(
      places.where { $0.inner.floor > 8 }.count == expected.count { $0.inner?.floor ?? 0 > 8 })
    #expect(places.where { $0.tag == tag }.count == expected.count)

    let sorted = places.sorted(by: [
      SortDescriptor(keyPath: "street"), SortDescriptor(keyPath: "number", ascending: false),
    ])
    let order = expected.sorted {
      ($0.street, -($0.number ?? -1)) < ($1.street, -($1.number ?? -1))
    }
    #expect(texts(sorted) == texts(order))
    #expect(texts(sorted.where { $0.number > 5 }) == texts(order.filter { $0.number ?? 0 > 5 }))
    #expect(texts(sorted.limit(3, offset: 2)) == Array(texts(order)[2..<5]))
    #expect(places.distinct(by: ["street"]).count == Set(expected.map(\.street)).count)

    #expect(places.max(ofProperty: "number") == expected.compactMap(\.number).max())
    #expect(places.sum(ofProperty: "number") == expected.compactMap(\.number).reduce(0, +))
    #expect(
      found.average(of: \.number) ?? 0 == wanted.compactMap(\.number).reduce(0, +) / wanted.count)
    let sections = places.sectioned(by: \.street)
    #expect(sections.allKeys == Set(expected.map(\.street)).sorted())
    let last = try #require(sorted.last)
    #expect(sorted.index(of: last) == sorted.count - 1)
    #expect(sorted.index(matching: "street == %@", last.street) != nil)
    #expect(throws: QueryPredicateError.self) { try places.filter(parsing: "nothing == 1") }
  }

  @Test func `results are live, frozen and observed`() throws {
    let found = tag.places.where { $0.number > 7 }
    let (count, frozen) = (found.count, found.freeze())
    var changes: [String] = []
    let token = found.observe { change in
      if case .update(_, let deletions, let insertions, _) = change {
        changes.append("\(deletions.count) \(insertions.count)")
      }
    }
    realm.refresh()
    try realm.write {
      realm.objects(TaggedOwner.self).first?.home?.number = 100
      realm.object(ofType: TaggedOwner.self, forPrimaryKey: 8)?.home = nil
    }
    realm.refresh()
    #expect(found.count == count && found.contains { $0.number == 100 })
    #expect(frozen.count == count && !frozen.contains { $0.number == 100 })
    #expect(changes == ["1 1"])
    token.invalidate()
  }

  @Test func `a loop may change what its condition reads`() throws {
    let found = tag.places.where { $0.number > 3 }
    let count = found.count
    var visited = 0
    try realm.write {
      for place in found {
        place.number = 0
        visited += 1
      }
    }
    #expect(visited == count && found.isEmpty)
    #expect(expected.count { $0.number == 0 } == count)
  }

  @Test func `conditions follow links of them in both directions`() throws {
    let places = tag.places
    #expect(places.filter("tag == %@", tag).count == places.count)
    #expect(places.filter("tag == obj('LinkedTag', 'b')").isEmpty)
    #expect(places.filter("tag.places.@count == 15").count == places.count)
    #expect(places.filter("tag.@links.@count > 3").count == places.count)
    #expect(
      places.filter("SUBQUERY(inner.places, $p, $p.number == number).@count == 1").count
        == expected.count)
    let inner = try #require(realm.objects(TaggedOwner.self).first?.home?.inner)
    #expect(places.where { $0.inner == inner }.count == 1)
    #expect(
      realm.objects(LinkedTag.self).filter(
        "SUBQUERY(places, $p, $p.inner == %@).@count == 1", inner
      ).map(\.name) == ["a"])
  }

  @Test func `paths lead through them`() throws {
    let tags = realm.objects(LinkedTag.self)
    for (text, matches) in [
      ("ANY places.street == 'h2'", { $0.contains { $0.street == "h2" } }),
      ("ANY places.street == 'o1'", { $0.contains { $0.street == "o1" } }),
      ("places.@count == 15", { $0.count == 15 }),
      ("places.@count == 9", { $0.count == 9 }),
      ("NONE places.street BEGINSWITH 'h'", { !$0.contains { $0.street.hasPrefix("h") } }),
      ("ALL places.number < 12 OR places.@count == 0", { $0.allSatisfy { $0.number ?? 99 < 12 } }),
      (
        "SUBQUERY(places, $p, $p.number > 5 AND $p.street BEGINSWITH 'w').@count > 2",
        { $0.count { $0.number ?? 0 > 5 && $0.street.hasPrefix("w") } > 2 }
      ),
      ("places.@max.number > 10", { $0.compactMap(\.number).max() ?? 0 > 10 }),
      ("ANY places.inner.floor == 11", { $0.contains { $0.inner?.floor == 11 } }),
      ("@links.TaggedPlace.tag.@count > 10", { $0.count > 10 }),
    ] as [(String, ([TaggedPlace]) -> Bool)] {
      let found = tags.filter(text).map(\.name)
      #expect(Array(found) == tags.filter { matches(Array($0.places)) }.map(\.name), "\(text)")
    }
    // Only the owner links to an object in its row.
    #expect(
      realm.objects(TaggedOwner.self).filter("ANY home.inner.places.street == 'h2'").map(\.id)
        == realm.objects(TaggedOwner.self).filter { $0.home?.street == "h2" }.map(\.id))
  }

  @Test func `a result follows the owners`() throws {
    let tags = realm.objects(LinkedTag.self).filter("ANY places.street == 'new'")
    #expect(tags.isEmpty)
    try realm.write { realm.objects(TaggedOwner.self).last?.work?.street = "new" }
    #expect(tags.map(\.name) == ["b"])
    try realm.write { realm.objects(TaggedOwner.self).last?.work = nil }
    #expect(tags.isEmpty)
  }
}
