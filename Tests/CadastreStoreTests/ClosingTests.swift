import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The last process that closes a store copies the log into the file and removes it, under the write lock.
@Suite struct ClosingTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  @Test func `a statement that outlives its store does not delay the end of the log`() throws {
    let path = folder.file("s.cadastre")
    var statement: Statement?
    do {
      let file = StoreFile(path: path)
      let transaction = try file.beginWrite()
      try transaction.adopt(Boats.schema)
      _ = try transaction.insert("Harbor", object: ["code": .text("A"), "name": .text("A")])
      statement = try transaction.connection.statement("SELECT count(*) FROM cadastre_class")
      try transaction.commit()
      #expect(FileManager.default.fileExists(atPath: path + "-wal"))
    }
    // A later checkpoint would run without the lock that the store held while it closed.
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    #expect(statement?.sql.isEmpty == false)
    statement = nil
    #expect(try StoreFile(path: path).snapshot().rowCount("Harbor") == 1)
  }
}
