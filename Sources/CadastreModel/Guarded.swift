import Foundation

/// A value protected by a lock.
///
/// It has the interface of `Mutex` in the standard library, but uses a system lock, because on
/// Linux the thread sanitizer does not support `Mutex` (Swift 6.3).
package final class Guarded<Value>: @unchecked Sendable {
  // Safe because the value is accessed only under the lock. The lock also excludes overlapping accesses,
  // so their dynamic check is redundant.
  @exclusivity(unchecked) private var value: Value
  private let lock = NSLock()

  /// Creates a lock for a value.
  package init(_ value: sending Value) { self.value = value }

  /// Calls a closure with exclusive access to the value.
  ///
  /// - Parameter body: The closure; it must not call `withLock` of the same instance.
  /// - Returns: The result of the closure.
  /// - Throws: The error of the closure.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
