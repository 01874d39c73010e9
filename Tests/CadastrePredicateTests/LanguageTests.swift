import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// The worked examples of the predicate language, about the fleet.
@Suite struct LanguageTests {
  @Test func `the numbered examples are answered as the language says`() throws {
    let differences = try ScriptRunner("language.script").run(FleetQuestion.answer)
    for difference in differences { Issue.record("\(difference)") }
  }

  @Test func `further questions are answered as the language says`() throws {
    let differences = try ScriptRunner("collections.script").run(FleetQuestion.answer)
    for difference in differences { Issue.record("\(difference)") }
  }
}

/// A question about the fleet, as a script writes it: a number, a class and a predicate; a line of
/// arguments after `with`; and any lines that say why.
enum FleetQuestion {
  static func answer(_ block: String) throws -> String {
    let lines = block.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let head = lines[0].split(separator: ": ", maxSplits: 1).map(String.init)
    let className = head[0].contains("Harbor") ? "Harbor" : "Boat"
    var arguments: [PredicateArgument] = []
    if let line = lines.first(where: { $0.hasPrefix("with ") }),
      case .comparison(let comparison) = try QueryPredicate(
        parsing: "a IN {\(line.dropFirst("with ".count))}"),
      case .list(let values) = comparison.right
    {
      arguments = values.map(PredicateArgument.value)
    }
    return try answer(head[1], className, arguments)
  }

  static func answer(
    _ text: String, _ className: String = "Boat", _ arguments: [PredicateArgument] = []
  ) throws -> String {
    do {
      let keys = try keys(text, className, arguments)
      guard className == "Harbor" else { return "\(keys)" }
      return "\(keys.map { ["AAR", "BGO", "CPH"][Int($0) - 1] })"
        .replacing("\"", with: "")
    } catch let error as QueryPredicateError {
      return "\(error.kind.rawValue): \(error)"
    }
  }

  static func keys(
    _ text: String, _ className: String = "Boat", _ arguments: [PredicateArgument] = []
  ) throws -> [Int64] {
    let root = try #require(Fleet.schema[className])
    let question = try QueryText(parsing: text, arguments: arguments)
    do {
      let bound = try question.bound(to: Fleet.schema, root: root)
      return try ScanOracle(Fleet.examples).keys(className, bound)
    } catch let error as QueryPredicateError {
      throw error.found(in: text)
    }
  }
}
