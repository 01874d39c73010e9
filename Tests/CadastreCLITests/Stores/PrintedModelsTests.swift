import Foundation
import Testing

// The classes between the marks are the output of `cadastre schema harbors --format swift`.
// <models>
import Cadastre
import Foundation

class Harbor: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var name: String
  @Persisted var depth: Double?
  @Persisted var opened: Date
  @Persisted var location: Location?

  override class func compoundIndexes() -> [[String]] { [["name", "opened"]] }
}

class Location: EmbeddedObject {
  @Persisted var type: String
  @Persisted var coordinates: List<Double>
}
// </models>

/// A store that the command line made is opened by the classes that it prints.
@Suite struct PrintedModelsTests {
  private let scratch: Scratch
  private let store: String

  init() throws {
    scratch = try Scratch()
    store = scratch.path("harbors")
    let csv = try scratch.csv(
      "id,name,depth,opened,lat,lon\n1,Aarhus,7.5,2001-05-01,56.15,10.22\n"
        + "2,Bergen,,1998-02-03,60.4,5.3\n")
    try succeed(
      "import", csv, "--store", store, "--into", "Harbor", "--pk", "id", "--index", "name",
      "--index", "name,opened")
  }

  private func configuration(_ version: UInt64 = 0, _ types: [ObjectBase.Type]? = nil)
    -> Realm.Configuration
  {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: store), schemaVersion: version,
      objectTypes: types ?? [Harbor.self, Location.self])
  }

  @Test func `the printed classes are those of this file`() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let models = try #require(source.firstMatch(of: /(?s)\n\/\/ <models>\n(.*?)\/\/ <\/models>/)).1

    #expect(try succeed("schema", store, "--format", "swift").stdout == models)
  }

  @Test func `the printed classes open the very store, and the command line sees their changes`()
    throws
  {
    do {
      let realm = try Realm(configuration: configuration())
      let harbors = realm.objects(Harbor.self).sorted(byKeyPath: "id")
      #expect(harbors.map(\.name) == ["Aarhus", "Bergen"] && harbors.map(\.depth) == [7.5, nil])
      #expect(harbors.first?.location?.coordinates.map { $0 } == [10.22, 56.15])
      try realm.write { harbors.last?.depth = 11 }
    }
    #expect(
      try succeed(
        "query", store, "Harbor", "depth > 10", "--select", "name,depth", "--format", "csv"
      )
      .stdout == "name,depth\nBergen,11.0\n")
    #expect(try succeed("check", store).stdout == "ok\n")
  }
}
