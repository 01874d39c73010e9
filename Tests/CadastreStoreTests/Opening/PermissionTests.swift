import CadastreModel
import Foundation
import Testing

@testable import CadastreStore

/// The permissions of the files beside a store, and of its copies.
@Suite struct PermissionTests {
  private let folder: TestFolder
  private let path: String

  private static let schema = Schema([
    ObjectSchema(className: "Thing", properties: [Property(name: "number", type: .int)])
  ])

  init() throws {
    folder = try TestFolder()
    path = folder.file("a.cadastre")
    try OpenStores.store(at: path).prepare(for: Self.schema)
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.file(name))[.posixPermissions] as? Int
  }

  private func set(_ mode: Int, _ name: String = "a.cadastre") throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode], ofItemAtPath: folder.file(name))
  }

  @Test(arguments: [0o600, 0o640, 0o664, 0o666])
  func `the files of the locks have the permissions of the store`(mode: Int) throws {
    try set(mode)
    try FileManager.default.removeItem(atPath: path + "-lock")
    for _ in 0..<2 {
      try add(["number": .int(1)], to: "Thing", try OpenStores.store(at: path))
      #expect(try self.mode("a.cadastre-lock") == mode)
      // An existing file of this user gets the permissions too.
      try set(0o604, "a.cadastre-lock")
    }
    let descriptor = try SideFile.open(path + "-wait", beside: path)
    defer { close(descriptor) }
    #expect(try self.mode("a.cadastre-wait") == mode)
  }

  @Test func `a link in place of the lock is not followed`() throws {
    try FileManager.default.removeItem(atPath: path + "-lock")
    let victim = folder.file("victim")
    try FileManager.default.createSymbolicLink(
      atPath: path + "-lock", withDestinationPath: victim)

    #expect(throws: StoreError.self) { _ = try OpenStores.store(at: path).beginWrite() }
    #expect(!FileManager.default.fileExists(atPath: victim))
  }

  @Test(arguments: [0o600, 0o640, 0o664])
  func `a copy has the permissions of the store`(mode: Int) throws {
    try set(mode)
    try StoreCopy(of: OpenStores.store(at: path).snapshot()).write(to: folder.file("b"))
    #expect(try self.mode("b") == mode)
  }

  @Test func `a copy of a read-only store can be written by its owner`() throws {
    try set(0o444)
    try StoreCopy(of: OpenStores.store(at: path).snapshot()).write(to: folder.file("b"))
    #expect(try self.mode("b") == 0o644)
  }
}
