import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Testing

@testable import CadastreStore

/// Rows with given keys are read from the file, several with each statement.
@Suite("Row fetches")
struct RowFetchTests {
  private static let schema = Schema([
    ObjectSchema(className: "Note", properties: [Property(name: "text", type: .string)])
  ])

  /// Returns a snapshot of notes whose keys count from 1, and which uses no column cache.
  private func snapshot(_ texts: [String]) throws -> Snapshot {
    let file = try TestStore.temporary(Self.schema)
    let transaction = try file.beginWrite()
    for text in texts { _ = try transaction.insert("Note", [.string(text)]) }
    try transaction.delete("Note", ObjectKey(7))
    try transaction.commit()
    file.columns.budget = 0
    return try file.snapshot()
  }

  private func reader(_ snapshot: Snapshot) throws -> BatchReader {
    let layout = try snapshot.layout("Note")
    return BatchReader(
      layout, [ColumnReference(hops: [], column: 0, type: .string)], snapshot)
  }

  private func texts(_ batch: borrowing ColumnBatch) -> [String] {
    var texts: [String] = []
    for row in batch.allRows {
      if case .string(let text) = batch.columns[0].value(row) { texts.append(text) }
    }
    return texts
  }

  @Test func `a statement reads several rows, in the order of their keys`() throws {
    let snapshot = try snapshot((1...5000).map { "note \($0)" })
    let reader = try reader(snapshot)
    // Key 7 has no row; 4000 occurs twice.
    var keys: [Int64] = [4000, 7, 3, 4000, 5001, -1]
    keys += (0..<200).map { $0 * 20 + 11 }
    let before = snapshot.connection.statementsRun
    var found: [String] = []
    try reader.forEachBatch(of: keys) { found += texts($0) }
    #expect(found == keys.filter { $0 != 7 && 1...5000 ~= $0 }.map { "note \($0)" })
    #expect(reader.rowsRead == found.count)
    // 206 keys: 12 statements with 16 keys, and 14 with one.
    #expect(snapshot.connection.statementsRun - before <= 30)
  }

  @Test func `a batch that is full ends within a statement`() throws {
    let large = String(repeating: "x", count: 3 << 20)
    let snapshot = try snapshot((1...40).map { "\($0)\(large)" })
    let reader = try reader(snapshot)
    let keys: [Int64] = (1...40).flatMap { [$0, $0] }
    var found: [String] = []
    var sizes: [Int] = []
    try reader.forEachBatch(of: keys) {
      let texts = texts($0)
      sizes.append(texts.count)
      found += texts.map { String($0.dropLast(large.count)) }
    }
    #expect(found == keys.filter { $0 != 7 }.map { "\($0)" })
    #expect(sizes.allSatisfy { $0 <= 8 }, "\(sizes)")
  }
}
