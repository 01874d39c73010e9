import Foundation

/// Runs scripts: questions with the answers that they had when somebody last looked at them.
///
/// A script is blocks of lines with blank lines in between: a question, a line `----`, and its answer.
/// Blocks without `----` are comments. With `CADASTRE_RECORD=1` in the environment the answers are
/// written anew, and the difference is to be read like code.
package struct ScriptRunner {
  private let path: String

  /// The script with a path beside a source file.
  package init(_ name: String, beside source: String = #filePath) {
    path = (source as NSString).deletingLastPathComponent + "/Scripts/" + name
  }

  /// Asks every question of the script.
  ///
  /// - Returns: What differs, one text each; nothing while recording.
  package func run(_ answer: (String) throws -> String) throws -> [String] {
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
      let found = try answer(parts[0])
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
