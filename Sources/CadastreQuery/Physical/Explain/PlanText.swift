/// Prints plans: one line a node, in the user's names, the last step first.
package struct PlanText {
  /// The parts printed beside the shape of the plan.
  package struct Options: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Estimated rows and cost.
    package static let estimates = Options(rawValue: 1)
    /// The rejected access paths with their estimates.
    package static let candidates = Options(rawValue: 2)
    /// The rules that rewrote the predicate.
    package static let rules = Options(rawValue: 4)
    /// Whether a query of the same shape was planned before.
    package static let shape = Options(rawValue: 8)
  }

  private let report: PlanReport

  /// Prepares to print a plan.
  package init(_ report: PlanReport) { self.report = report }

  /// Prepares to print a plan without measurements.
  package init(_ plan: Plan) { report = PlanReport(plan) }

  /// The plan as a tree of lines, without a line break at the end.
  package func text(_ options: Options = []) -> String {
    var lines: [String] = []
    append(report.plan, options, head: "", rest: "", to: &lines)
    if options.contains(.rules) {
      lines.append("rules: \(report.rules.isEmpty ? "none" : report.rules.joined(separator: ", "))")
    }
    if options.contains(.shape) { lines.append("shape: \(report.reusesShape ? "reused" : "new")") }
    if options.contains(.candidates) {
      for candidate in report.rejected {
        lines.append("rejected: \(candidate.text) \(Self.note(candidate.expected))")
      }
    }
    if let measured = report.measured { lines.append(Self.totals(measured)) }
    return lines.joined(separator: "\n")
  }

  private func append(
    _ step: PlanReport.Step, _ options: Options, head: String, rest: String,
    to lines: inout [String]
  ) {
    var line = head + step.text
    if let expected = step.expected, options.contains(.estimates) {
      line += " " + Self.note(expected)
    }
    if let measured = step.measured { line += " " + Self.note(measured) }
    lines.append(line)
    for (place, input) in step.inputs.enumerated() {
      let isLast = place == step.inputs.count - 1
      append(
        input, options, head: rest + (isLast ? "└─ " : "├─ "),
        rest: rest + (isLast ? "   " : "│  "),
        to: &lines)
    }
  }

  private static func note(_ estimate: PlanReport.Expected) -> String {
    "(rows ~\(rounded(estimate.rows)), cost ~\(rounded(estimate.cost)))"
  }

  private static func note(_ measured: PlanReport.Measured) -> String {
    guard let timesOff = measured.timesOff else { return "(measured rows \(measured.rows))" }
    return "(measured rows \(measured.rows), expected \(rounded(timesOff)) times "
      + (measured.isMore == true ? "fewer)" : "more)")
  }

  private static func totals(_ measured: PlanReport.Totals) -> String {
    "measured: \(measured.rows) rows in \(measured.milliseconds) ms"
      + "\(measured.threads > 1 ? " on \(measured.threads) threads" : ""), \(measured.rowsRead) rows "
      + "read, \(segments(measured))\(measured.nodesRead) index nodes read, "
      + "\(measured.exactTests) exact point tests"
  }

  /// The share of column segments that were in memory; empty where none were read.
  private static func segments(_ measured: PlanReport.Totals) -> String {
    let (hot, cold) = (measured.segmentsInMemory, measured.segmentsRead)
    return hot + cold == 0 ? "" : "\(hot) of \(hot + cold) column segments in memory, "
  }

  /// Three figures at most: an estimate has no more.
  private static func rounded(_ value: Double) -> String {
    guard value.isFinite, value < 1e15 else { return "\(value)" }
    var unit = 1.0
    while value / unit >= 1000 { unit *= 10 }
    return String(Int((value / unit).rounded() * unit))
  }
}
