import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import Cadastre

/// Write transactions agree with a model of plain dictionaries, however much of them waits in memory.
@Suite struct WriteModelTests {
  /// The numbers of rows that may wait; nil is the usual capacity.
  private static let capacities: [Int?] = [0, 1, 7, nil]

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func configuration(_ capacity: Int?) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: folder.appending(path: "\(capacity.map { "\($0)" } ?? "usual").cadastre"),
      objectTypes: [WritePlot.self, WriteLeaf.self, WriteSpot.self, WritePart.self])
  }

  /// Runs a sequence, and returns the content that the store must have.
  private func run(
    seed: UInt64, _ capacity: Int?, transactions: Int
  ) throws -> (model: WriteModel, file: StoreFile)? {
    let corner = try Corner(configuration(capacity))
    // Notifications that were not delivered keep the Realm until they run.
    defer { corner.queue.sync {} }
    return corner.enter { realm in
      realm.core.file.bufferCapacity.withLock { $0 = capacity ?? $0 }
      let sequence = WriteSequence(realm, seed: seed)
      do {
        try sequence.run(transactions: transactions)
      } catch {
        Issue.record(
          """
          seed \(seed), capacity \(capacity.map { "\($0)" } ?? "usual"), \(sequence.current): \(error)
            operations of the transaction:
            \(sequence.operations.joined(separator: "\n  "))
          """)
        if realm.isInWriteTransaction { realm.cancelWrite() }
        return nil
      }
      #expect(sequence.step > transactions && sequence.observations > 0, "seed \(seed)")
      return (sequence.committed, realm.core.file)
    }
  }

  @Test func `fewer statements run the more updates may wait`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let counts = try [0, 7, nil].map { capacity in
      try Corner(configuration(capacity)).enter { realm in
        try realm.write {
          for id in 0..<20 { realm.create(WritePlot.self, value: ["id": id]) }
        }
        let plots = Array(realm.objects(WritePlot.self).sorted(by: \.id))
        realm.core.file.bufferCapacity.withLock { $0 = capacity ?? $0 }
        realm.beginWrite()
        defer { realm.cancelWrite() }
        // Asking the transaction for its connection writes what waits.
        let connection = try #require(realm.core.transaction).connection
        let before = connection.statementsRun
        for plot in plots { plot.number = 5 }
        let count = connection.statementsRun - before
        #expect(plots.map(\.number) == plots.map { _ in 5 })
        return count
      }
    }
    #expect(counts[0] > counts[1] && counts[1] > counts[2], "\(counts)")
  }

  @Test(arguments: Seeds.usual(1...3))
  func `every read agrees with the model, with every capacity`(seed: UInt64) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let contents = try Self.capacities.map { capacity in
      try run(seed: seed, capacity, transactions: 24)?.model
    }
    for content in contents { #expect(content == contents[0], "seed \(seed)") }
  }

  @Test(arguments: Seeds.usual(101...101))
  func `a migration of the content agrees with the model`(seed: UInt64) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for capacity in Self.capacities {
      guard let (content, file) = try run(seed: seed, capacity, transactions: 8) else { return }
      var expected = content
      for id in expected.plots.keys {
        expected.plots[id]?.rank += 10
        expected.plots[id]?.number += id
      }
      for serial in expected.leaves.keys.filter({ $0.isMultiple(of: 3) }) {
        expected.leaves[serial] = nil
      }
      var next = configuration(capacity)
      next.schemaVersion = 1
      next.objectTypes = NextWriteClasses.types
      next.migrationBlock = { migration, _ in
        migration.renameProperty(onType: "WritePlot", from: "number", to: "amount")
        migration.enumerateObjects(ofType: "WritePlot") { old, new in
          new?["rank"] = (old?["rank"] as? Int ?? 0) + 10
          new?["amount"] = (old?["number"] as? Int ?? 0) + (old?["id"] as? Int ?? 0)
        }
        migration.enumerateObjects(ofType: "WriteLeaf") { _, new in
          if let new, (new["serial"] as? Int ?? 0).isMultiple(of: 3) { migration.delete(new) }
        }
      }
      // The file, which the test holds, keeps its capacity.
      try withExtendedLifetime(file) {
        let realm = try Realm(configuration: next)
        #expect(realm.core.file === file)
        let what = "seed \(seed), capacity \(capacity.map { "\($0)" } ?? "usual")"
        if let (expected, found) = expected.difference(to: WriteModel(readingNext: realm)) {
          Issue.record("\(what), migration: expected \(expected)\n  found \(found)")
        }
        #expect(try StoreCheck(file.snapshot()).problems() == [], "\(what)")
      }
    }
  }
}
