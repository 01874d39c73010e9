import CadastreModel
import CadastreTestSupport
import Foundation

@testable import CadastreStore

/// A folder that is deleted when it is released.
final class TestFolder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.path + "/cadastre-tests-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }

  func write(_ name: String, _ bytes: some Sequence<UInt8>) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
  }
}

/// Adds one object to a store in a transaction of its own.
@discardableResult
func add(_ object: PlainObject, to className: String, _ file: StoreFile) throws -> ObjectKey {
  let transaction = try file.beginWrite()
  let key = try transaction.insert(className, object: object)
  try transaction.commit()
  return key
}

extension Member {
  static func text(_ value: String) -> Member { .value(.string(value)) }
  static func int(_ value: Int64) -> Member { .value(.int(value)) }
  static func double(_ value: Double) -> Member { .value(.double(value)) }
  static func link(_ key: ObjectKey) -> Member { .value(.link(key)) }
}
