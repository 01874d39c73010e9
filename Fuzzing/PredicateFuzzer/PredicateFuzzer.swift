import Foundation
import FuzzingDriver

/// What is checked; safe because the fuzzer gives its texts one after the other, on one thread.
nonisolated(unsafe) private let laws: PredicateLaws = {
  do {
    return try PredicateLaws()
  } catch {
    stop("The fleet cannot be stored: \(error)")
  }
}()

/// Gives texts to the predicate language, as libFuzzer makes them up.
@main enum PredicateFuzzer {
  static func main() {
    let status = fuzz { bytes, count in
      laws.check(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
      return 0
    }
    exit(status)
  }
}
