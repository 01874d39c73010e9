@testable import CadastreCLI
import CadastreDatasets
import CadastreModel
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// `cadastre history` and `cadastre undo`.
@Suite struct UndoCommandTests {
  private func import3(_ scratch: Scratch) throws -> String {
    let store = scratch.path("s")
    let file = try scratch.csv("id,name,rank\n1,a,1\n2,b,2\n3,c,3\n")
    try succeed("import", file, "--store", store, "--into", "T", "--pk", "id")
    return store
  }

  private func rows(_ store: String) throws -> String {
    try succeed("query", store, "T", "--sort", "id", "--format", "csv").stdout
  }

  @Test func `a change is undone by its number where its objects are as it has left them`() throws {
    let scratch = try Scratch()
    let store = try import3(scratch)
    try succeed("set", store, "T", "id == 1", "rank=10")
    try succeed("set", store, "T", "id == 2", "rank=20")
    try succeed("set", store, "T", "id < 3", "name=z")
    try succeed("delete", store, "T", "id == 3")
    // Another field of the object, and other objects, were changed since.
    #expect(
      try succeed("undo", store, "2").stderr
        == "undid change 2 (cadastre set \(store) T 'id == 1' rank=10): 1 object changed\n")
    #expect(try rows(store) == "id,name,rank\n1,z,1\n2,z,20\n")
    try succeed("set", store, "T", "id == 2", "rank=21")
    try fail(
      "undo", store, "3",
      saying: "change 3 cannot be undone, because objects were changed since: T 2")
    try fail("undo", store, "2", saying: "change 2 was undone by change 6")
    try fail("undo", store, "99", saying: "the store has no recorded change 99")
    try fail(
      "undo", store, "1",
      saying: "change 1 cannot be undone, because objects were changed since: T 1, T 2, row 3 of T")
    try succeed(
      "import", try scratch.csv("id,name,rank\n3,new,0\n", "3.csv"), "--store", store,
      "--into", "T")
    try fail(
      "undo", store, "5",
      saying: "change 5 cannot be undone, because objects were changed since: T 3")
    #expect(try rows(store) == "id,name,rank\n1,z,1\n2,z,21\n3,new,0\n")
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `the history lists what was changed, and what can be undone`() throws {
    let scratch = try Scratch()
    let store = try import3(scratch)
    try succeed("delete", store, "T", "name == 'q'")
    try succeed("set", store, "T", "id == 1", "rank=5", "--dry-run")
    try succeed("set", store, "T", "id == 1", "name=it's")
    #expect(
      try Program.run(
        ["set", store, "T", "id == 1", "rank=7"], through: ["/usr/bin/env", "CADASTRE_HISTORY=0"]
      ).status == 0)
    try succeed("undo", store)
    let lines = try succeed("history", store, "--format", "json").stdout
    let entries = try #require(
      JSONSerialization.jsonObject(with: Data(lines.utf8)) as? [[String: Any]])
    #expect(entries.map { $0["change"] as? Int } == [3, 2, 1])
    #expect(entries.map { $0["state"] as? String } == ["undoes 2", "undone by 3", "can be undone"])
    #expect(
      entries.map { $0["objects"] as? String } == [
        "1 of T changed", "1 of T changed", "class T created, 3 of T added",
      ])
    #expect(
      entries[1]["command"] as? String == "cadastre set \(store) T 'id == 1' \"name=it's\"")
    #expect(try succeed("history", store, "--limit", "1").lines.count == 3)
    #expect(try rows(store) == "id,name,rank\n1,a,7\n2,b,2\n3,c,3\n")
    #expect(
      CommandRecord.withoutPassword("postgres://me:secret@host/db?password=x&sslmode=require")
        == "postgres://me:***@host/db?password=***&sslmode=require")
  }

  @Test func `records beyond the limit are given up, the oldest first`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let text = String(repeating: "x", count: 300_000)
    let rows = (1...6).map { "\($0),\(text)" }.joined(separator: "\n")
    let file = try scratch.csv("id,text\n\(rows)\n")
    let environment = ["/usr/bin/env", "CADASTRE_HISTORY=1"]
    for arguments in [
      ["import", file, "--store", store, "--into", "T", "--pk", "id"],
      ["set", store, "T", "id <= 3", "text=a"], ["set", store, "T", "id == 4", "text=b"],
      ["set", store, "T", "id >= 5", "text=c"],
    ] {
      #expect(try Program.run(arguments, through: environment).status == 0)
    }
    let lines = try succeed("history", store).lines
    #expect(lines.filter { $0.contains("cannot be undone") }.count == 2)
    try fail("undo", store, "2", saying: "its record is not kept")
    try succeed("undo", store)
    try succeed("undo", store)
    #expect(
      try succeed("query", store, "T", "text.@count == 300000", "--format", "count").stdout
        == "3\n")
    #expect(
      try Program.run(["history", store], through: ["/usr/bin/env", "CADASTRE_HISTORY=-1"]).stderr
        .contains("expected megabytes from 0 to 1000"))
  }

  private func nested(_ scratch: Scratch) throws -> String {
    let store = scratch.path("n")
    let lines = (1...4).map {
      #"{"id":\#($0),"city":"c\#($0)","info":{"a":\#($0),"b":{"c":"z\#($0)","d":\#($0)}},"#
        + #""items":[{"k":\#($0),"v":"v\#($0)"},{"k":9,"v":"w"}]}"#
    }
    let file = try scratch.csv(lines.joined(separator: "\n") + "\n", "n.ndjson")
    try succeed("import", file, "--store", store, "--into", "N", "--pk", "id")
    return store
  }

  @Test(arguments: [
    ["NInfo", "a"], ["NInfoB", "c"], ["NInfo", "b"], ["NItems", "v"], ["N", "id"], ["N", "city"],
    ["N", "info"], ["N", "items"],
  ])
  func `dropped fields come back with the values of all objects`(field: [String]) throws {
    let scratch = try Scratch()
    let store = try nested(scratch)
    let before = try StoreDump.contents(store)
    try succeed(["drop", store] + field)
    #expect(try StoreDump.contents(store) != before)
    try succeed("undo", store)
    #expect(StoreDump.difference(try StoreDump.contents(store), before) == "")
    try succeed("undo", store, "3")
    try succeed("undo", store)
    #expect(StoreDump.difference(try StoreDump.contents(store), before) == "")
  }

  @Test func `new fields that were set since are not removed`() throws {
    let scratch = try Scratch()
    let store = try nested(scratch)
    let file = try scratch.csv("id,extra\n1,7\n", "e.csv")
    try succeed("set", store, "N", "TRUEPREDICATE", "--add", "f double=id")
    try succeed("copy", store, "N", "city", "town")
    try succeed(
      "import", file, "--store", store, "--into", "N", "--upsert", "--pk", "id", "--alter")
    try succeed("set", store, "N", "id == 1", "f=77")
    try succeed("set", store, "N", "id == 2", "town=mine")
    try succeed("set", store, "N", "id == 3", "extra=9")
    let before = try StoreDump.contents(store)
    for (number, id) in [("4", 3), ("3", 2), ("2", 1)] {
      let outcome = try Program.run(["undo", store, number])
      #expect(outcome.status == 1 && !outcome.stderr.contains("undid"), "\(outcome.stderr)")
      if number == "4" { #expect(outcome.stderr.contains("changed since: N \(id)")) }
    }
    #expect(try StoreDump.contents(store) == before)
    for _ in 1...6 { try succeed("undo", store) }
    #expect(try succeed("query", store, "N", "--format", "count").stdout == "4\n")
  }

  @Test func `objects come back only where their class has no other required fields`() throws {
    let scratch = try Scratch()
    let store = try nested(scratch)
    try succeed("drop", store, "N", "city")
    try succeed("delete", store, "N", "id == 1")
    try succeed("undo", store, "2")
    try fail("undo", store, "3", saying: "class 'N' got the field 'city' since")
    try succeed("undo", store, "4")
    try succeed("undo", store, "3")
    try succeed("undo", store, "2")
    #expect(try succeed("query", store, "N", "city == 'c1'", "--format", "count").stdout == "1\n")
  }

  @Test func `what does not change is not recorded, and shared embedded classes stay`() throws {
    let scratch = try Scratch()
    let store = try import3(scratch)
    try succeed("set", store, "T", "id == 1", "rank=1")
    #expect(try succeed("history", store).lines.count == 3)
    let points = try scratch.csv("id,lat,lon\n1,2,3\n", "p.csv")
    for name in ["P", "Q"] {
      try succeed("import", points, "--store", store, "--into", name, "--pk", "id")
    }
    try succeed("undo", store, "2")
    #expect(
      try succeed("query", store, "Q", "--format", "csv").stdout == "id,longitude,latitude\n1,3,2\n"
    )
    try succeed("undo", store)
    #expect(try succeed("schema", store).stdout.contains("T\n"))
  }

  @Test(arguments: [
    "UPDATE cadastre_history SET number = 9223372036854775807 WHERE number = 2",
    "UPDATE cadastre_history SET number = -5 WHERE number = 2",
    "DROP TABLE cadastre_history; CREATE TABLE cadastre_history(a)",
    "DROP TABLE cadastre_history; CREATE VIEW cadastre_history AS SELECT 1 AS number",
    "UPDATE cadastre_history SET version = 'x', base = x'00', record = 'text', moves = 3, time = 1e300",
  ])
  func `what others do to the table does not hinder changes`(sql: String) throws {
    let scratch = try Scratch()
    let store = try import3(scratch)
    try succeed("set", store, "T", "id == 1", "rank=10")
    let connection = try Connection(path: store, mode: .writingForeign(isShared: true))
    for statement in sql.split(separator: ";") { try connection.run(String(statement)) }
    try succeed("set", store, "T", "id == 2", "rank=20")
    #expect(try rows(store) == "id,name,rank\n1,a,10\n2,b,20\n3,c,3\n")
    for command in ["history", "undo", "undo"] {
      let outcome = try Program.run([command, store])
      #expect(outcome.status <= 1, "\(outcome.stderr)")
    }
    #expect(try succeed("check", store).stdout.hasSuffix("ok\n"))
  }

  @Test func `a damaged record changes nothing`() throws {
    let scratch = try Scratch()
    let store = try import3(scratch)
    try succeed("set", store, "T", "id == 1", "rank=10")
    try succeed("delete", store, "T", "id == 2")
    let before = try rows(store)
    var random = SeededGenerator(seed: 20_261_130)
    for number in [2, 3] {
      let record = try #require(try blob(store, number))
      for _ in 0..<40 {
        var bytes = record
        let kind = random.below(3)
        if kind == 0 {
          bytes.removeLast(random.below(bytes.count) + 1)
        } else {
          bytes[random.below(bytes.count)] = UInt8(random.below(256))
        }
        try write(bytes, store, number)
        // A changed byte of a value or a checksum is not detected as damage.
        if (try? RecordedChanges.undo(Int64(number), in: store, isDryRun: true)) == nil {
          #expect(throws: (any Error).self) {
            try RecordedChanges.undo(Int64(number), in: store, isDryRun: false)
          }
        }
        #expect(try rows(store) == before)
      }
      try write(record, store, number)
    }
    try succeed("undo", store)
    try succeed("undo", store)
    #expect(try rows(store) == "id,name,rank\n1,a,1\n2,b,2\n3,c,3\n")
  }

  private func blob(_ store: String, _ number: Int) throws -> Data? {
    let connection = try Connection(path: store, mode: .readWrite)
    let rows = try connection.statement(
      "SELECT record FROM cadastre_history WHERE number = \(number)")
    guard try rows.step() else { return nil }
    return rows.withBlobBytes(0) { Data($0) }
  }

  private func write(_ bytes: Data, _ store: String, _ number: Int) throws {
    let connection = try Connection(path: store, mode: .readWrite)
    try connection.run(
      "UPDATE cadastre_history SET record = ? WHERE number = ?", .data(bytes), .int(Int64(number)))
  }
}
