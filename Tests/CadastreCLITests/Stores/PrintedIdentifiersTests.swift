// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
import Testing

// The classes between the marks are the output of `cadastre schema seas --format swift`.
// <models>
import Cadastre
import Foundation

class Map_2: Object {
  @Persisted var scale: Int

  override class func _realmObjectName() -> String? { "Map" }
}

class Sea_Port_2: Object {
  @Persisted var a_b_2: Int
  @Persisted var a_b: Int
  @Persisted var _a_b_3: Int
  @Persisted var description_2: Int
  @Persisted var `class`: Int

  override class func _realmObjectName() -> String? { "Sea-Port" }

  override class func propertiesMapping() -> [String: String] {
    [
      "a_b_2": "a-b",
      "_a_b_3": "_a_b",
      "description_2": "description",
    ]
  }
}

class Sea_Port: Object {
  @Persisted var depth: Int
}
// </models>

/// Printed classes of names that are no identifiers, or that differ only in such characters.
@Suite struct PrintedIdentifiersTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("seas")
    let tables = [
      ("Sea-Port", "a-b,a_b,_a_b,description,class\n1,2,3,4,5\n"), ("Sea_Port", "depth\n6\n"),
      ("Map", "scale\n7\n"),
    ]
    for (className, csv) in tables {
      try succeed(
        "import", try scratch.csv(csv, className + ".csv"), "--header", "--store", store, "--into",
        className)
    }
  }

  // The declarations of `a-b` and `a_b` had the same identifier, so that the output did not compile.
  @Test func `the printed classes have distinct identifiers`() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let models = try #require(source.firstMatch(of: /(?s)\n\/\/ <models>\n(.*?)\/\/ <\/models>/)).1

    #expect(try succeed("schema", store, "--format", "swift").stdout == models)
  }

  @Test func `the printed classes read the properties of their names`() throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        fileURL: URL(fileURLWithPath: store),
        objectTypes: [Sea_Port_2.self, Sea_Port.self, Map_2.self]))
    let port = try #require(realm.objects(Sea_Port_2.self).first)

    let values: [Int] = [port.a_b_2, port.a_b, port._a_b_3, port.description_2, port.class]
    #expect(values == [1, 2, 3, 4, 5])
    #expect(realm.objects(Sea_Port.self).first?.depth == 6)
    #expect(realm.objects(Map_2.self).first?.scale == 7)
  }
}
