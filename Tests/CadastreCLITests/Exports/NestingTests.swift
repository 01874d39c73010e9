import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation
import Testing

/// Objects that are embedded in objects of their own class, deeply or in a cycle.
@Suite struct NestingTests {
  private let scratch: Scratch
  private let store: String

  private static let schema = Schema([
    ObjectSchema(
      className: "Tree",
      properties: [
        Property(
          name: "nodes", type: .object, collection: .list, objectClassName: "Node")
      ]),
    ObjectSchema(
      className: "Node",
      properties: [
        Property(name: "number", type: .int),
        Property(
          name: "nodes", type: .object, collection: .list, objectClassName: "Node"),
      ], isEmbedded: true),
  ])

  init() throws {
    scratch = try Scratch()
    store = scratch.path("s")
  }

  /// Creates a store with one tree of nodes in each other; the last one contains copies of `last`.
  private func create(depth: Int64, last: [Int64] = [], copies: Int = 1) throws {
    try OpenStores.store(at: store).prepare(for: Self.schema)
    let connection = try Connection.writingForeign(store)
    try connection.run("BEGIN")
    try connection.run("INSERT INTO Tree(\"#key\", nodes) VALUES (1, 1)")
    try connection.run("INSERT INTO \"Tree.nodes\" VALUES (1, 0, 1)")
    for number in 1...depth {
      let inner = number == depth ? last : [Int64](repeating: number + 1, count: copies)
      try connection.run(
        "INSERT INTO Node(\"#key\", number, nodes) VALUES (\(number), \(number), \(inner.count))")
      for (position, node) in inner.enumerated() {
        try connection.run("INSERT INTO \"Node.nodes\" VALUES (\(number), \(position), \(node))")
      }
    }
    for (name, count) in [("Tree", 1), ("Node", depth)] {
      try connection.run(
        "UPDATE cadastre_class SET row_count = \(count), next_key = \(count + 1) "
          + "WHERE name = '\(name)'")
    }
    try connection.run("COMMIT")
  }

  private var commands: [[String]] {
    ["json", "ndjson", "csv", "table", "geojson"].map {
      ["query", store, "Tree", "--format", $0]
    } + [["export", store, "Tree", "--to", "-", "--format", "csv"]]
  }

  @Test func `objects on many levels are printed`() throws {
    try create(depth: 500)
    #expect(try succeed("check", store).stdout == "ok\n")
    for command in commands {
      let outcome = try Program.run(command)
      #expect(outcome.status == 0 && outcome.stdout.contains("500"), "\(outcome.stderr)")
    }
  }

  // The stack of the process was exhausted.
  @Test func `objects on too many levels are an error`() throws {
    try create(depth: 3000)
    for command in commands {
      let outcome = try Program.run(command)
      #expect(outcome.status == 1 && outcome.stderr.contains("500 levels"), "\(outcome.stderr)")
    }
    #expect(try succeed("query", store, "Tree", "--format", "count").stdout == "1\n")
  }

  @Test func `objects that contain themselves are an error`() throws {
    try create(depth: 3, last: [2])
    for command in commands {
      let outcome = try Program.run(command)
      #expect(outcome.status == 1 && outcome.stderr.contains("embedded in several objects"))
    }
    #expect(try run("check", store).stdout.contains("more than one owner"))
  }

  // Each level doubled the number of objects to read.
  @Test func `objects in several objects are an error`() throws {
    try create(depth: 60, copies: 2)
    for command in commands {
      let outcome = try Program.run(command)
      #expect(outcome.status == 1 && outcome.stderr.contains("embedded in several objects"))
    }
  }
}
