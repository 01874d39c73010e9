import Foundation

/// How a process ended.
struct Outcome: CustomStringConvertible {
  /// The exit status; nil where a signal ended the process.
  let status: Int32?
  let signal: Int32?
  /// What it wrote to standard error.
  let text: String

  var description: String {
    (status.map { "status \($0)" } ?? "signal \(signal ?? 0)")
      + ": " + text.prefix(300).replacingOccurrences(of: "\n", with: " / ")
  }
}
