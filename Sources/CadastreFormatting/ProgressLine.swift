/// How far a long piece of work has come, as one line of text.
///
///     [██████████░░░░░░░░░░]  50 %  1.5 of 3.1 MB  141,490 rows/s  4 s left
package struct ProgressLine: Hashable, Sendable {
  /// Bytes read so far.
  package var bytes: Int
  /// Bytes in all; nil if nobody knows, as with a pipe.
  package var totalBytes: Int?
  /// Rows read so far.
  package var rows: Int
  /// Seconds since the start.
  package var seconds: Double

  /// States how far the work has come.
  package init(bytes: Int, totalBytes: Int?, rows: Int, seconds: Double) {
    self.bytes = bytes
    self.totalBytes = totalBytes
    self.rows = rows
    self.seconds = seconds
  }

  /// The line, at most so many columns wide; what matters less is left out first.
  package func text(width: Int = 80) -> String {
    var parts: [String] = []
    if let fraction { parts.append(percent(fraction)) }
    parts.append(amount)
    if let rate { parts.append("\(grouped(rate)) rows/s") }
    if let left { parts.append("\(Self.duration(left)) left") }

    var line = parts.joined(separator: "  ")
    while line.count > width, parts.count > 1 {
      parts.removeLast()
      line = parts.joined(separator: "  ")
    }
    guard let fraction else { return DisplayWidth.truncated(line, to: width) }
    let room = min(24, width - line.count - 4)
    guard room >= 8 else { return DisplayWidth.truncated(line, to: width) }
    let filled = Int((fraction * Double(room)).rounded(.down))
    let bar =
      String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
    return "[\(bar)]  \(line)"
  }

  /// How much is done, from 0 to 1; an empty file is done.
  private var fraction: Double? {
    guard let totalBytes else { return nil }
    return totalBytes > 0 ? min(max(Double(bytes) / Double(totalBytes), 0), 1) : 1
  }

  private func percent(_ fraction: Double) -> String {
    // Rounded down, so that 100 % means done.
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
    // The first moments say nothing about the rate.
    return seconds >= 0.2 && rate.isFinite && rate < 1e15 ? Int(rate) : nil
  }

  private var left: Double? {
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

  /// `8 s`, `3 min 20 s`, `2 h 05 min`; rounded up, so that it does not promise too much.
  static func duration(_ seconds: Double) -> String {
    let whole = Int(min(seconds, 1e9).rounded(.up))
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    switch whole {
    case ..<60: return "\(whole) s"
    case ..<3_600: return "\(whole / 60) min \(two(whole % 60)) s"
    default: return "\(whole / 3_600) h \(two(whole % 3_600 / 60)) min"
    }
  }
}

/// Lets something through at most so many times a second.
package struct Throttle: Sendable {
  private let interval: Double
  private var last: Double?

  /// Starts a throttle that is open.
  package init(perSecond: Double = 10) {
    interval = 1 / perSecond
  }

  /// Whether enough time has passed since this last said yes; if so, it starts over.
  ///
  /// - Parameter seconds: The time now, on a clock that does not run backwards.
  /// - Returns: Whether to go ahead.
  package mutating func isOpen(at seconds: Double) -> Bool {
    if let last, seconds - last < interval { return false }
    last = seconds
    return true
  }
}
