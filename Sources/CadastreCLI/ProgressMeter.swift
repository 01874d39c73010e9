import CadastreDatasets
import CadastreFormatting

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
