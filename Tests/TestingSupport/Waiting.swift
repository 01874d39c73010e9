package import Dispatch
import Foundation
import Synchronization

/// The waits of the tests that run: a test waits for an event without a limit of time, and a watchdog prints the waits
/// that last longer than two minutes.
private enum Waits {
  private struct Wait {
    let event: String
    let location: String
    let start = ContinuousClock.now
  }

  private struct State {
    var next = 0
    var waits: [Int: Wait] = [:]
    var watchdog: (any DispatchSourceTimer)?
  }

  private static let state = Mutex(State())

  static func begin(_ event: String, _ file: StaticString, _ line: UInt) -> Int {
    state.withLock { state in
      if state.watchdog == nil {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "watchdog"))
        timer.setEventHandler { report() }
        timer.schedule(deadline: .now() + 120, repeating: 120)
        timer.resume()
        state.watchdog = timer
      }
      state.next += 1
      state.waits[state.next] = Wait(event: event, location: "\(file):\(line)")
      return state.next
    }
  }

  static func end(_ number: Int) { state.withLock { _ = $0.waits.removeValue(forKey: number) } }

  private static func report() {
    let waits = state.withLock { Array($0.waits.values) }
    for wait in waits {
      let seconds = Int((ContinuousClock.now - wait.start) / .seconds(1))
      guard seconds >= 120 else { continue }
      let line = "watchdog: \(wait.location) waits for \(wait.event) since \(seconds) s\n"
      FileHandle.standardError.write(Data(line.utf8))
    }
  }
}

/// Waits until a condition holds, without a limit of time.
///
/// - Parameters:
///   - event: The event that makes the condition true, which the watchdog prints.
///   - isolation: The actor of the caller.
///   - file: The file that the watchdog prints.
///   - line: The line that the watchdog prints.
///   - condition: Reads the state that another thread, task or process changes.
/// - Throws: The error of `condition`, or `CancellationError`.
package func waitUntil(
  _ event: String, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
  line: UInt = #line, _ condition: () async throws -> Bool
) async throws {
  let wait = Waits.begin(event, file, line)
  defer { Waits.end(wait) }
  while try await !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// Blocks the thread until a condition holds, without a limit of time; see ``waitUntil(_:isolation:file:line:_:)``.
package func blockUntil(
  _ event: String, file: StaticString = #fileID, line: UInt = #line,
  _ condition: () throws -> Bool
) rethrows {
  let wait = Waits.begin(event, file, line)
  defer { Waits.end(wait) }
  while try !condition() { usleep(1000) }
}

/// Runs a function on a new thread and returns its result.
///
/// - Throws: The error of `body`.
package func onNewThread<Result>(
  file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Result
) throws -> Result {
  let outcome = Outcome<Result>()
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    outcome.result = Swift.Result { try body() }
    done.signal()
  }
  done.waitForEvent("the end of a thread", file: file, line: line)
  guard let result = outcome.result else { throw CancellationError() }
  return try result.get()
}

/// The result of a function on another thread, which the semaphore orders.
private final class Outcome<Value>: @unchecked Sendable {
  var result: Result<Value, any Error>?
}

extension DispatchSemaphore {
  /// Waits for a signal, without a limit of time; the watchdog prints `event`.
  package func waitForEvent(
    _ event: String, file: StaticString = #fileID, line: UInt = #line
  ) {
    let number = Waits.begin(event, file, line)
    defer { Waits.end(number) }
    wait()
  }
}
