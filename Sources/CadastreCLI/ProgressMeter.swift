import CadastreDatasets
import CadastreFormatting
import CadastrePostgres
import Foundation
import Synchronization

/// The progress of an import: one line on the terminal, overwritten, with the rate of the phase.
final class ProgressMeter {
  private let isShown: Bool
  private var phase: Importer.Phase?
  private var phaseStart = ContinuousClock().now
  private var throttle = Throttle()

  init(isShown: Bool) { self.isShown = isShown }

  func show(_ progress: Importer.Progress) {
    guard isShown else { return }
    let isNewPhase = progress.phase != phase
    if isNewPhase {
      phase = progress.phase
      phaseStart = ContinuousClock().now
      throttle = Throttle()
    }
    let elapsed = (ContinuousClock().now - phaseStart).components
    let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    guard throttle.isOpen(at: seconds) || isNewPhase else { return }
    Terminal.overwriteLine(text(progress, seconds))
  }

  private func text(_ progress: Importer.Progress, _ seconds: Double) -> String {
    let phase = progress.phase.rawValue
    guard progress.phase != .finishing else { return "\(phase) \(grouped(progress.rows)) rows …" }
    let line = ProgressLine(
      bytes: progress.bytes, totalBytes: progress.totalBytes, rows: progress.rows,
      seconds: seconds)
    return "\(phase)  " + line.text(width: (Terminal.errorWidth ?? 80) - phase.count - 3)
  }

  func end() {
    if isShown { Terminal.overwriteLine("") }
  }
}

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
