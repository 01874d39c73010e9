import CSQLite
import Foundation
import Testing

/// The commands that maintain a store.
@Suite struct MaintenanceTests {
  /// Runs SQL statements on a store, as a foreign tool might.
  private func sqlite(_ store: String, _ statements: String) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    try #require(sqlite3_open(store, &handle) == SQLITE_OK)
    sqlite3_busy_timeout(handle, 60_000)
    #expect(sqlite3_exec(handle, statements, nil, nil, nil) == SQLITE_OK)
  }

  @Test func `compact shrinks a store`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore("a")
    let full = try scratch.bytes("a").count
    try sqlite(store, "DELETE FROM Airport WHERE country <> 'FR'")
    let outcome = try succeed("compact", store)

    #expect(
      outcome.stdout.wholeMatch(
        of: /before  [0-9,]+ bytes, [0-9,]+ in use\nafter   [0-9,]+ bytes\n/) != nil,
      "\(outcome.stdout)")
    #expect(try scratch.bytes("a").count < full / 2)
    #expect(
      try succeed("query", store, "Airport", "country == 'FR'", "--format", "count").stdout
        != "0\n")
    try fail("compact", scratch.path("none"), saying: "none", "no store")
    #expect(!scratch.names.contains("none"))
  }

  @Test func `check detects changes by a foreign tool and repairs indexes and counters`() throws {
    let scratch = try Scratch()
    let store = try scratch.airportsStore("a")
    try sqlite(
      store,
      """
      DELETE FROM "rtree_Airport.location" WHERE "key" < 100;
      DROP INDEX "index_Airport.country";
      DELETE FROM Airport WHERE "#key" = 500;
      UPDATE Airport SET "location.latitude" = 95 WHERE "#key" = 700;
      """)
    let outcome = try run("check", store)
    #expect(outcome.status == 1 && outcome.stderr == "")
    #expect(outcome.stdout.contains("the index 'index_Airport.country' is missing"))

    let repaired = try run("check", store, "--repair")
    #expect(repaired.status == 1 && repaired.stderr == "")
    for line in [
      "rebuilt the index 'index_Airport.country'", "rebuilt the spatial index 'Airport.location'",
      "recounted the rows of class 'Airport'",
      "not repaired: 1 points 'Airport.location' have an invalid longitude or latitude",
    ] { #expect(repaired.lines.contains(Substring(line)), "\(repaired.stdout)") }
    #expect(repaired.lines.count == 4)

    try sqlite(store, "UPDATE Airport SET \"location.latitude\" = 45 WHERE \"#key\" = 700")
    #expect(try succeed("check", store, "--repair").stdout.hasSuffix("\nok\n"))
    #expect(try succeed("check", store).stdout == "ok\n")
    #expect(try succeed("check", store, "--repair").stdout == "ok\n")
  }
}
