import CadastreModel
import Dispatch
import Foundation
import Synchronization

/// The number of threads that a query may use, from how many rows on it uses several, and the memory that they fill.
package struct QueryThreads: Hashable, Sendable {
  /// The largest number of threads of one query.
  package var maximum: Int
  /// The number of rows of a class from which on a scan uses several threads; a scan of fewer takes
  /// less time than it takes to wake a thread.
  package var minimumRows: Int
  /// The memory of columns that a query keeps while it sorts their rows, in bytes; larger ones are read when the
  /// order of the rows is known.
  package var mostGatheredBytes: Int
  /// The memory of the buffers of a sort of all rows of a class, in bytes; nil for half of the limit of the cached
  /// columns.
  package var mostSortedBytes: Int?

  /// - Parameters:
  ///   - maximum: The largest number of threads; nil for the number of active cores.
  ///   - minimumRows: The number of rows from which on several are used.
  ///   - mostGatheredBytes: The memory of columns whose rows are sorted: 512 MiB suffice for two columns of numbers
  ///     of 20,000,000 rows.
  ///   - mostSortedBytes: The memory of the buffers of a sort; nil for half of the limit of the cached columns.
  package init(
    maximum: Int? = nil, minimumRows: Int = 1 << 17, mostGatheredBytes: Int = 512 << 20,
    mostSortedBytes: Int? = nil
  ) {
    self.maximum = max(1, maximum ?? Self.activeCores)
    self.minimumRows = minimumRows
    self.mostGatheredBytes = mostGatheredBytes
    self.mostSortedBytes = mostSortedBytes
  }

  /// Returns the same threads with the limits for the buffers of a query.
  ///
  /// - Parameter budget: The limit of the cached columns in bytes; nil where there is no cache.
  /// - Returns: The threads. A sort has half of the limit, but enough for 1,000,000 rows, and the columns that it keeps
  ///   have a quarter.
  func within(_ budget: Int?) -> QueryThreads {
    guard let budget else { return self }
    var threads = self
    threads.mostSortedBytes = mostSortedBytes ?? max(budget / 2, 64 << 20)
    threads.mostGatheredBytes = min(mostGatheredBytes, max(budget / 4, 32 << 20))
    return threads
  }

  private static let activeCores = ProcessInfo.processInfo.activeProcessorCount
}

extension QueryThreads {
  /// Divides the indexes below a number into a range for each thread; one range where there are few of them.
  func parts(_ count: Int) -> [Range<Int>] {
    let parts = count >= minimumRows ? maximum : 1
    return (0..<parts).map { count * $0 / parts..<count * ($0 + 1) / parts }
  }

  /// Returns an array of numbers by index, which several threads compute.
  @inline(__always)
  func array<Number: BitwiseCopyable & Sendable>(
    _ count: Int, _ number: @Sendable (Int) -> Number
  ) -> [Number] {
    // The initializer would write to the empty array, which all threads share.
    if count == 0 { return [] }
    return Array(unsafeUninitializedCapacity: count) { numbers, initialized in
      if let start = numbers.baseAddress {
        LargePages.advise(start, byteCount: count * MemoryLayout<Number>.stride)
      }
      // Safe because each thread writes other elements.
      nonisolated(unsafe) let numbers = numbers
      let parts = parts(count)
      _ = Self.results(parts.count, workers: parts.count) { _, part in
        for index in parts[part] { numbers[index] = number(index) }
      }
      initialized = count
    }
  }

  /// Returns the results of a closure for some indexes, which several threads compute.
  ///
  /// - Parameters:
  ///   - count: The number of indexes.
  ///   - workers: The largest number of threads.
  ///   - body: The closure, given the number of the thread and the index.
  /// - Returns: The results by index.
  /// - Throws: The error of the first index that failed.
  static func results<Result: Sendable, Failure: Error>(
    _ count: Int, workers: Int,
    _ body: @Sendable (_ worker: Int, _ index: Int) throws(Failure) -> Result
  ) throws(Failure) -> [Result] {
    // Safe because each thread writes other elements.
    var results = [Swift.Result<Result, Failure>?](repeating: nil, count: count)
    let next = Atomic<Int>(0)
    results.withUnsafeMutableBufferPointer { results in
      nonisolated(unsafe) let results = results
      DispatchQueue.concurrentPerform(iterations: min(workers, count)) { worker in
        while true {
          let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard index < count else { return }
          results[index] = Swift.Result { () throws(Failure) in try body(worker, index) }
        }
      }
    }
    var all: [Result] = []
    all.reserveCapacity(count)
    for result in results { if let result { all.append(try result.get()) } }
    return all
  }
}
