import Cadastre
import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation

/// A use of the library that is repeated with faults.
struct StoreWorkload: Sendable {
  let name: String
  /// Creates the files before it.
  let prepare: @Sendable (_ folder: String) throws -> Void
  /// The use, which calls the closure after each of its transactions.
  ///
  /// Repeating it on any state that it leaves gives the same numbers of rows.
  let run: @Sendable (_ folder: String, _ step: () throws -> Void) throws -> Void

  /// The store of a folder.
  static func store(_ folder: String) -> String { folder + "/store.cadastre" }
  /// The copy of a store.
  static func copy(_ folder: String) -> String { folder + "/copy.cadastre" }

  /// The names of files that may be in a folder after a workload.
  static let fileNames = Set(
    ["store.cadastre", "copy.cadastre", "again.cadastre"].flatMap { name in
      StoreFile.fileSuffixes.map { name + $0 }
    })

  private static func configuration(_ folder: String) -> Realm.Configuration {
    Realm.Configuration(
      fileURL: URL(fileURLWithPath: store(folder)), objectTypes: [Everything.self, Site.self])
  }

  private static func gauges(_ folder: String) -> Realm.Configuration {
    var configuration = Realm.Configuration(
      fileURL: URL(fileURLWithPath: store(folder)), objectTypes: [Gauge.self])
    configuration.columnStorage = .always
    return configuration
  }

  /// Adds or replaces objects in one transaction, with links to those before them.
  private static func write(
    _ realm: Realm, _ ids: Range<Int>, version: Int = 0
  ) throws {
    try realm.write { change(realm, ids, version: version) }
  }

  private static func change(_ realm: Realm, _ ids: Range<Int>, version: Int) {
    for id in ids {
      let object = realm.create(
        Everything.self, value: Everything.value(id, version), update: .all)
      object.next = realm.object(ofType: Everything.self, forPrimaryKey: id - 1)
      object.links.removeAll()
      object.links.append(
        objectsIn: realm.objects(Everything.self).where { $0.id < 3 && $0.id < id })
    }
  }

  private static func fill(_ folder: String, _ count: Int) throws {
    try write(Realm(configuration: configuration(folder)), 0..<count)
  }

  static let all: [StoreWorkload] = [
    StoreWorkload(name: "create", prepare: { _ in }) { folder, step in
      // The file is created before the classes.
      try OpenStores.store(at: store(folder)).beginWrite().rollback()
      try step()
      let realm = try Realm(configuration: configuration(folder))
      try step()
      try write(realm, 0..<30)
    },
    StoreWorkload(name: "change", prepare: { try fill($0, 60) }) { folder, step in
      let realm = try Realm(configuration: configuration(folder))
      try write(realm, 20..<40, version: 1)
      try step()
      try realm.write {
        realm.delete(realm.objects(Everything.self).where { $0.id >= 50 })
        for object in realm.objects(Everything.self).where({ $0.id < 10 }) {
          object.number = object.id + 1000
          object.site = nil
          object.numbers.append(object.numbers.last == -1 ? 0 : -1)
          while object.numbers.count > 4 { object.numbers.removeLast() }
          object.prices["z"] = 1
        }
      }
      let query = realm.objects(Everything.self).where { $0.number > 10 }
      _ = try realm.throwingReadErrors { query.sorted(by: \.name).map(\.words).count }
    },
    // The log is synchronised by the barrier.
    StoreWorkload(name: "asynchronous", prepare: { try fill($0, 40) }) { folder, step in
      let configuration = configuration(folder)
      let queue = DispatchQueue(label: "torture.writes")
      let realm = try queue.sync { try Realm(configuration: configuration, queue: queue) }
      for version in 1...3 {
        let outcome = Guarded<(any Error)?>(nil)
        let done = DispatchSemaphore(value: 0)
        queue.sync {
          _ = realm.writeAsync({ change(realm, 10..<14, version: version) }) { error in
            outcome.withLock { $0 = error }
            done.signal()
          }
        }
        done.wait()
        if let error = outcome.withLock({ $0 }) { throw error }
        try step()
      }
    },
    // The log grows beyond the limit for a checkpoint.
    StoreWorkload(name: "checkpoint", prepare: { try fill($0, 30) }) { folder, step in
      let realm = try Realm(configuration: configuration(folder))
      for part in 0..<3 {
        try realm.write {
          for id in part * 10..<part * 10 + 10 {
            realm.create(
              Everything.self,
              value: ["id": id, "bytes": Data(repeating: UInt8(id), count: 200_000)],
              update: .modified)
          }
        }
        try step()
      }
    },
    StoreWorkload(
      name: "compact",
      prepare: { folder in
        try fill(folder, 120)
        let realm = try Realm(configuration: configuration(folder))
        try realm.write { realm.delete(realm.objects(Everything.self).where { $0.id >= 20 }) }
      }
    ) { folder, step in
      _ = try Realm.compact(for: configuration(folder))
    },
    StoreWorkload(
      name: "repair",
      prepare: { folder in
        try fill(folder, 80)
        let connection = try Connection(path: store(folder), mode: .readWrite)
        try connection.withWritableShadowTables { () throws(StoreError) in
          try connection.run("DELETE FROM \"rtree_Everything.site_rowid\" WHERE rowid < 20")
          try connection.run("DELETE FROM \"fts_Everything.words_data\" WHERE id > 10")
          try connection.run("DROP INDEX \"index_Everything.name\"")
          try connection.run("UPDATE cadastre_class SET row_count = 3")
        }
        try connection.checkpointOnClose()
      }
    ) { folder, step in
      let report = try StoreRepair.run(OpenStores.store(at: store(folder)))
      guard report.left.isEmpty else {
        throw StoreError(.corrupt("\(report.left)"), path: store(folder))
      }
    },
    // The columns of the class are stored, and changes mark or remove their segments.
    StoreWorkload(
      name: "columns",
      prepare: { folder in
        let realm = try Realm(configuration: gauges(folder))
        try realm.write {
          for id in 0..<4200 { realm.add(Gauge(value: ["id": id, "level": id % 9])) }
        }
        try Realm.optimize(for: gauges(folder))
      }
    ) { folder, step in
      let realm = try Realm(configuration: gauges(folder))
      // Few changes are marks; with more than 256, the segment is removed.
      for count in [5, 400] {
        try realm.write {
          for id in 0..<count { realm.object(ofType: Gauge.self, forPrimaryKey: id)?.level = count }
        }
        try step()
        try Realm.optimize(for: gauges(folder))
      }
      let low = try realm.throwingReadErrors {
        realm.objects(Gauge.self).where { $0.level < 9 }.count
      }
      guard low == 3800 else {
        throw StoreError(.corrupt("\(low) of 3,800 gauges"), path: store(folder))
      }
    },
    StoreWorkload(name: "migration", prepare: { try fill($0, 60) }) { folder, step in
      var later = configuration(folder)
      later.objectTypes = [LaterEverything.self, Site.self]
      later.schemaVersion = 1
      later.migrationBlock = { migration, _ in
        migration.enumerateObjects(ofType: "Everything") { old, new in
          new?["title"] = "was \(old?["name"] as? String ?? "")"
        }
      }
      let realm = try Realm(configuration: later)
      _ = try realm.throwingReadErrors { realm.objects(LaterEverything.self).count }
    },
    StoreWorkload(name: "copy", prepare: { try fill($0, 60) }) { folder, step in
      let realm = try Realm(configuration: configuration(folder))
      // A repeated run writes another copy, and removes what a killed process has left.
      let isAgain = FileManager.default.fileExists(atPath: copy(folder))
      let path = isAgain ? folder + "/again.cadastre" : copy(folder)
      try realm.writeCopy(toFile: URL(fileURLWithPath: path))
    },
    StoreWorkload(name: "notify", prepare: { try fill($0, 40) }) { folder, step in
      let configuration = configuration(folder)
      let queue = DispatchQueue(label: "torture.notifications")
      let token = try queue.sync {
        let realm = try Realm(configuration: configuration, queue: queue)
        return realm.objects(Everything.self).where { $0.number > 5 }.observe { _ in }
      }
      let realm = try Realm(configuration: configuration)
      for version in 1...3 {
        try write(realm, 10..<14, version: version)
        try step()
        queue.sync {}
      }
      token.invalidate()
      queue.sync {}
    },
  ]
}
