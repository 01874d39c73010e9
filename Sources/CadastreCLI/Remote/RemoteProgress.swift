import CadastreFormatting
import CadastrePostgres
import Foundation
import Synchronization

/// The progress of a copy to or from a database, on one line of the terminal.
final class RemoteProgress: Sendable {
  private let verb: String
  private let isShown = Terminal.errorWidth != nil
  private let last = Mutex(ContinuousClock().now)

  init(_ verb: String) { self.verb = verb }

  /// Shows the number of objects of a class.
  func show(_ className: String, _ count: Int) {
    guard isShown else { return }
    let now = ContinuousClock().now
    let isDue = last.withLock { last in
      guard now - last > .milliseconds(100) else { return false }
      last = now
      return true
    }
    if isDue { Terminal.overwriteLine("\(printable(className)): \(grouped(count)) \(verb)") }
  }

  /// Clears the line.
  func end() {
    if isShown { Terminal.overwriteLine("") }
  }

  /// Says what was copied.
  static func report(
    _ copied: [StorePush.Copied], _ verb: String, to target: String,
    since start: ContinuousClock.Instant
  ) {
    for entry in copied {
      Terminal.say("  \(printable(entry.className)): \(counted(entry.count, "object"))")
      for note in entry.notes { Terminal.say("    \(printable(note))") }
    }
    let total = copied.reduce(0) { $0 + $1.count }
    let elapsed = (ContinuousClock().now - start).components
    let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    let rate = seconds > 0 ? Int(Double(total) / seconds) : 0
    Terminal.say(
      "\(verb) \(counted(total, "object")) to \(printable(target)) in "
        + "\((seconds * 100).rounded() / 100) s (\(grouped(rate)) objects/s)")
  }
}
