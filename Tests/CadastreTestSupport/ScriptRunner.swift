package import CadastrePredicate
import Foundation

/// A runner of scripts: queries with their reviewed results.
///
/// A script consists of blocks of lines, separated by blank lines: a query, a line `----`, and its result.
/// Blocks without `----` are comments. With `CADASTRE_RECORD=1` in the environment the results are recorded,
/// and the difference is reviewed like code.
package struct ScriptRunner {
  private let path: String

  /// Creates a runner of the script with a path beside a source file.
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

/// A query on the fleet from a script: a number, a class and a predicate; a line of arguments after `with`;
/// and any lines of comment.
package struct ExampleQuery {
  /// The queried class.
  package let className: String
  /// The predicate.
  package let text: String
  /// The arguments.
  package let arguments: [PredicateArgument]

  /// Reads a block of a script.
  package init(_ block: String) throws {
    let lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let head = lines[0].split(separator: ": ", maxSplits: 1).map(String.init)
    className = head[0].contains("Harbor") ? "Harbor" : "Boat"
    text = head[1]
    guard let line = lines.first(where: { $0.hasPrefix("with ") }),
      case .comparison(let comparison) = try QueryPredicate(
        parsing: "a IN {\(line.dropFirst("with ".count))}"),
      case .list(let values) = comparison.right
    else {
      arguments = []
      return
    }
    arguments = values.map(PredicateArgument.value)
  }

  /// Returns all queries of a script of the predicate language.
  package static func all(_ script: String) throws -> [ExampleQuery] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = tests.appendingPathComponent("CadastrePredicateTests/Scripts/\(script)")
    return try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n\n")
      .filter { $0.contains("\n----\n") }.map(ExampleQuery.init)
  }
}
