import Foundation
import FuzzingDriver

/// The properties; safe because the fuzzer runs its inputs one after the other on one thread.
nonisolated(unsafe) private let properties: PredicateProperties = {
  do {
    return try PredicateProperties()
  } catch {
    stop("the sample objects cannot be stored: \(error)")
  }
}()

/// Runs the predicate parser and the queries on texts that libFuzzer generates.
@main enum PredicateFuzzer {
  static func main() {
    let status = fuzz { bytes, count in
      properties.check(
        String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
      return 0
    }
    exit(status)
  }
}
