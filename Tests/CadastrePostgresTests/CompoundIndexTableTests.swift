import CadastreModel
import Testing

@testable import CadastrePostgres

/// A compound index of a class becomes an index of the table.
@Suite struct CompoundIndexTableTests {
  private static let span = ObjectSchema(
    className: "Span",
    properties: [Property(name: "from", type: .int), Property(name: "to", type: .int)],
    isEmbedded: true, compoundIndexes: [["to", "from"]])

  private static let visit = ObjectSchema(
    className: "Visit",
    properties: [
      Property(name: "id", type: .int, isPrimaryKey: true),
      Property(name: "country", columnName: "land", type: .string),
      Property(name: "at", type: .date),
      Property(name: "span", type: .object, isOptional: true, objectClassName: "Span"),
    ], compoundIndexes: [["country", "at", "id"]])

  @Test func `an index has the columns of its properties in their order`() throws {
    let table = try PostgresTable(Self.visit, in: Schema([Self.visit, Self.span]))
    let columns = table.indexes.map(\.columns)

    // A date has a column of seconds and one of nanoseconds.
    #expect(columns.contains(["land", "at", ColumnNaming.nanoseconds("at"), "id"]))
    #expect(columns.contains(["span.to", "span.from"]))
    #expect(
      table.keysAndIndexes.contains {
        $0.text.contains("(\"span.to\", \"span.from\")") && $0.text.hasPrefix("CREATE INDEX ON ")
      })
    #expect(table.indexedColumns.contains("span.to,span.from"))
  }

  @Test func `an index has no more columns than a server allows`() throws {
    let names = (0..<20).map { "at\($0)" }
    let schema = ObjectSchema(
      className: "Calendar", properties: names.map { Property(name: $0, type: .date) },
      compoundIndexes: [names])
    let table = try PostgresTable(schema, in: Schema([schema]))

    // Each date has two columns, and a server allows 32.
    let columns = names.prefix(16).flatMap { [$0, ColumnNaming.nanoseconds($0)] }
    #expect(table.indexes.map(\.columns) == [columns])
    #expect(table.indexes.allSatisfy { $0.statement.text.contains("at15") })
    #expect(table.indexes.allSatisfy { !$0.statement.text.contains("at16") })
    #expect(table.indexedColumns == [columns.joined(separator: ",")])
  }

  @Test func `the stored definition of a class has its indexes`() throws {
    let definition = ClassDefinition(Self.visit, nil, id: nil)
    #expect(definition.schema == Self.visit)
  }
}
