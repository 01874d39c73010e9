import CadastreModel
import CadastreStore
import Foundation

/// Who writes which store in this process, so that nobody waits for a turn that is their own.
///
/// Two Realms of one store are one on a thread, but not within a task; there a write inside a write
/// would wait for ever.
enum WriteTurns {
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

  /// Waits for the turn to write a store; one that the caller holds already stops the process.
  static func begin(
    _ file: StoreFile, timeout: Duration
  ) throws(StoreError) -> WriteTransaction {
    requireNoTurn(of: file)
    let transaction = try file.beginWrite(timeout: timeout)
    note(transaction, file)
    return transaction
  }

  /// Stops the process where the caller is writing a store already, and would wait for itself.
  static func requireNoTurn(of file: StoreFile) {
    let caller = Caller.current
    let isOwn = turns.withLock { turns in
      turns.byPath[file.path].map { $0.caller == caller && $0.transaction?.isOpen == true }
        ?? false
    }
    guard !isOwn else {
      Misuse.stop(
        "This thread or task is already in a write transaction of the same store, through another "
          + "Realm; transactions cannot be nested. Use the one Realm for both.")
    }
  }

  /// Notes that the caller has the turn.
  static func note(_ transaction: WriteTransaction, _ file: StoreFile) {
    let turn = Turn(caller: .current, transaction: transaction)
    turns.withLock { turns in
      turns.byPath = turns.byPath.filter { $0.value.transaction != nil }
      turns.byPath[file.path] = turn
    }
  }
}
