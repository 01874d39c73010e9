import Foundation

/// The number of threads that a query may use, and from how many rows on it uses several.
package struct QueryThreads: Hashable, Sendable {
  /// The largest number of threads of one query.
  package var maximum: Int
  /// The number of rows of a class from which on a scan uses several threads; a scan of fewer takes
  /// less time than it takes to wake a thread.
  package var minimumRows: Int

  /// - Parameters:
  ///   - maximum: The largest number of threads; nil for the number of active cores.
  ///   - minimumRows: The number of rows from which on several are used.
  package init(maximum: Int? = nil, minimumRows: Int = 1 << 17) {
    self.maximum = max(1, maximum ?? Self.activeCores)
    self.minimumRows = minimumRows
  }

  private static let activeCores = ProcessInfo.processInfo.activeProcessorCount
}
