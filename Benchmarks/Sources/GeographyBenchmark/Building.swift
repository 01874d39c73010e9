import BenchmarkPlaces
import CSQLite
import CadastreModel
import CadastreStore
import Foundation

/// The time that a whole index takes: SQLite's own insertion beside ours, into an empty file each.
enum BulkBuild {
  static func measure(_ places: [Place]) throws {
    let own = try PlainRTree()
    let inserted = own.insert(places.prefix(200_000))
    print(
      "SQLite's own R*Tree inserts \(places.prefix(200_000).count) points in \(fixed(inserted, 2)) s"
    )
  }
}

/// The time that a few more places take in a store that has many.
enum Increment {
  static func measure(_ file: StoreFile, _ places: [Place]) throws {
    let (adding, commit) = try PlaceStore.add(places, to: file)
    print(
      "\(places.count) more places: \(fixed((adding + commit) * 1e6 / Double(places.count), 1)) us "
        + "each with their index, in one commit")
  }
}

/// An R*Tree as SQLite builds it by itself.
private final class PlainRTree {
  private var handle: OpaquePointer?

  init() throws {
    sqlite3_open("", &handle)
    sqlite3_exec(handle, "CREATE VIRTUAL TABLE t USING rtree(k, w, e, s, n)", nil, nil, nil)
  }

  deinit { sqlite3_close(handle) }

  /// The seconds that inserting some places in one transaction takes.
  func insert(_ places: some Collection<Place>) -> Double {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, "INSERT INTO t VALUES (?, ?, ?, ?, ?)", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    return seconds {
      sqlite3_exec(handle, "BEGIN", nil, nil, nil)
      for (key, place) in places.enumerated() {
        sqlite3_bind_int64(statement, 1, Int64(key))
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
