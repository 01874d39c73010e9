import Foundation

/// Lines on standard output.
enum Report {
  /// Prints a line without buffering, so that the seed is known after a crash.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// The reason why a run has failed.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// What a campaign found; each finding names the case that shows it again.
struct Findings {
  private(set) var count = 0
  private static let printed = 40

  /// Prints a finding, and counts it.
  mutating func add(_ finding: String) {
    count += 1
    if count <= Self.printed { Report.say("FINDING: \(finding)") }
    if count == Self.printed { Report.say("further findings are counted only") }
  }

  /// Throws where there was a finding, for the exit status.
  func requireNone() throws {
    if count > 0 { throw Failure("\(count) findings") }
  }
}
