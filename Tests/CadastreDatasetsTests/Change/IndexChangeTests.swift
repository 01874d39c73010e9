import CadastreModel
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// The fields that one index can have.
@Suite struct IndexChangeTests {
  private static let schema = Schema([
    ObjectSchema(
      className: "Journey",
      properties: [
        Property(name: "number", type: .int),
        Property(name: "start", type: .object, isOptional: true, objectClassName: "Stop"),
        Property(name: "end", type: .object, isOptional: true, objectClassName: "Stop"),
      ]),
    ObjectSchema(
      className: "Stop",
      properties: [Property(name: "town", type: .string), Property(name: "at", type: .date)],
      isEmbedded: true),
  ])

  @Test func `an index has fields of one object`() throws {
    let folder = try ScratchFolder()
    let path = folder.url.appendingPathComponent("s").path
    let store = try OpenStores.store(at: path)
    try store.prepare(for: Self.schema)
    func change(_ fields: [String], isRemoving: Bool) throws -> Bool {
      try IndexChange(
        store: path, className: "Journey", fields: fields, isRemoving: isRemoving
      ).run()
    }
    func indexes() throws -> [[String]]? {
      try store.snapshot().catalogue.schema["Stop"]?.compoundIndexes
    }

    // Both objects have the same class.
    for isRemoving in [false, true] {
      for fields in [
        ["start.town", "end.at"], ["start.town", "number"], ["end.at", "start.town"],
      ] {
        let error = #expect(throws: IndexChange.UnsupportedField.self) {
          try change(fields, isRemoving: isRemoving)
        }
        #expect(
          error?.description == "'\(fields[0])', '\(fields[1])' are fields of different objects; "
            + "an index has fields of one object")
      }
      #expect(try indexes() == (isRemoving ? [["town", "at"]] : []))
      #expect(try change(["start.town", "start.at"], isRemoving: isRemoving))
    }
    #expect(try indexes() == [])
    #expect(try StoreCheck(store.snapshot()).problems() == [])
  }
}
