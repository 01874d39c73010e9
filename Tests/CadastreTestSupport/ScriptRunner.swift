import Foundation

/// Runs scripts: queries with their reviewed results.
///
/// A script is blocks of lines with blank lines in between: a query, a line `----`, and its result.
/// Blocks without `----` are comments. With `CADASTRE_RECORD=1` in the environment the results are
/// recorded, and the difference is reviewed like code.
package struct ScriptRunner {
  private let path: String

  /// The script with a path beside a source file.
  package init(_ name: String, beside source: String = #filePath) {
    path = (source as NSString).deletingLastPathComponent + "/Scripts/" + name
  }

  /// Runs every query of the script.
  ///
  /// - Returns: The differences, one text each; none while recording.
  package func run(_ result: (String) throws -> String) throws -> [String] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    var differences: [String] = []
    var blocks: [String] = []
    for block in text.trimmingCharacters(in: .newlines).components(separatedBy: "\n\n") {
      let parts = "\(block)\n".components(separatedBy: "\n----\n")
      guard parts.count == 2 else {
        blocks.append(block)
        continue
      }
      let recorded = parts[1].trimmingCharacters(in: .newlines)
      let found = try result(parts[0])
      if found != recorded {
        differences.append("\(parts[0])\nanswers\n\(found)\nrecorded\n\(recorded)")
      }
      blocks.append("\(parts[0])\n----\n\(found)")
    }
    guard ProcessInfo.processInfo.environment["CADASTRE_RECORD"] == "1" else { return differences }
    try (blocks.joined(separator: "\n\n") + "\n").write(
      toFile: path, atomically: true, encoding: .utf8)
    return []
  }
}
