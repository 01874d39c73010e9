import BenchmarkPlaces
import CSQLite
import CadastreModel
import CadastreSQLite
import CadastreStore
import Foundation

/// Measures building and updating a spatial index, compared with insertions into SQLite's R*Tree.
enum Building {
  static func measure(_ file: StoreFile, _ places: [Place], more: [Place], in folder: URL) throws {
    let entries = places.enumerated().map { key, place in
      SpatialEntry(key: Int64(key) + 1, longitude: place.longitude, latitude: place.latitude)
    }
    let plain = PlainRTree(folder.appendingPathComponent("plain.sqlite").path)
    let transaction = try file.beginWrite()
    try transaction.connection.run("CREATE VIRTUAL TABLE packed USING rtree(k, w, e, s, n)")
    let packing = try seconds {
      let unsorted = SpatialEntries(for: file.path)
      for entry in entries { try unsorted.add(entry) }
      try PackedRTree("packed", transaction.connection).replace(with: unsorted)
    }
    transaction.rollback()
    let inserting = plain.insert(places, from: 1)
    print(
      "index of \(places.count) points: packed \(fixed(packing, 2)) s, inserted by SQLite "
        + "\(fixed(inserting, 2)) s")
    let (adding, commit) = try PlaceStore.add(more, to: file)
    let theirs = plain.insert(more, from: places.count + 1)
    let each = { (time: Double) in fixed(time * 1e6 / Double(more.count), 1) }
    print(
      "\(more.count) more in one commit: \(each(adding + commit)) us each with their rows, SQLite's "
        + "R*Tree alone \(each(theirs))")
  }
}

/// An R*Tree that is filled by SQLite's insertions.
private final class PlainRTree {
  private var handle: OpaquePointer?

  init(_ path: String) {
    sqlite3_open(path, &handle)
    for sql in [
      "PRAGMA journal_mode = WAL", "PRAGMA cache_size = -65536", "PRAGMA synchronous = FULL",
      "CREATE VIRTUAL TABLE t USING rtree(k, w, e, s, n)",
    ] {
      sqlite3_exec(handle, sql, nil, nil, nil)
    }
  }

  deinit { sqlite3_close(handle) }

  /// Inserts places in one transaction and returns the seconds.
  func insert(_ places: [Place], from first: Int) -> Double {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, "INSERT INTO t VALUES (?, ?, ?, ?, ?)", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    return seconds {
      sqlite3_exec(handle, "BEGIN", nil, nil, nil)
      for (number, place) in places.enumerated() {
        sqlite3_bind_int64(statement, 1, Int64(first + number))
        sqlite3_bind_double(statement, 2, place.longitude)
        sqlite3_bind_double(statement, 3, place.longitude)
        sqlite3_bind_double(statement, 4, place.latitude)
        sqlite3_bind_double(statement, 5, place.latitude)
        sqlite3_step(statement)
        sqlite3_reset(statement)
      }
      sqlite3_exec(handle, "COMMIT", nil, nil, nil)
    }
  }
}
