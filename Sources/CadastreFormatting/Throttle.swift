/// A limit on how often something is done in a second.
package struct Throttle: Sendable {
  private let interval: Double
  private var last: Double?

  /// Creates a throttle that passes the first call.
  package init(perSecond: Double = 10) {
    interval = 1 / perSecond
  }

  /// Returns whether enough time has passed since the last call that returned true.
  ///
  /// - Parameter seconds: The current time on a monotonic clock.
  /// - Returns: Whether to proceed; if true, the interval starts over.
  package mutating func isOpen(at seconds: Double) -> Bool {
    if let last, seconds - last < interval { return false }
    last = seconds
    return true
  }
}
