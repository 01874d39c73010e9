import Foundation

/// A value that one thread at a time uses.
///
/// What `Mutex` of the standard library is, on a lock of the system: the thread sanitizer understands that
/// one, and not the other on Linux (Swift 6.3).
package final class Guarded<Value>: @unchecked Sendable {
  // Safe because the value is used under the lock only.
  private var value: Value
  private let lock = NSLock()

  /// Guards a value.
  package init(_ value: sending Value) { self.value = value }

  /// Gives the value to a closure, alone.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
