import CadastreDatasets
import CadastreFormatting
import CadastrePostgres
import Foundation
import Synchronization

/// The progress of an import on one line of the terminal, with the rate of the phase.
///
/// If a signal ends the program before ``end()``, its last line says what was imported.
final class ProgressMeter {
  private let isShown: Bool
  private var phase: Importer.Phase?
  private var phaseStart = ContinuousClock().now
  private var throttle = Throttle()

  init(isShown: Bool) {
    self.isShown = isShown
    Interruption.lastLine = "interrupted before the first row; nothing was imported"
  }

  func show(_ progress: Importer.Progress) {
    let isNewPhase = progress.phase != phase
    if isNewPhase {
      phase = progress.phase
      phaseStart = ContinuousClock().now
      throttle = Throttle()
    }
    let seconds = (ContinuousClock().now - phaseStart).inSeconds
    guard throttle.isOpen(at: seconds) || isNewPhase else { return }
    Interruption.lastLine =
      progress.phase == .finishing
      ? "interrupted while the rows were written: all of them are stored, or none"
      : "interrupted after \(counted(progress.rows, "row")); nothing was imported"
    if isShown { Terminal.overwriteLine(text(progress, seconds)) }
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
    Interruption.lastLine = nil
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

  /// Prints the number of copied objects of each class, and the rate.
  static func report(
    _ copied: [StorePush.Copied], _ verb: String, to target: String,
    since start: ContinuousClock.Instant
  ) {
    for entry in copied {
      Terminal.say("  \(printable(entry.className)): \(counted(entry.count, "object"))")
      for note in entry.notes { Terminal.say("    \(printable(note))") }
    }
    let total = copied.reduce(0) { $0 + $1.count }
    let rate = ObjectRate(total, seconds: (ContinuousClock().now - start).inSeconds)
    Terminal.say("\(verb) \(counted(total, "object")) to \(printable(target)) \(rate)")
  }
}

/// The duration and the rate of an operation on objects.
struct ObjectRate: CustomStringConvertible {
  let seconds: Double
  /// The number of objects in a second.
  let objectsPerSecond: Int

  init(_ objects: Int, seconds: Double) {
    self.seconds = seconds
    objectsPerSecond = seconds > 0 ? Int(Double(objects) / seconds) : 0
  }

  /// The text of a summary: `in 0.25 s (40,000 objects/s)`.
  var description: String {
    "in \((seconds * 100).rounded() / 100) s (\(grouped(objectsPerSecond)) objects/s)"
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
