import Foundation
import Testing

/// Imports that are larger than the page cache of a connection.
@Suite struct LargeImportTests {
  @Test func `a new store is larger than the page cache of its writer`() throws {
    let scratch = try Scratch()
    let store = scratch.path("a.cadastre")
    let text = String(repeating: "long text ", count: 10_000)
    let lines = (0..<600).map { "\($0),\(text)\n" }.joined()
    let table = try scratch.csv("id,text\n" + lines)
    try succeed("import", table, "--store", store, "--into", "T", "--pk", "id")
    #expect(try succeed("query", store, "T", "--format", "count").stdout == "600\n")
    // The import of a new class can be undone.
    #expect(try succeed("history", store).stdout.contains("600 of T added"))
    try succeed("copy", store, "T", scratch.path("b.cadastre"))
    #expect(try succeed("check", scratch.path("b.cadastre")).stdout.hasPrefix("ok"))
    // A copy for which there is no room leaves nothing.
    let outcome = try Program.run(
      ["copy", store, "T", scratch.path("c.cadastre")],
      through: ["/bin/sh", "-c", "trap '' XFSZ; ulimit -f 20000; exec \"$0\" \"$@\""])
    #expect(outcome.status == 1 && outcome.stderr.contains("c.cadastre"), "\(outcome.stderr)")
    #expect(!scratch.names.contains { $0.hasPrefix("c.cadastre") }, "\(scratch.names)")
    try succeed("undo", store)
    try fail("query", store, "T", "--format", "count", saying: "no class 'T'")
  }
}
