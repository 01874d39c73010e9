import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// Predicates on rows in memory.
@Suite struct RowFilterTests {
  @Test(arguments: Seeds.usual(71...74))
  func `rows in memory agree with the reference evaluator`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fleet = random.fleet(harbors: 0, boats: 0)
    var boats = fleet
    for number in 0..<60 { boats.insert("Boat", random.boat(number, harbors: 0, boats: 0)) }
    let catalogue = Catalogue(inMemory: boats.schema)
    let layout = try #require(catalogue.layout("Boat"))
    let root = try #require(boats.schema["Boat"])
    let rows = RowList(catalogue)
    // The keys of stored rows begin with 1.
    rows.append(ImportRow(columns: layout.columns.count), layout)
    for key in boats.keys("Boat") {
      rows.append(layout.row(boats.object("Boat", key) ?? [:]))
    }
    let oracle = ScanOracle(boats)
    let maker = RandomPredicates("Boat", in: boats.schema, from: boats)
    for _ in 0..<200 {
      let predicate = try maker.predicate(depth: random.below(4), &random)
        .bound(to: boats.schema, root: root)
      let filter = try RowFilter(predicate, on: "Boat", of: rows)
      let found = try boats.keys("Boat").filter { try filter.matches($0) }
      let expected = try oracle.matching("Boat", predicate)
      guard found == expected else {
        Issue.record("seed \(seed): \(predicate)\nfound \(found)\nexpected \(expected)")
        return
      }
    }
  }

  private static let schema = Schema([
    ObjectSchema(
      className: "Part",
      properties: [
        Property(name: "size", type: .int),
        Property(name: "labels", type: .string, collection: .list),
      ], isEmbedded: true),
    ObjectSchema(
      className: "Crate",
      properties: [
        Property(name: "tags", type: .string, collection: .list),
        Property(name: "marks", type: .any, collection: .map),
        Property(name: "parts", type: .object, collection: .list, objectClassName: "Part"),
        Property(name: "numbers", type: .int, collection: .set),
      ]),
  ])

  @Test func `collections and embedded objects are parts of a row`() throws {
    let catalogue = Catalogue(inMemory: Self.schema)
    let layout = try #require(catalogue.layout("Crate"))
    let part = try #require(catalogue.layout("Part"))
    func collection(_ name: String, _ layout: TableLayout) throws -> CollectionLayout {
      try #require(layout.collections.first { $0.path == PropertyPath(name) })
    }
    func inner(_ size: Int64, _ labels: [String]) throws -> ImportRow.Element {
      var row = ImportRow(columns: part.columns.count)
      row.values[try #require(part.column(of: Property(name: "size", type: .int)))] = .int(size)
      row.members = [.list(try collection("labels", part), labels.map { .value(.string($0)) })]
      return .object(row)
    }
    var crate = ImportRow(columns: layout.columns.count)
    crate.members = [
      .list(try collection("tags", layout), ["a", "b", "b"].map { .value(.string($0)) }),
      .map(
        try collection("marks", layout),
        [("y", .value(.int(2))), ("x", .value(.string("one")))]),
      .list(
        try collection("parts", layout),
        [try inner(1, ["u"]), try inner(5, []), try inner(7, ["v"])]),
    ]
    let rows = RowList(catalogue)
    let key = rows.append(crate, layout)
    let empty = rows.append(ImportRow(columns: layout.columns.count), layout)
    let table: [(String, Bool, Bool)] = [
      ("ANY tags == 'b'", true, false), ("ALL tags == 'b'", false, true),
      ("tags[0] == 'a'", true, false), ("tags[LAST] == 'a'", false, false),
      ("tags.@count == 3", true, false), ("tags == {'a', 'b', 'b'}", true, false),
      ("tags == {}", false, true), ("marks['x'] == 'one'", true, false),
      ("marks.y == 2", true, false), ("marks['z'] == null", true, true),
      ("marks.@keys == 'y'", true, false), ("marks.@count > 1", true, false),
      ("ANY parts.size == 5", true, false), ("parts.@sum.size == 13", true, false),
      ("parts[1].size == 5", true, false), ("ANY parts.labels == 'v'", true, false),
      ("SUBQUERY(parts, $p, $p.size > 1 AND ANY $p.labels == 'v').@count == 1", true, false),
      ("SUBQUERY(parts, $p, $p.labels.@count == 0).@count == 1", true, false),
      ("numbers.@count == 0", true, true), ("ANY numbers == 1", false, false),
    ]
    let root = try #require(Self.schema["Crate"])
    for (text, isFull, isEmpty) in table {
      let bound = try QueryPredicate(parsing: text).bound(to: Self.schema, root: root)
      let filter = try RowFilter(bound, on: "Crate", of: rows)
      #expect(try filter.matches(key) == isFull, "\(text)")
      #expect(try filter.matches(empty) == isEmpty, "\(text), empty")
      #expect(try !filter.matches(1000), "\(text), no row")
    }
    rows.removeAll()
    let filter = try RowFilter(.constant(true), on: "Crate", of: rows)
    #expect(try !filter.matches(key))
    #expect(throws: QueryPredicateError.self) {
      try RowFilter(.constant(true), on: "Box", of: rows)
    }
  }
}
