import CadastreModel
import CadastrePredicate
import CadastreTestSupport
import Testing

@testable import CadastreQuery
@testable import CadastreStore

/// The validity of results by what they depend on.
@Suite struct QueryDependenciesTests {
  /// The dependencies of a query that reads a column of boats.
  private func dependencies(column: Int) throws -> QueryDependencies {
    let snapshot = try TestStore.temporary(holding: Boats.examples).snapshot()
    let layout = try #require(snapshot.catalogue.layout("Boat"))
    let root = try Boats.schema.queriedClass("Boat")
    let path = try Boats.schema.resolve(
      PropertyPath(layout.schema.properties[column].name), from: root)
    return QueryDependencies(
      "Boat", .constant(true), [path], in: Boats.schema, snapshot.catalogue)
  }

  @Test func `a result is valid until a class or a column that it depends on is written`() throws {
    let generation = Generation()
    let dependencies = try dependencies(column: 0)
    let column = try #require(dependencies.columns["Boat"]?.first { _ in true })
    let start = generation.current
    generation.changes(of: "Boat").noteChange(of: column + 1, 1)
    generation.changes(of: "Harbor").noteInsertion()
    #expect(generation.isUnchanged(dependencies, since: start))
    generation.changes(of: "Boat").noteChange(of: column, 1)
    #expect(!generation.isUnchanged(dependencies, since: start))
    #expect(generation.isUnchanged(dependencies, since: generation.current))
    let inserted = generation.current
    generation.changes(of: "Boat").noteInsertion()
    #expect(!generation.isUnchanged(dependencies, since: inserted))
    let restarted = generation.current
    generation.restart()
    #expect(!generation.isUnchanged(dependencies, since: restarted))
  }
}
