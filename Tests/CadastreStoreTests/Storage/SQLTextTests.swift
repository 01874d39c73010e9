import CadastreSQLite
import Testing

/// The statements of texts that are run often.
@Suite struct SQLTextTests {
  @Test func `texts of any number of objects share the statements of equal texts`() throws {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    let kept = SQLText("SELECT 1")
    let statement = try connection.statement(kept)
    for _ in 0..<3000 {
      #expect(try connection.statement(SQLText("SELECT 1")) === statement)
    }
    #expect(try connection.statement(kept) === statement)
    #expect(try connection.statement("SELECT 1") === statement)
  }

  @Test func `a statement that is in use is not returned again`() throws {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    let text = SQLText("SELECT 1 UNION ALL SELECT 2")
    let first = try connection.statement(text)
    #expect(try first.step())
    let second = try connection.statement(text)
    #expect(second !== first)
    #expect(try second.step() && second.step() && !second.step())
    #expect(try first.step() && !first.step())
  }

  @Test func `a connection keeps a limited number of statements, and those in use`() throws {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    let first = try connection.statement("SELECT 1 UNION ALL SELECT 2")
    #expect(try first.step())
    for number in 0..<3000 {
      #expect(try connection.integer("SELECT \(number)") == Int64(number))
      let text = SQLText("SELECT -\(number)")
      #expect(try connection.firstInteger(of: connection.statement(text)) == -Int64(number))
    }
    #expect(connection.preparedStatements < 1100)
    #expect(try first.step() && !first.step())
    #expect(try connection.statement("SELECT 1 UNION ALL SELECT 2") === first)
  }
}
