import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation
import Testing

/// What a migration costs, counted in statements.
@Suite struct EffortTests {
  private func schema(_ names: [String], _ type: PropertyType = .int) -> Schema {
    Schema([
      ObjectSchema(
        className: "Spot",
        properties: [
          Property(name: "type", type: .string),
          Property(name: "coordinates", type: .double, collection: .list),
        ], isEmbedded: true),
      ObjectSchema(
        className: "Item",
        properties: names.map { Property(name: $0, type: type) } + [
          Property(name: "spot", type: .object, isOptional: true, objectClassName: "Spot"),
          Property(name: "tags", type: .string, collection: .list),
        ]),
    ])
  }

  /// The statements that a migration of a store of some objects runs.
  private func statements(
    _ count: Int, to schema: Schema, _ block: (StoreMigration) throws -> Void = { _ in }
  ) throws -> Int {
    let folder = try TestFolder()
    let file = try OpenStores.store(at: folder.url("effort.cadastre").path)
    try file.prepare(for: self.schema(["a", "b"]), version: 1)
    let transaction = try file.beginWrite()
    let width = try #require(transaction.catalogue.layout("Item")).columns.count
    for number in 0..<count {
      var row = [Value](repeating: .null, count: width)
      row[0] = .int(Int64(number))
      row[1] = .int(7)
      _ = try transaction.insert("Item", row)
    }
    try transaction.commit()
    let before = try run(file)
    try file.prepare(for: schema, version: 2, resetting: false, migrating: block)
    return try run(file) - before
  }

  private func run(_ file: StoreFile) throws -> Int {
    let transaction = try file.beginWrite()
    defer { transaction.rollback() }
    return try transaction.flush(.rows).connection.statementsRun
  }

  @Test
  func
    `adding, removing and renaming properties takes as many statements for any number of objects`()
    throws
  {
    for names in [["a", "b", "c"], ["a"], ["c", "d"], ["b", "a"]] {
      #expect(try statements(10, to: schema(names)) == statements(5000, to: schema(names)))
    }
    let renamed = schema(["a", "c"])
    let rename = { (migration: StoreMigration) in
      try migration.renameProperty(of: "Item", from: "b", to: "c")
    }
    #expect(try statements(10, to: renamed, rename) == statements(5000, to: renamed, rename))
    let retyped = schema(["a", "b"], .string)
    #expect(try statements(10, to: retyped) == statements(5000, to: retyped))
  }
}
