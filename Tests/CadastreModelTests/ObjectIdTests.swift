import Foundation
import Testing

@testable import CadastreModel

@Suite struct ObjectIdTests {
  @Test func `the text is 24 lower-case digits and is parsed in either case`() throws {
    let id = ObjectId("5f00000000000000000000aF")

    #expect(id.stringValue == "5f00000000000000000000af")
    #expect(try ObjectId(string: "5F00000000000000000000AF") == id)
  }

  @Test(arguments: [
    "", "5f", "5f00000000000000000000a", "5f00000000000000000000ag", "ü",
    "5f00000000000000000000a\0",
  ])
  func `any other text is rejected and quoted`(text: String) {
    let error = #expect(throws: ObjectIdTextError.self) { try ObjectId(string: text) }
    #expect(
      error?.description == "expected 24 hexadecimal digits for an object id, found '\(text)'")
  }

  @Test func `generated identifiers differ and ascend`() {
    let ids = (0..<10_000).map { _ in ObjectId.generate() }

    #expect(Set(ids).count == ids.count)
    #expect(abs(ids[0].timestamp.timeIntervalSinceNow) < 60)
  }

  @Test func `generated identifiers of several threads differ`() async {
    let ids = await withTaskGroup(of: [ObjectId].self) { group in
      for _ in 0..<4 { group.addTask { (0..<1000).map { _ in ObjectId.generate() } } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(ids).count == 4000)
  }

  @Test func `machine and process are the middle bytes`() {
    let id = ObjectId(
      timestamp: Date(timeIntervalSince1970: 0x0102_0304), machineId: 0x05_0607, processId: 0x0809)

    #expect(id.stringValue.hasPrefix("010203040506070809"))
    #expect(id.timestamp == Date(timeIntervalSince1970: 0x0102_0304))
  }

  @Test func `identifiers are sorted by bytes`() {
    #expect(ObjectId("000000000000000000000001") < ObjectId("ff0000000000000000000000"))
    #expect(ObjectId() < ObjectId("000000000000000000000001"))
  }

  @Test func `identifiers round-trip through JSON as text`() throws {
    let id = ObjectId("5f00000000000000000000af")
    let json = try JSONEncoder().encode([id])

    #expect(String(decoding: json, as: UTF8.self) == #"["5f00000000000000000000af"]"#)
    #expect(try JSONDecoder().decode([ObjectId].self, from: json) == [id])
  }
}
