import CadastreTestSupport
import Foundation
import Testing

/// Corrupt stores: the program prints an error or a result, and never crashes.
@Suite struct CorruptStoreTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns a store of a few hundred airports, so small that most changed bytes have an effect.
  private func smallStore() throws -> Data {
    try succeed(
      "import", Airports.csv, "--store", scratch.path("small"), "--into", "Airport", "--pk", "icao",
      "--index", "country", "--where", "country IN {'CH', 'BE', 'FJ'}")
    return try scratch.bytes("small")
  }

  private static let box = "location GEOWITHIN geoBox([5, 45], [8, 48])"

  private func commands(_ store: String) -> [[String]] {
    [
      ["query", store, "Airport", Self.box, "--format", "json"],
      ["query", store, "Airport", "country == 'BE'", "--format", "ids"],
      ["query", store, "Airport", "icao == 'LSZH'", "--format", "csv"],
      ["check", store],
    ]
  }

  private func expectErrorOrResult(_ outcome: Outcome, _ comment: Comment) {
    #expect(outcome.status == 0 || outcome.status == 1, comment)
    for word in ["Fatal", "rashed", "Backtrac", "NSCocoa"] {
      #expect(!outcome.stderr.contains(word), "\(comment) \(outcome.stderr)")
    }
    if outcome.status == 1 {
      #expect(outcome.stderr.hasPrefix("Error: ") || !outcome.stdout.isEmpty, comment)
    }
  }

  @Test func `a truncated store`() throws {
    let bytes = try smallStore()
    let csv = try scratch.csv("a\n1\n")
    for size in [99, 100, 512, 4096, 5000, bytes.count / 2, bytes.count - 4096, bytes.count - 1] {
      try scratch.file("cut", bytes.prefix(size))
      for command in commands(scratch.path("cut")) {
        expectErrorOrResult(try Program.run(command), "\(size) bytes, \(command[0])")
      }
      // SQLite ignores an incomplete last page, and the pages before it are complete.
      if size < bytes.count - 1 {
        try fail("import", csv, "--store", scratch.path("cut"), "--into", "T", saying: "cut")
        #expect(try scratch.bytes("cut") == bytes.prefix(size), "\(size) bytes")
      }
      for suffix in ["-wal", "-shm", "-lock"] {
        try? FileManager.default.removeItem(atPath: scratch.path("cut" + suffix))
      }
    }
  }

  @Test(arguments: Seeds.usual(0...9))
  func `a store with random changed bytes`(block: UInt64) throws {
    let bytes = try smallStore()
    for seed in block * 10..<block * 10 + 3 {
      var numbers = SeededGenerator(seed: seed)
      var corrupt = bytes
      for _ in 0..<Int.random(in: 1...4, using: &numbers) {
        let start = Int.random(in: 100..<bytes.count - 64, using: &numbers)
        for offset in 0..<Int.random(in: 1...64, using: &numbers) {
          corrupt[start + offset] = UInt8.random(in: 0...255, using: &numbers)
        }
      }
      let name = "corrupt-\(seed)"
      try scratch.file(name, corrupt)
      let command = try #require(commands(scratch.path(name)).randomElement(using: &numbers))
      expectErrorOrResult(try Program.run(command), "seed \(seed), \(command)")
    }
  }
}
