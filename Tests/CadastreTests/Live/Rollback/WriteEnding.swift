import CadastreSQLite
import CadastreStore
import Foundation
import Testing

@testable import Cadastre

/// A way in which a write transaction ends.
enum WriteEnding: String, CaseIterable, Sendable {
  case commit, cancelWrite, thrownError
  /// The block of a write cancels its transaction, and throws in another one that it has begun.
  case nested
  /// The block of an asynchronous write returns without a commit.
  case uncommittedAsyncWrite
  /// An asynchronous write is taken back before it begins.
  case cancelledAsyncWrite
  /// The disk is full.
  case failedCommit

  private struct Undone: Error {}

  /// Runs a change in a write transaction that ends in this way.
  func run(in corner: Corner, _ change: @escaping (Realm) throws -> Void) throws {
    switch self {
    case .commit: try corner.write(change)
    case .cancelWrite:
      try corner.enter { realm in
        realm.beginWrite()
        try change(realm)
        realm.cancelWrite()
      }
    case .thrownError:
      #expect(throws: Undone.self) {
        try corner.write { realm -> Void in
          try change(realm)
          throw Undone()
        }
      }
    case .nested:
      #expect(throws: Undone.self) {
        try corner.write { realm -> Void in
          try change(realm)
          realm.cancelWrite()
          realm.beginWrite()
          try change(realm)
          throw Undone()
        }
      }
    case .uncommittedAsyncWrite:
      let ran = DispatchSemaphore(value: 0)
      corner.enter { realm in
        _ = realm.beginAsyncWrite {
          #expect(throws: Never.self) { try change(realm) }
          ran.signal()
        }
      }
      ran.wait()
      // The block has returned when another one runs.
      corner.enter { #expect(!$0.isInWriteTransaction) }
    case .cancelledAsyncWrite:
      try corner.enter { realm in
        try realm.cancelAsyncWrite(realm.beginAsyncWrite { Issue.record("it has run") })
      }
    case .failedCommit:
      #expect(throws: Realm.Error.self) {
        try corner.write { realm -> Void in
          try change(realm)
          try Self.fillDisk(realm)
          let keeper = realm.create(Keeper.self, value: ["id": 1000])
          keeper.tags.insert(String(repeating: "x", count: 4_000_000))
        }
      }
      try corner.enter { realm in
        try realm.core.file.beginWrite().flush(.rows).connection.run(
          "PRAGMA max_page_count = 1073741823")
      }
    }
  }

  /// Lets the file of a transaction grow no further, as a full disk does.
  private static func fillDisk(_ realm: Realm) throws {
    let connection = try #require(realm.core.transaction).flush(.rows).connection
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    try connection.run("PRAGMA cache_size = 4")
    try connection.run("PRAGMA max_page_count = \(pages)")
  }
}
