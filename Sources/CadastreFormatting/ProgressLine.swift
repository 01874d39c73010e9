/// The progress of a long operation, as one line of text.
///
///     [██████████░░░░░░░░░░]  50 %  1.5 of 3.1 MB  141,490 rows/s  4 s left
package struct ProgressLine: Hashable, Sendable {
  /// Bytes read so far.
  package var bytes: Int
  /// Bytes in total; nil if unknown, as for a pipe.
  package var totalBytes: Int?
  /// Rows read so far.
  package var rows: Int
  /// Seconds since the start.
  package var seconds: Double

  /// Creates a line for the current counters.
  package init(bytes: Int, totalBytes: Int?, rows: Int, seconds: Double) {
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.rows = rows
    self.seconds = seconds
  }

  /// Returns the line, at most `width` columns wide; less important parts are dropped first.
  package func text(width: Int = 80) -> String {
    var parts: [String] = []
    if let fraction { parts.append(percent(fraction)) }
    parts.append(amount)
    if let rate { parts.append("\(grouped(rate)) rows/s") }
    if let secondsLeft { parts.append("\(Self.duration(secondsLeft)) left") }

    var line = parts.joined(separator: "  ")
    while line.count > width, parts.count > 1 {
      parts.removeLast()
      line = parts.joined(separator: "  ")
    }
    guard let fraction else { return DisplayWidth.truncated(line, to: width) }
    let barWidth = min(24, width - line.count - 4)
    guard barWidth >= 8 else { return DisplayWidth.truncated(line, to: width) }
    let filled = Int((fraction * Double(barWidth)).rounded(.down))
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
    return "[\(bar)]  \(line)"
  }

  /// The completed fraction, from 0 to 1; 1 for an empty file, nil if the total is unknown.
  private var fraction: Double? {
    guard let totalBytes else { return nil }
    return totalBytes > 0 ? min(max(Double(bytes) / Double(totalBytes), 0), 1) : 1
  }

  private func percent(_ fraction: Double) -> String {
    // Rounded down, so that 100 % means complete.
    let number = "\(Int(fraction * 100))"
    return String(repeating: " ", count: max(0, 3 - number.count)) + number + " %"
  }

  private var amount: String {
    guard let totalBytes else { return Self.size(bytes, in: Self.unit(for: bytes), named: true) }
    let unit = Self.unit(for: totalBytes)
    return Self.size(min(bytes, totalBytes), in: unit, named: false) + " of "
      + Self.size(totalBytes, in: unit, named: true)
  }

  private var rate: Int? {
    let rate = Double(rows) / seconds
    // Too little time has passed for a stable rate.
    return seconds >= 0.2 && rate.isFinite && rate < 1e15 ? Int(rate) : nil
  }

  private var secondsLeft: Double? {
    guard let fraction, fraction > 0.01, fraction < 1, seconds >= 0.5 else { return nil }
    return seconds / fraction - seconds
  }

  private static func unit(for bytes: Int) -> (bytes: Int, name: String) {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")]
    return units.first { bytes >= $0.0 } ?? (1, "bytes")
  }

  private static func size(_ bytes: Int, in unit: (bytes: Int, name: String), named: Bool) -> String
  {
    let name = named ? " \(unit.name)" : ""
    guard unit.bytes > 1 else { return "\(bytes)\(name)" }
    let tenths = bytes / (unit.bytes / 10)
    return "\(grouped(tenths / 10)).\(tenths % 10)\(name)"
  }

  /// Returns a duration as `8 s`, `3 min 20 s` or `2 h 05 min`, rounded up.
  static func duration(_ seconds: Double) -> String {
    let total = Int(min(seconds, 1e9).rounded(.up))
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    switch total {
    case ..<60: return "\(total) s"
    case ..<3_600: return "\(total / 60) min \(padded(total % 60)) s"
    default: return "\(total / 3_600) h \(padded(total % 3_600 / 60)) min"
    }
  }
}

/// A limit on the rate of an action.
package struct Throttle: Sendable {
  private let interval: Double
  private var last: Double?

  /// Creates a throttle that passes the first call.
  package init(perSecond: Double = 10) {
    interval = 1 / perSecond
  }

  /// Returns whether enough time has passed since the last call that returned true.
  ///
  /// - Parameter seconds: The current time on a monotonic clock.
  /// - Returns: Whether to proceed; if true, the interval starts over.
  package mutating func isOpen(at seconds: Double) -> Bool {
    if let last, seconds - last < interval { return false }
    last = seconds
    return true
  }
}
