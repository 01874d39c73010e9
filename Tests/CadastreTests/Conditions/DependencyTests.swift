import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import Testing
@testable import Cadastre

/// The dependencies of conditions through collections and links.
@Suite struct DependencyTests {
  private let realm: Realm

  init() throws { realm = try everyRealm() }

  private func dependencies<Root: Object>(
    _ root: Root.Type, _ text: String
  ) throws -> QueryDependencies {
    let schema = ClassInfo.of(root).schema
    let predicate = try QueryPredicate(parsing: text, arguments: [])
      .bound(to: realm.core.schema, root: schema)
    return QueryDependencies(
      schema.className, predicate, [], in: realm.core.schema, realm.core.catalogue)
  }

  /// The columns of some properties of a class that has a table.
  private func columns(_ className: String, _ names: String...) throws -> ColumnSet {
    let layout = try #require(realm.core.catalogue.layout(className))
    return ColumnSet(
      layout.columns.indices.filter { index in
        names.contains {
          layout.columns[index].name.split(separator: ".").first.map(String.init) == $0
        }
      })
  }

  @Test func `a collection, and the properties of its objects`() throws {
    let found = try dependencies(Every.self, "ANY links.friends.rank > 1")
    #expect(found.classNames == ["Every"] && !found.isUnbounded)
    #expect(
      try found.columns == [
        "Every": columns("Every", "links"), "Other": columns("Other", "friends", "rank"),
      ])
  }

  @Test func `the members of subqueries and aggregates`() throws {
    let counted = try dependencies(
      Every.self, "SUBQUERY(linkMap, $x, $x.rank == 1 AND $x.next.name == 'a').@count > 0")
    #expect(
      try counted.columns == [
        "Every": columns("Every", "linkMap"), "Other": columns("Other", "rank", "next", "name"),
      ])
    let largest = try dependencies(Every.self, "links.@max.rank > 1")
    #expect(
      try largest.columns == [
        "Every": columns("Every", "links"), "Other": columns("Other", "rank"),
      ])
  }

  @Test func `new objects of a class that links here`() throws {
    for text in ["ANY byLink.id > 1", "ANY @links.Every.link.id > 1"] {
      let found = try dependencies(Other.self, text)
      #expect(found.classNames == ["Other", "Every"])
      #expect(try found.columns == ["Every": columns("Every", "link", "id")])
    }
    let all = try dependencies(Other.self, "@links.@count > 1")
    #expect(all.classNames == ["Other", "Every", "Knot"])
    #expect(all.columns["Other"] == (try columns("Other", "next", "friends")))
    let every = try #require(all.columns["Every"])
    #expect(try columns("Every", "links", "spot").allSatisfy(every.contains))
  }

  @Test func `embedded objects wherever they are stored`() throws {
    let inRow = try dependencies(Every.self, "ANY spot.words == 'a'")
    #expect(try inRow.columns == ["Every": columns("Every", "spot")])
    let apart = try dependencies(Every.self, "ANY knots.numbers == 1")
    #expect(
      try apart.columns == [
        "Every": columns("Every", "knots"), "Knot": columns("Knot", "numbers"),
      ])
  }

  @Test func `links in values of any type may lead anywhere`() throws {
    #expect(try dependencies(Every.self, "#any.name == 'a'").isUnbounded)
    #expect(try !dependencies(Every.self, "#any == 'a'").isUnbounded)
  }
}
