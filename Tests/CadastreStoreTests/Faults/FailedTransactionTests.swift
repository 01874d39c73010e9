import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A write transaction that fails with an I/O error, a full disk or a damaged page changes nothing, and the
/// store can be used again after the fault.
@Suite struct FailedTransactionTests {
  /// A write operation.
  enum Operation: String, CaseIterable, Sendable {
    case insert, update, delete, deleteAll
    case append, insertIntoList, replaceInList, removeFromList, moveInList
    case insertIntoSet, removeFromSet, setInMap, removeFromMap, removeAll
    case addClass, addIndex

    /// The table that it reads or writes.
    var table: String {
      switch self {
      case .insert, .update, .delete, .deleteAll, .addIndex: "Thing"
      case .append, .insertIntoList, .replaceInList, .removeFromList, .moveInList, .removeAll:
        "Thing.int_list"
      case .insertIntoSet, .removeFromSet: "Thing.string_set"
      case .setInMap, .removeFromMap: "Thing.string_map"
      case .addClass: "cadastre_property"
      }
    }

    /// Whether it needs more pages.
    var grows: Bool {
      switch self {
      case .insert, .update, .append, .insertIntoList, .insertIntoSet, .setInMap, .addClass,
        .addIndex:
        true
      case .delete, .deleteAll, .replaceInList, .removeFromList, .moveInList, .removeFromSet,
        .removeFromMap, .removeAll:
        false
      }
    }

    func run(_ transaction: WriteTransaction) throws {
      let owner = ObjectKey(1)
      let long = Value.string(String(repeating: "word ", count: 100_000))
      let numbers = (0..<100_000).map { Value.int($0) }
      let list = { try transaction.collection("Thing", "int_list") }
      let set = { try transaction.collection("Thing", "string_set") }
      let map = { try transaction.collection("Thing", "string_map") }
      switch self {
      case .insert: try transaction.insert("Thing", object: ["string": .value(long)])
      case .update: try transaction.update("Thing", 1, members: ["string": .value(long)])
      case .delete: try transaction.delete("Thing", owner)
      case .deleteAll: try transaction.deleteAll()
      case .append: try transaction.append(numbers, to: list(), of: owner)
      case .insertIntoList: try transaction.insert(numbers, at: 1, into: list(), of: owner)
      case .replaceInList: try transaction.replace(at: 0, with: .int(7), in: list(), of: owner)
      case .removeFromList: try transaction.remove(0..<2, from: list(), of: owner)
      case .moveInList: try transaction.move(from: 0, to: 2, in: list(), of: owner)
      case .insertIntoSet: _ = try transaction.insert(long, into: set(), of: owner)
      case .removeFromSet: _ = try transaction.remove(.string("a"), from: set(), of: owner)
      case .setInMap: try transaction.set(long, forKey: "new", in: map(), of: owner)
      case .removeFromMap: _ = try transaction.remove(key: "k", from: map(), of: owner)
      case .removeAll: try transaction.removeAll(from: list(), of: owner)
      case .addClass:
        try transaction.adopt(Schema(transaction.catalogue.schema.objectSchema + many))
      case .addIndex: try transaction.adopt(indexed(transaction.catalogue.schema))
      }
    }

    private var many: [ObjectSchema] {
      (0..<50).map { number in
        ObjectSchema(
          className: "Extra\(number)", properties: [Property(name: "text", type: .string)])
      }
    }

    private func indexed(_ schema: Schema) -> Schema {
      Schema(
        schema.objectSchema.map { object in
          guard object.className == "Thing" else { return object }
          return ObjectSchema(
            className: "Thing",
            properties: object.properties.map { property in
              guard property.name == "string" else { return property }
              return Property(
                name: "string", type: .string, isOptional: property.isOptional, isIndexed: true)
            })
        })
    }
  }

  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("store.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: EveryKind.schema)
    let transaction = try file.beginWrite()
    for number in 0..<300 {
      let text = String(repeating: "\(number) ", count: 100)
      let owner = try transaction.insert("Thing", object: ["string": .text(text)])
      try transaction.append(
        (0..<20).map { .int($0) }, to: transaction.collection("Thing", "int_list"), of: owner)
      let set = try transaction.collection("Thing", "string_set")
      _ = try transaction.insert(.string("a"), into: set, of: owner)
      let map = try transaction.collection("Thing", "string_map")
      try transaction.set(.string("v"), forKey: "k", in: map, of: owner)
    }
    try transaction.insert("Target", object: ["label": .text("kept")])
    try transaction.commit()
  }

  /// All rows of all tables, as text.
  private func content() throws -> String {
    let connection = try OpenStores.store(at: path).snapshot().connection
    var names: [String] = []
    let tables = try connection.statement(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 ORDER BY name")
    while try tables.step() { names.append(tables.text(0)) }
    var content = ""
    for name in names {
      content += "\(name)\n"
      let rows = try connection.statement("SELECT * FROM \(SQL.quoted(name))")
      while try rows.step() {
        for column in 0..<rows.columnCount { content += "\(rows.text(column))|" }
        content += "\n"
      }
    }
    return content
  }

  /// Checks that a transaction has failed with an error: it refuses every other write, and the commit.
  private func expectFailed(_ transaction: WriteTransaction, _ error: StoreError) {
    #expect(transaction.failure as? StoreError == error)
    #expect(throws: error) {
      try transaction.insert("Target", object: ["label": .text("refused")])
    }
    #expect(throws: error) { try transaction.commit() }
    #expect(!transaction.isOpen)
  }

  /// Checks that the store is as it was, and can be written.
  private func expectUnchanged(_ before: String) throws {
    #expect(try content() == before)
    let file = try OpenStores.store(at: path)
    #expect(try StoreCheck(file.snapshot()).problems() == [])
    try add(["label": .text("after")], to: "Target", file)
    #expect(try file.snapshot().object("Target", 2)?["label"] == .text("after"))
    #expect(try StoreCheck(file.snapshot()).problems() == [])
  }

  private func error(of body: () throws -> Void) throws -> StoreError {
    try #require(#expect(throws: StoreError.self) { try body() })
  }

  // MARK: Faults

  @Test(arguments: Operation.allCases.filter { $0 != .addClass })
  func `a damaged page fails the transaction`(_ operation: Operation) throws {
    let before = try content()
    let pages = try TablePages(of: operation.table, in: path)
    let original = try pages.destroy(pages.root)
    do {
      let transaction = try OpenStores.store(at: path).beginWrite()
      let error = try error { try operation.run(transaction) }

      guard case .corrupt = error.reason else {
        Issue.record(error)
        return
      }
      expectFailed(transaction, error)
    }
    try pages.write(original, to: pages.root)
    try expectUnchanged(before)
  }

  @Test(arguments: Operation.allCases.filter { $0 != .addClass })
  func `a failed read fails the transaction`(_ operation: Operation) throws {
    let before = try content()
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    let fault = try DescriptorFault(.reading, of: path)
    let error = try error { try operation.run(transaction) }

    guard case .sqlite(let code, _) = error.reason, code & 0xFF == 10 else {
      Issue.record(error)
      return
    }
    expectFailed(transaction, error)
    fault.end()
    try expectUnchanged(before)
  }

  @Test(arguments: Operation.allCases.filter(\.grows))
  func `a full disk fails the transaction`(_ operation: Operation) throws {
    let before = try content()
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    let pages = try #require(try transaction.connection.integer("PRAGMA page_count"))
    try transaction.connection.run("PRAGMA max_page_count = \(pages)")
    let error = try error {
      try operation.run(transaction)
      // An index may be written only later.
      _ = try transaction.flush(.everything)
    }

    #expect(error.reason == .diskFull)
    expectFailed(transaction, error)
    try transaction.connection.run("PRAGMA max_page_count = 4294967294")
    try expectUnchanged(before)
  }

  @Test func `a failed write to the log fails the commit`() throws {
    let before = try content()
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    try transaction.insert("Target", object: ["label": .text("lost")])
    let fault = try DescriptorFault(.writing, of: path + "-wal")
    let error = try error { try transaction.commit() }

    guard case .sqlite(let code, _) = error.reason, code & 0xFF == 10 else {
      Issue.record(error)
      return
    }
    #expect(transaction.failure as? StoreError == error && !transaction.isOpen)
    fault.end()
    try expectUnchanged(before)
  }

  @Test func `a failed write before the commit fails the transaction`() throws {
    let before = try content()
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    // A page cache of a few pages is written to the log before the commit.
    try transaction.connection.run("PRAGMA cache_size = 10")
    let fault = try DescriptorFault(.writing, of: path + "-wal")
    let error = try error { try Operation.append.run(transaction) }

    expectFailed(transaction, error)
    fault.end()
    try expectUnchanged(before)
  }

  /// SQLite rolls a transaction back when a read fails, and would commit each later write on its own.
  @Test func `a failed read of a query fails the transaction`() throws {
    let before = try content()
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    try transaction.insert("Target", object: ["label": .text("lost")])
    let fault = try DescriptorFault(.reading, of: path)
    let error = try error {
      _ = try transaction.connection.integer("SELECT count(*) FROM \"Thing.int_list\"")
    }
    fault.end()

    #expect(throws: error) { try transaction.insert("Target", object: ["label": .text("x")]) }
    expectFailed(transaction, error)
    try expectUnchanged(before)
  }

  @Test func `a duplicate primary key does not fail the transaction`() throws {
    let file = try TestStore.temporary(Boats.schema)
    let transaction = try file.beginWrite()
    try transaction.insert("Harbor", object: ["code": .text("A")])
    let error = try error { try transaction.insert("Harbor", object: ["code": .text("A")]) }
    try transaction.insert("Harbor", object: ["code": .text("B")])

    #expect(error.reason == .duplicateKey(className: "Harbor", property: "code"))
    #expect(transaction.failure == nil)
    try transaction.commit()
    #expect(try file.snapshot().rowCount("Harbor") == 2)
  }

  @Test func `a schema mismatch does not fail the transaction`() throws {
    let file = try OpenStores.store(at: path)
    let transaction = try file.beginWrite()
    let other = ObjectSchema(
      className: "Target", properties: [Property(name: "label", type: .int)])
    let error = try error { try transaction.adopt(Schema([other])) }

    guard case .schemaMismatch = error.reason else {
      Issue.record(error)
      return
    }
    #expect(transaction.failure == nil)
    try transaction.insert("Target", object: ["label": .text("kept")])
    try transaction.commit()
    #expect(try file.snapshot().rowCount("Target") == 2)
  }
}
