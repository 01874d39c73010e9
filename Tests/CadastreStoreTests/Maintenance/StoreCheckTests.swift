import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// The problems that a check reports about collections, embedded objects and links after another program
/// has written the file.
@Suite struct StoreCheckTests {
  private let folder: TestFolder
  private let path: String

  init() throws {
    folder = try TestFolder()
    path = folder.file("checked.cadastre")
    let file = try OpenStores.store(at: path)
    try file.prepare(for: EveryKind.schema)
    let transaction = try file.beginWrite()
    let target = try transaction.insert("Target", object: ["label": .text("t")])
    let owner = try transaction.insert("Thing", object: ["link": .link(target)])
    for name in ["link_list", "mixed_list"] {
      let layout = try transaction.collection("Thing", name)
      let link: Value =
        name == "link_list"
        ? .link(target) : .object(ObjectAddress(className: "Target", key: target))
      try transaction.insert([link, link], at: 0, into: layout, of: owner)
    }
    let part = try transaction.insert("Part", object: ["text": .text("p")])
    let parts = try transaction.collection("Thing", "part_list")
    try transaction.insert([.link(part)], at: 0, into: parts, of: owner)
    try transaction.update(
      "Thing", owner,
      [
        (
          try #require(transaction.layout("Thing").columns.firstIndex { $0.name == "mixed" }),
          .object(ObjectAddress(className: "Target", key: target))
        )
      ])
    try transaction.commit()
  }

  private func problems(after sql: String...) throws -> [String] {
    let connection = try Connection(path: path, mode: .readWrite)
    for statement in sql { try connection.run(statement) }
    return try StoreCheck(OpenStores.store(at: path).snapshot()).problems()
  }

  @Test func `an intact store has no problems`() throws {
    #expect(try problems() == [])
  }

  @Test func `a wrong number of elements`() throws {
    let found = try problems(after: "UPDATE Thing SET link_list = 3")
    #expect(
      found == [
        "1 collections 'Thing.link_list' have another number of elements than their owners' rows say"
      ])
  }

  @Test func `elements of a missing owner`() throws {
    let found = try problems(after: "INSERT INTO \"Thing.int_list\" VALUES (99, 0, 7)")
    #expect(found == ["1 elements of 'Thing.int_list' belong to missing objects"])
  }

  @Test func `links to missing objects`() throws {
    let found = try problems(
      after: "DELETE FROM Target", "UPDATE cadastre_class SET row_count = 0 WHERE name = 'Target'")
    #expect(
      Set(found) == [
        "1 links 'Thing.link' refer to missing objects",
        "2 elements of 'Thing.link_list' refer to missing objects",
        "2 links 'Thing.mixed_list' refer to missing objects",
        "1 links 'Thing.mixed' refer to missing objects",
      ])
  }

  @Test func `a link to a missing class`() throws {
    let found = try problems(after: "UPDATE Thing SET \"mixed.type\" = 'link Nothing'")
    #expect(found == ["1 links 'Thing.mixed' refer to missing objects"])
  }

  @Test func `embedded objects without an owner and with two`() throws {
    let twice = try problems(after: "UPDATE Thing SET part = 1")
    #expect(twice == ["1 embedded objects 'Part' have more than one owner"])
    let none = try problems(
      after: "UPDATE Thing SET part = NULL, part_list = 0", "DELETE FROM \"Thing.part_list\"")
    #expect(none == ["1 embedded objects 'Part' have no owner"])
  }

  // One changed bit in the header of a row makes a small number null.
  @Test func `coordinates of a missing point`() throws {
    let found = try problems(
      after: "UPDATE Target SET place = NULL, \"place.longitude\" = 1, \"place.latitude\" = 2")
    #expect(
      found.contains("1 points 'Target.place' are missing, but have coordinates"))
  }

  @Test func `values that their types cannot hold`() throws {
    let found = try problems(
      after: "UPDATE Target SET place = x'00', label = x'41'",
      "INSERT INTO \"Thing.int_list\" VALUES (1, 0, 'x')", "UPDATE Thing SET int_list = 1")
    for name in ["Target.place", "Target.label", "Thing.int_list"] {
      #expect(found.contains("1 values of '\(name)' have another type"), "\(found)")
    }
  }

  @Test(arguments: [-1, 2, Int64.max])
  func `numbers that are neither true nor false`(number: Int64) throws {
    let found = try problems(
      after: "INSERT INTO \"Thing.bool_list\" VALUES (1, 0, \(number)), (1, 1, 1), (1, 2, 0)",
      "UPDATE Thing SET bool_list = 3")
    #expect(found == ["1 values of 'Thing.bool_list' have another type"])
  }
}
