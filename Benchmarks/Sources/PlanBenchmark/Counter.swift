import Foundation
import InstructionCounter

/// A counter of the work of a closure.
enum Counter {
  /// The instructions that the processor counts; the descriptor of its counter.
  case processor(Int32)
  /// The instructions that callgrind counts and writes to a file for each closure.
  case callgrind
  /// The shortest of three processor times in nanoseconds.
  case clock

  /// The counter with a name; nil for another name, or where a program may not read the processor's counter.
  init?(_ name: String) {
    switch name {
    case "processor":
      let descriptor = instruction_counter_open()
      guard descriptor >= 0 else { return nil }
      self = .processor(descriptor)
    case "callgrind": self = .callgrind
    case "clock": self = .clock
    default: return nil
    }
  }

  /// Runs a closure; returns the count, or nil under callgrind.
  func count(_ body: () throws -> Void) throws -> Int64? {
    switch self {
    case .processor(let descriptor):
      let start = instruction_counter_read(descriptor)
      try body()
      return instruction_counter_read(descriptor) - start
    case .callgrind:
      try countedRun(body)
      return nil
    case .clock:
      let times = try (0..<3).map { _ in
        let start = processorTime()
        try body()
        return processorTime() - start
      }
      return times.min()
    }
  }
}

/// The processor time of the calling thread in nanoseconds.
private func processorTime() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Runs a closure; callgrind begins to count when this function is entered.
@inline(never) private func countedRun(_ body: () throws -> Void) throws {
  try body()
  countedEnd()
}

/// A number that prevents the compiler from removing calls.
nonisolated(unsafe) var sink: Int64 = 0

/// Does nothing; callgrind writes its counts when this function is entered.
@inline(never) private func countedEnd() { sink &+= 1 }
