@testable import Cadastre
import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

/// Orders of collections and live results with collations and positions of null.
@Suite struct CollationTests {
  final class Document: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var title: String?
    @Persisted var folder: Document?
    @Persisted var labels: List<String?>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  private static let titles: [String?] = [
    "file2", "file10", "File10", "file02", "Élan", "elan", "ELAN", nil, "", "b",
  ]

  private let realm: Realm
  private var documents: Results<Document> { realm.objects(Document.self) }

  init() throws {
    realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Document.self]))
    var random = SeededGenerator(seed: 41)
    try realm.write {
      for id in 0..<60 {
        let document = Document()
        document.id = id
        document.title = random.pick(Self.titles)
        document.folder = random.oneIn(3) ? nil : realm.objects(Document.self).last
        document.labels.append(
          objectsIn: (0..<random.below(8)).map { _ in random.pick(Self.titles) })
        realm.add(document)
      }
    }
  }

  private static func value(_ text: String?) -> CadastreModel.Value {
    text.map(CadastreModel.Value.string) ?? .null
  }

  private func expected(
    _ descriptor: Cadastre.SortDescriptor, _ value: (Document) -> CadastreModel.Value?
  ) -> [Int] {
    ExpectedOrder(
      isAscending: descriptor.ascending, collation: descriptor.collation, nulls: descriptor.nulls
    ).sorted(Array(documents), by: value).map(\.id)
  }

  private static let descriptors: [Cadastre.SortDescriptor] = [
    [], .caseInsensitive, [.diacriticInsensitive, .numeric], .localized,
  ]
  .flatMap { (collation: Collation) in
    [nil, NullOrder.first, .last].flatMap { nulls in
      [true, false].flatMap { ascending in
        ["title", "folder.title"].map {
          Cadastre.SortDescriptor(
            keyPath: $0, ascending: ascending, collation: collation, nulls: nulls)
        }
      }
    }
  }

  private static func value(
    of descriptor: Cadastre.SortDescriptor, _ document: Document
  ) -> CadastreModel.Value? {
    descriptor.keyPath == "title"
      ? value(document.title) : document.folder.map { value($0.title) }
  }

  @Test func `results are sorted as the oracle says`() {
    for descriptor in Self.descriptors {
      let expected = expected(descriptor) { Self.value(of: descriptor, $0) }
      #expect(documents.sorted(by: [descriptor]).map(\.id) == expected, "\(descriptor)")
      #expect(
        documents.sorted(by: [descriptor]).limit(7).map(\.id) == Array(expected.prefix(7)),
        "\(descriptor)")
    }
  }

  @Test func `live results keep their order`() throws {
    let results = Self.descriptors.map { ($0, documents.sorted(by: [$0])) }
    for (_, result) in results { _ = result.first }
    var random = SeededGenerator(seed: 42)
    for round in 0..<15 {
      try realm.write {
        for _ in 0..<2 {
          let document = random.pick(Array(documents))
          document.title = random.pick(Self.titles)
          document.folder = random.oneIn(3) ? nil : random.pick(Array(documents))
        }
        if round % 5 == 0 { realm.delete(random.pick(Array(documents))) }
        if round % 4 == 0 {
          realm.create(Document.self, value: ["id": 1000 + round, "title": "file\(round)"])
        }
      }
      for (descriptor, result) in results {
        let expected = expected(descriptor) { Self.value(of: descriptor, $0) }
        #expect(result.map(\.id) == expected, "round \(round), \(descriptor)")
      }
    }
  }

  @Test func `text has the same orders`() throws {
    let text = try documents.query(parsing: "TRUEPREDICATE SORT(title DESC[cn] NULLS LAST, id ASC)")
    let descriptor = Cadastre.SortDescriptor(
      keyPath: "title", ascending: false, collation: [.caseInsensitive, .numeric], nulls: .last)
    #expect(text.map(\.id) == documents.sorted(by: [descriptor, "id"]).map(\.id))
    #expect(text.last?.title == nil)
  }

  @Test func `values of lists are sorted`() {
    for document in documents {
      let labels = Array(document.labels)
      for descriptor in Self.descriptors where descriptor.keyPath == "title" {
        let own = Cadastre.SortDescriptor(
          keyPath: "self", ascending: descriptor.ascending, collation: descriptor.collation,
          nulls: descriptor.nulls)
        let order = ExpectedOrder(
          isAscending: own.ascending, collation: own.collation, nulls: own.nulls)
        #expect(
          Array(document.labels.sorted(by: [own])) == order.sorted(labels) { Self.value($0) },
          "\(own)")
      }
    }
  }

  @Test func `the opposite order is the reverse`() {
    let descriptor = Cadastre.SortDescriptor(
      keyPath: "title", collation: .caseInsensitive, nulls: .last)
    #expect(descriptor.reversed().nulls == .first && !descriptor.reversed().ascending)
    #expect(descriptor.reversed().reversed() == descriptor)
    #expect(
      "\(descriptor)" == "SortDescriptor(keyPath: title, direction: ascending[c], nulls: last)")
  }

  @Test func `mistakes are errors`() {
    #expect(throws: QueryPredicateError.self) {
      try documents.sorted(checking: [
        Cadastre.SortDescriptor(keyPath: "id", collation: .numeric)
      ])
    }
    #expect(throws: QueryPredicateError.self) {
      try documents.sectioned(
        by: \.title,
        checking: [Cadastre.SortDescriptor(keyPath: "title", collation: .caseInsensitive)])
    }
  }
}
