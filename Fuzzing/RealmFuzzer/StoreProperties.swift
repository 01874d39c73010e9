import Cadastre
import CadastreStore
import Foundation
import FuzzingDriver

/// The properties of a store in which bytes were changed: each input is a list of changes, four bytes each.
///
/// - Reading and writing end, with results or with a `StoreError` that has a message.
struct StoreProperties: RealmProperties {
  private let folder: URL
  private let intact: [UInt8]

  init() throws {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let parent =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    folder = parent.appendingPathComponent("cadastre-fuzzed-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let copy = folder.appendingPathComponent("intact.cadastre")
    try Self.writeIntact(to: copy)
    intact = try Array(Data(contentsOf: copy))
    Realm.removeFiles(copy)
  }

  private static func writeIntact(to copy: URL) throws {
    let realm = try Realm(
      configuration: Realm.Configuration(
        inMemoryIdentifier: "intact", objectTypes: [Item.self, Site.self]))
    try realm.write { Item.addSamples(0..<40, to: realm) }
    try realm.writeCopy(toFile: copy)
  }

  func check(_ bytes: [UInt8]) {
    var damaged = intact
    for change in stride(from: 0, to: bytes.count - bytes.count % 4, by: 4) {
      // 16 bits select a position in a page, and the page; the rest is the new byte.
      let page = Int(bytes[change]) % max(1, damaged.count / 4096)
      let offset = Int(bytes[change + 1]) << 4 | Int(bytes[change + 2]) >> 4
      damaged[page * 4096 + offset] = bytes[change + 3]
    }
    let file = folder.appendingPathComponent("store.cadastre")
    do {
      try Data(damaged).write(to: file)
      try read(file)
      try write(file)
    } catch let error as any CustomStringConvertible & Error {
      if error.description.isEmpty { stop("an error without a message") }
    } catch {
      stop("\(type(of: error)): \(error)")
    }
    Realm.removeFiles(file)
  }

  private func read(_ file: URL) throws {
    let realm = try Realm(configuration: Item.configuration(file))
    let items = realm.objects(Item.self)
    try? realm.throwingReadErrors { _ = items.where { $0.number > 7 && $0.name != "name 3" }.count }
    try? realm.throwingReadErrors { _ = items.where { $0.ratio > 4 }.sorted(by: \.name).map(\.id) }
    try? realm.throwingReadErrors { _ = items.search("word2", in: \.words).count }
    try? realm.throwingReadErrors { _ = items.sum(of: \.number) as Int }
    try? realm.throwingReadErrors {
      if let box = GeoBox(
        bottomLeft: (latitude: -40, longitude: -100), topRight: (latitude: 40, longitude: 90))
      {
        _ = items.where { $0.site.geoWithin(box) }.map(\.id)
      }
    }
    try? realm.throwingReadErrors {
      for item in items {
        _ = (Array(item.numbers), Array(item.names), item.prices.count)
        _ = (item.next?.id, item.previous.count)
        _ = ("\(item.any)", item.border, item.site.map { Array($0.coordinates) })
      }
    }
    _ = try StoreCheck(OpenStores.store(at: file.path).snapshot()).problems()
  }

  private func write(_ file: URL) throws {
    let realm = try Realm(configuration: Item.configuration(file))
    try realm.write {
      realm.create(Item.self, value: ["id": 3, "name": "new"], update: .modified)
      realm.delete(realm.objects(Item.self).where { $0.id == 7 })
    }
  }
}

extension Realm {
  /// Deletes a store with its files.
  fileprivate static func removeFiles(_ file: URL) {
    for suffix in StoreFile.fileSuffixes { unlink(file.path + suffix) }
  }
}
