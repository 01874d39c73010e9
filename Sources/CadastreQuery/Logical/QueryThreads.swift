import Dispatch
import Foundation
import Synchronization

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

extension QueryThreads {
  /// Returns the results of a closure for some indexes, which several threads compute.
  ///
  /// - Parameters:
  ///   - count: The number of indexes.
  ///   - workers: The largest number of threads.
  ///   - body: The closure, given the number of the thread and the index.
  /// - Returns: The results by index.
  /// - Throws: The error of the first index that failed.
  static func results<Result: Sendable>(
    _ count: Int, workers: Int, _ body: @Sendable (_ worker: Int, _ index: Int) throws -> Result
  ) throws -> [Result] {
    // Safe because each thread writes other elements.
    var results = [Swift.Result<Result, any Error>?](repeating: nil, count: count)
    let next = Atomic<Int>(0)
    results.withUnsafeMutableBufferPointer { results in
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: min(workers, count)) { worker in
        while true {
          let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard index < count else { return }
          results[index] = Swift.Result { try body(worker, index) }
        }
      }
    }
    return try results.compactMap { try $0?.get() }
  }
}
