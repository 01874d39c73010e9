import Foundation
import Testing

/// A killed import stores all of its rows or none, and does not change older rows.
@Suite struct InterruptionTests {
  @Test(arguments: [20, 120, 300, 650])
  func `a killed import stores all rows or none`(milliseconds: Int) throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let rows = 20_000
    var csv = "id,name,lat,lon\n"
    for row in 0..<rows { csv += "\(row),name \(row),\(row % 90),\(row % 180)\n" }
    let file = try scratch.csv(csv)
    let earlier = try scratch.csv("id,n\n1,10\n2,20\n", "earlier.csv")
    try succeed("import", earlier, "--store", store, "--into", "Old", "--pk", "id")

    let process = try Program.start([
      "import", file, "--store", store, "--into", "New", "--pk", "id", "--index", "name",
    ])
    usleep(UInt32(milliseconds * 1000))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()

    #expect(try succeed("check", store).stdout == "ok\n")
    #expect(try succeed("query", store, "Old", "n > 5", "--format", "count").stdout == "2\n")
    if try succeed("schema", store).stdout.contains("New\n") {
      #expect(try succeed("query", store, "New", "--format", "count").stdout == "\(rows)\n")
    }
    // The store can be written immediately after.
    try succeed(
      "import", file, "--store", store, "--into", "New", "--pk", "id", "--skip-existing")
    #expect(try succeed("query", store, "New", "--format", "count").stdout == "\(rows)\n")
    #expect(try succeed("check", store).stdout == "ok\n")
  }

  @Test func `a store can be written after its first import was killed`() throws {
    for milliseconds in [5, 15, 30, 60] {
      let scratch = try Scratch()
      let store = scratch.path("s")
      let arguments = ["import", Airports.csv, "--store", store, "--into", "A", "--pk", "icao"]
      let process = try Program.start(arguments)
      usleep(UInt32(milliseconds * 1000))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()

      let csv = try scratch.csv("id\n1\n")
      try succeed("import", csv, "--store", store, "--into", "T")
      #expect(try succeed("query", store, "T", "--format", "count").stdout == "1\n")
      #expect(try succeed("check", store).stdout == "ok\n")
    }
  }

  @Test func `concurrent imports run one after the other`() throws {
    let scratch = try Scratch()
    let store = scratch.path("s")
    let bad = try scratch.csv("id\n" + (0..<3000).map { "\($0)\n" }.joined() + "0\n", "bad.csv")
    var processes: [Process] = []
    let errors = try (0..<8).map { try scratch.file("errors \($0)", "") }
    for number in 0..<4 {
      let csv = try scratch.csv("id\n" + (0..<500).map { "\($0)\n" }.joined(), "\(number).csv")
      processes.append(
        try Program.start(
          ["import", bad, "--store", store, "--into", "Bad", "--pk", "id"],
          errors: errors[processes.count]))
      processes.append(
        try Program.start(
          ["import", csv, "--store", store, "--into", "T\(number)"],
          errors: errors[processes.count]))
    }
    for process in processes { process.waitUntilExit() }

    for (index, process) in processes.enumerated() {
      let said = try String(contentsOf: errors[index], encoding: .utf8)
      #expect(process.terminationStatus == (index.isMultiple(of: 2) ? 1 : 0), "\(said)")
    }
    for number in 0..<4 {
      #expect(try succeed("query", store, "T\(number)", "--format", "count").stdout == "500\n")
    }
    #expect(try succeed("check", store).stdout == "ok\n")
  }
}
