import Foundation

/// The thread or the task that has opened a write transaction.
///
/// On a thread two Realms of one store are the same, but not within a task; there a nested write would wait for ever.
// Safe because the reference to a thread is only compared.
package struct WriteCaller: Equatable, @unchecked Sendable {
  private enum Identity: Equatable {
    case thread(pthread_t)
    case task(Int)
  }

  private let identity: Identity

  /// The caller.
  package static var current: WriteCaller {
    WriteCaller(
      identity: withUnsafeCurrentTask { $0.map { .task($0.hashValue) } ?? .thread(pthread_self()) })
  }
}
