import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Records of copies, which a store keeps beside its versions.
@Suite struct CopyRecordTests {
  private let folder: TestFolder
  private let file: StoreFile

  init() throws {
    folder = try TestFolder()
    file = try OpenStores.store(at: folder.file("records.cadastre"))
    try file.prepare(for: Boats.schema)
  }

  private func keep(_ content: [UInt8], _ className: String, _ name: String) throws {
    try file.snapshot().keepCopyRecords([
      CopyRecord(className: className, name: name, content: Data(content))
    ])
  }

  @Test func `a record is replaced and changes no version`() throws {
    let version = try file.snapshot().version
    #expect(try file.snapshot().copyRecord("Harbor", "a") == nil)
    try keep([1, 0, 255], "Harbor", "a")
    try keep([2], "Harbor", "b")
    try keep([3], "Harbor", "a")
    let snapshot = try file.snapshot()
    #expect(try snapshot.copyRecord("Harbor", "a") == Data([3]))
    #expect(try snapshot.copyRecord("Harbor", "b") == Data([2]))
    #expect(try snapshot.copyRecord("Boat", "a") == nil)
    #expect(snapshot.version == version)
    #expect(try StoreCheck(snapshot).problems() == [])
    #expect(
      try add(["code": .text("next"), "site": Boats.point(1, 2)], to: "Harbor", file)
        == ObjectKey(1))
  }

  @Test func `records of the last copies stay`() throws {
    for number in 0..<20 { try keep([UInt8(number)], "Harbor", "copy \(number)") }
    let snapshot = try file.snapshot()
    #expect(try snapshot.copyRecord("Harbor", "copy 19") == Data([19]))
    #expect(try snapshot.copyRecord("Harbor", "copy 0") == nil)
  }

  @Test func `a class that is renamed or removed has no records`() throws {
    try keep([1], "Harbor", "a")
    let transaction = try file.beginWrite()
    try transaction.renameClass("Harbor", to: "Port")
    try transaction.commit()
    let snapshot = try file.snapshot()
    #expect(try snapshot.copyRecord("Harbor", "a") == nil)
    #expect(try snapshot.copyRecord("Port", "a") == nil)
  }
}
