import CadastreTestSupport
import Testing
import TestingSupport

/// Commands on a database that stops to answer, and addresses that are mistyped.
@Suite struct SilentDatabaseTests {
  @Test(.enabled(if: SilentServer.hasClient, "\(SilentServer.missing)"))
  func `a command ends when the database sends nothing`() throws {
    let server = try SilentServer(.afterFirstStatement, notice: "evil \u{1B}[31m text")
    defer { server.stop() }
    let address =
      "postgresql://me:secret@127.0.0.1:\(server.port)/x?sslmode=disable&gssencmode=disable"
    let scratch = try Scratch()
    for outcome in [
      try Program.run(["info", address], through: ["/usr/bin/env", "CADASTRE_TIMEOUT=1"]),
      try Program.run(["pull", address, scratch.path("a.cadastre"), "--timeout", "1"]),
    ] {
      #expect(outcome.status == 1)
      #expect(outcome.stderr.contains("did not answer any more"), "\(outcome.stderr)")
      #expect(outcome.stderr.contains("PostgreSQL: WARNING: evil ␛[31m text\n"))
      #expect(!outcome.stderr.contains("\u{1B}") && !outcome.stderr.contains("secret"))
    }
  }

  @Test func `limits of time are checked`() throws {
    try fail(
      "pull", "postgresql:///x", "a.cadastre", "--timeout", "0", saying: "between 1 and 86400",
      status: 64)
    let outcome = try Program.run(
      ["info", "postgresql:///x"], through: ["/usr/bin/env", "CADASTRE_TIMEOUT=soon"])
    expectSentence(outcome, ["CADASTRE_TIMEOUT is 'soon'", "from 1 to 86400"], status: 64)
  }

  @Test func `a mistyped address is not printed`() throws {
    let outcome = try Program.run(["pull", "postgres:/me:secret@localhost/x", "a.cadastre"])
    expectSentence(outcome, ["begin with postgresql://"], status: 64)
    #expect(!outcome.stderr.contains("secret"))
  }
}
