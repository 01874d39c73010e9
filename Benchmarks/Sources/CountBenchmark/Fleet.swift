import Cadastre
import Foundation

/// A store of boats with the same content in every run.
struct Fleet {
  static let boats = 5000
  static let harbours = 10

  let realm: Realm

  /// Creates a store in a folder, and stores the columns of boats in it if the option says so.
  init(
    _ folder: URL, name: String, storing columns: Realm.Configuration.ColumnStorage = .never
  ) throws {
    var configuration = Realm.Configuration(
      fileURL: folder.appendingPathComponent("\(name).cadastre"),
      objectTypes: [Boat.self, Harbour.self, Spot.self])
    configuration.columnStorage = columns
    // Only the instructions of one thread are counted.
    configuration.maximumQueryThreads = 1
    realm = try Realm(configuration: configuration)
    try realm.write {
      let harbours = (0..<Self.harbours).map { id in
        realm.create(Harbour.self, value: ["id": id, "name": "Harbour \(id)"])
      }
      for id in 0..<Self.boats {
        realm.add(Boat(id, in: harbours[id % Self.harbours]))
      }
    }
    if columns != .never { try Realm.optimize(for: configuration) }
  }

  /// Returns the first boats as objects.
  func some(_ count: Int) -> [Boat] {
    (0..<count).compactMap { realm.object(ofType: Boat.self, forPrimaryKey: $0) }
  }
}
