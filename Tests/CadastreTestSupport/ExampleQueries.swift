package import CadastrePredicate
import Foundation

/// A query on the fleet, as a script has it: a number, a class and a predicate; a line of
/// arguments after `with`; and any lines that say why.
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

  /// All queries of a script of the predicate language.
  package static func all(_ script: String) throws -> [ExampleQuery] {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let path = tests.appendingPathComponent("CadastrePredicateTests/Scripts/\(script)")
    return try String(contentsOf: path, encoding: .utf8).components(separatedBy: "\n\n")
      .filter { $0.contains("\n----\n") }.map(ExampleQuery.init)
  }
}
