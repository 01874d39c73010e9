import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Property: after any sequence of writes by any program, the columns that readers get through stored segments are those
/// of the rows.
@Suite struct SegmentModelTests {
  private static func schema(_ version: Int) -> Schema {
    let link = Property(
      name: "next", type: .object, isOptional: true, objectClassName: "Thing")
    var properties = [
      Property(name: "id", type: .int, isPrimaryKey: true), Property(name: "name", type: .string),
      Property(name: "at", type: .date, isOptional: true),
      Property(name: "height", type: .double, isOptional: true), link,
      Property(name: "list", type: .int, collection: .list),
    ]
    if version > 0 {
      properties.append(Property(name: "flag\(version)", type: .bool, isOptional: true))
    }
    return Schema([
      ObjectSchema(className: "Thing", properties: properties),
      ObjectSchema(
        className: "Small", properties: [Property(name: "a", type: .int, isOptional: true)]),
    ])
  }

  /// One sequence of writes to a store.
  private final class Run {
    let folder: TestFolder
    let path: String
    var random: SeededGenerator
    let seed: UInt64
    /// The users of the file, as processes are.
    var files: [StoreFile]
    var version = 0
    var nextID: Int64 = 0
    var lastKey: Int64 = 0
    /// Older versions that are read on.
    var snapshots: [Snapshot] = []
    /// The columns that came from stored segments.
    var stored = 0
    var history: [String] = []

    init(seed: UInt64) throws {
      folder = try TestFolder()
      path = folder.file("model.cadastre")
      random = SeededGenerator(seed: seed)
      self.seed = seed
      files = [try OpenStores.store(at: path), StoreFile(path: path)]
      storeInBackground()
      try files[0].prepare(for: SegmentModelTests.schema(0))
    }

    private func row(_ layout: TableLayout) -> [Value] {
      nextID += 1
      return layout.columns.map { column in
        switch column.name {
        case "id": .int(nextID)
        case "name": .string("name \(random.below(40))")
        case "at": random.oneIn(3) ? .null : .date(Timestamp(seconds: Int64(random.below(9999))))
        case "height": random.oneIn(4) ? .null : .double(Double(random.below(1000)) / 4)
        case "list": .int(0)
        default: .null
        }
      }
    }

    private func value(_ name: String) -> Value {
      switch name {
      case "name": .string("changed \(random.below(9))")
      case "at": .date(Timestamp(seconds: Int64(random.below(99))))
      case "height": random.oneIn(2) ? .null : .double(-Double(random.below(99)))
      case "next": .null
      default: .bool(random.oneIn(2))
      }
    }

    private func key() -> Int64 {
      // Some segments change often.
      Int64(random.below(random.pick([50, Int(lastKey), Int(lastKey)]))) + 1
    }

    func insert(_ count: Int, _ transaction: WriteTransaction) throws {
      guard let layout = transaction.catalogue.layout("Thing") else { return }
      for _ in 0..<count {
        lastKey = try transaction.insert("Thing", buffering: row(layout), isUnique: false).rawValue
      }
    }

    private func change(_ transaction: WriteTransaction) throws {
      guard let layout = transaction.catalogue.layout("Thing") else { return }
      let columns = layout.columns.indices.filter {
        !["id", "list"].contains(layout.columns[$0].name)
      }
      switch random.below(9) {
      case 0:
        history.append("insert")
        try insert(random.pick([1, 3, 900]), transaction)
      case 1, 2:
        history.append("update")
        for _ in 0..<random.pick([1, 2, 30]) {
          let column = random.pick(columns)
          _ = try transaction.update(
            "Thing", ObjectKey(key()), column, value(layout.columns[column].name),
            exists: false)
        }
      case 3:
        history.append("update many")
        let column = random.pick(columns)
        let first = key()
        var keys: [Int64] = []
        for key in first..<min(lastKey, first + Int64(random.pick([5, 200, 400])))
        where try transaction.contains(layout, ObjectKey(key)) { keys.append(key) }
        try transaction.update("Thing", keys, [(column, value(layout.columns[column].name))])
      case 4:
        history.append("link")
        guard let column = layout.columns.firstIndex(where: { $0.name == "next" }) else { return }
        let target = key()
        guard try transaction.contains(layout, ObjectKey(target)) else { return }
        for _ in 0..<3 {
          _ = try transaction.update(
            "Thing", ObjectKey(key()), column, .link(ObjectKey(target)), exists: false)
        }
      case 5:
        history.append("delete")
        for _ in 0..<random.pick([1, 2, 20]) {
          _ = try transaction.delete("Thing", ObjectKey(key()))
        }
      case 6:
        history.append("delete many")
        let first = key()
        var keys: [Int64] = []
        for key in first..<min(lastKey, first + Int64(random.pick([5, 300])))
        where try transaction.contains(layout, ObjectKey(key)) { keys.append(key) }
        try transaction.delete("Thing", keys)
      case 7:
        history.append("list")
        guard let list = layout.collections.first else { return }
        for _ in 0..<2 {
          let owner = key()
          guard try transaction.contains(layout, ObjectKey(owner)) else { continue }
          try transaction.append([.int(7)], to: list, of: ObjectKey(owner))
        }
      default:
        history.append("flush")
        _ = try transaction.flush(random.pick([.rows, .indexes, .everything]))
      }
    }

    private func commit() throws {
      let transaction = try random.pick(files).beginWrite()
      for _ in 0...random.below(4) { try change(transaction) }
      if random.oneIn(4) { try check(transaction.flush(.everything)) }
      if random.oneIn(8) {
        history.append("adopt")
        try transaction.adopt(
          Schema([
            ObjectSchema(
              className: "New\(nextID)", properties: [Property(name: "a", type: .int)])
          ]))
        try change(transaction)
      }
      if random.oneIn(6) {
        history.append("rollback")
        transaction.rollback()
        lastKey = Int64(try files[0].snapshot().rowRange("Thing"))
        return
      }
      try transaction.commit()
      history.append("commit")
    }

    /// Changes rows as other programs do.
    private func writeElsewhere() throws {
      let key = key()
      let sql = random.pick([
        "UPDATE Thing SET name = 'other', height = 3 WHERE \"#key\" = \(key)",
        "UPDATE Thing SET next = NULL, at = NULL WHERE \"#key\" BETWEEN \(key) AND \(key + 9)",
      ])
      if random.oneIn(2) {
        history.append("sqlite3: \(sql)")
        try Connection.writingForeign(path).run(sql)
      } else {
        history.append("old release: \(sql)")
        let old = try Connection(path: path, mode: .readWrite)
        try old.run("BEGIN IMMEDIATE")
        try old.run(sql)
        try old.run("UPDATE cadastre_state SET commit_version = commit_version + 1")
        try old.run("COMMIT")
      }
      // The caches in memory do not know of a write of another program without a version.
      files = [StoreFile(path: path), StoreFile(path: path)]
      storeInBackground()
    }

    /// Lets both users store in the background what they decode.
    private func storeInBackground() {
      for file in files { file.storeDecodedColumns(.always, after: nil) }
    }

    func step() throws {
      switch random.below(16) {
      case 0, 1, 2:
        history.append("store columns")
        try random.pick(files).storeColumns(.always)
      case 8, 9:
        history.append("store in the background")
        let file = random.pick(files)
        for _ in 0..<random.pick([1, 9]) where file.backgroundStorage.step(file) == nil { break }
      case 3 where random.oneIn(4):
        history.append("remove columns")
        try random.pick(files).storeColumns(.never)
      case 4: try writeElsewhere()
      case 5 where random.oneIn(3):
        history.append("migrate")
        version += 1
        let file = StoreFile(path: path)
        try file.prepare(
          for: SegmentModelTests.schema(version), version: UInt64(version), resetting: false,
          migrating: { migration in try self.change(migration.transaction) })
      case 6 where random.oneIn(3):
        history.append("compact")
        try random.pick(files).compact()
      case 7 where random.oneIn(6):
        history.append("repair")
        _ = try StoreRepair.run(random.pick(files))
      default: try commit()
      }
    }

    private func check(_ reader: any StoreReader) throws {
      let differences = try SegmentModel.differences(reader, &stored)
      #expect(differences == [], "seed \(seed): \(history.suffix(12))")
    }

    /// Compares the newest version in all processes and in a new one, and older versions.
    func check() throws {
      for file in files + [StoreFile(path: path)] { try check(file.snapshot()) }
      for snapshot in snapshots { try check(snapshot) }
      if random.oneIn(3) { snapshots.append(try random.pick(files).snapshot()) }
      if snapshots.count > 2 { snapshots.remove(at: random.below(2)) }
    }
  }

  @Test(arguments: Seeds.usual(1...2))
  func `columns are those of the rows`(seed: UInt64) throws {
    let run = try Run(seed: seed)
    let transaction = try run.files[0].beginWrite()
    try run.insert(4600, transaction)
    try transaction.commit()
    try run.files[0].storeColumns(.always)
    for _ in 0..<30 {
      try run.step()
      try run.check()
    }
    // The comparison is not one of rows with rows.
    #expect(run.stored > 100, "seed \(seed)")
  }
}

extension Snapshot {
  /// The greatest key of a class; 0 where it has no rows.
  fileprivate func rowRange(_ className: String) throws -> Int64 {
    guard let layout = catalogue.layout(className) else { return 0 }
    return try keyRange(layout)?.upperBound ?? 0
  }
}
