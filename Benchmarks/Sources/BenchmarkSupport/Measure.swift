import Foundation

/// Returns the median over rounds of the nanoseconds per operation, for a body of `count`
/// operations.
public func nanoseconds(rounds: Int = 7, _ count: Int, _ body: () throws -> Void) rethrows -> Double
{
  let clock = ContinuousClock()
  var times: [Double] = []
  for _ in 0..<rounds {
    let time = try clock.measure(body).components
    times.append((Double(time.seconds) * 1e9 + Double(time.attoseconds) / 1e9) / Double(count))
  }
  return times.sorted()[rounds / 2]
}

/// Prints a line with the name, the nanoseconds of Cadastre and of SQLite, and their ratio.
public func report(_ name: String, _ ours: Double, sqlite: Double? = nil) {
  func text(_ number: Double) -> String {
    let digits = String(format: number < 100 ? "%.1f" : "%.0f", number)
    return String(repeating: " ", count: max(0, 12 - digits.count)) + digits
  }
  let peer = sqlite.map { text($0) + String(format: "%10.2f", ours / $0) } ?? ""
  print(name.padding(toLength: 52, withPad: " ", startingAt: 0) + text(ours) + peer)
}
