import CadastreModel
import CadastreStore
import Foundation

/// The holders of the write locks of this process, by which a caller detects that it would wait for
/// itself.
///
/// On a thread two Realms of one store are the same, but not within a task; there a nested write
/// would wait for ever.
enum WriteLocks {
  private enum Caller: Equatable {
    case thread(pthread_t)
    case task(Int)

    static var current: Caller {
      withUnsafeCurrentTask { $0.map { .task($0.hashValue) } ?? .thread(pthread_self()) }
    }
  }

  private struct Turn {
    let caller: Caller
    weak var transaction: WriteTransaction?
  }

  // Safe because a transaction is looked at only by the caller that has it.
  private struct Turns: @unchecked Sendable { var byPath: [String: Turn] = [:] }
  private static let turns = Guarded(Turns())

  /// Waits for the write lock of a store; one that the caller holds already stops the process.
  static func begin(
    _ file: StoreFile, timeout: Duration
  ) throws(StoreError) -> WriteTransaction {
    requireNoLock(of: file)
    let transaction = try file.beginWrite(timeout: timeout)
    note(transaction, file)
    return transaction
  }

  /// Stops the process where the caller has the write lock already, and would wait for itself.
  static func requireNoLock(of file: StoreFile) {
    let caller = Caller.current
    let isOwn = turns.withLock { turns in
      turns.byPath[file.path].map { $0.caller == caller && $0.transaction?.isOpen == true }
        ?? false
    }
    guard !isOwn else {
      ProgrammingError.stop(
        "This thread or task is already in a write transaction of the same store, through another "
          + "Realm; transactions cannot be nested. Use the one Realm for both.")
    }
  }

  /// Records that the caller has the write lock.
  static func note(_ transaction: WriteTransaction, _ file: StoreFile) {
    let turn = Turn(caller: .current, transaction: transaction)
    turns.withLock { turns in
      turns.byPath = turns.byPath.filter { $0.value.transaction != nil }
      turns.byPath[file.path] = turn
    }
  }
}
