import CadastreModel
import CadastreTestSupport
import Testing

@testable import CadastrePredicate

/// Error messages: a sentence, the text, and a caret at the error.
@Suite struct ErrorTests {
  @Test func `each mistake has its message and its position`() throws {
    let differences = try ScriptRunner("errors.script").run { text in
      do {
        return "accepted as \(try bound(text, [.int(3)]))"
      } catch let error as QueryPredicateError {
        return "\(error.kind.rawValue): \(error)"
      }
    }
    for difference in differences { Issue.record("\(difference)") }
  }

  @Test func `the full messages of ten typical mistakes`() throws {
    var mistakes = 0
    let differences = try ScriptRunner("mistakes.script").run { block in
      mistakes += 1
      return try FleetQuery.result(block)
    }
    #expect(mistakes == 10)
    for difference in differences { Issue.record("\(difference)") }
  }

  @Test func `an empty text is no predicate`() {
    for text in ["", " \n\t"] {
      let error = #expect(throws: QueryPredicateError.self) { try bound(text) }
      #expect(error?.message == "expected a property or a value, found the end of the text")
      #expect(error?.kind == .syntax)
    }
  }

  @Test func `the caret is below the error in its line`() {
    let text = "crew == 3 AND\n  nmae == 'x' AND\n  seats == 1"
    let error = #expect(throws: QueryPredicateError.self) { try bound(text) }

    #expect(error?.span == TextSpan(offset: 16, count: 4))
    #expect(error?.description.hasSuffix("\n    nmae == 'x' AND\n    ^^^^") == true)
  }

  @Test func `a long line is cut around the error`() throws {
    let text = String(repeating: "crew == 3 OR ", count: 1000) + "nmae == 1"
    let error = try #require(#expect(throws: QueryPredicateError.self) { try bound(text) })
    let lines = error.description.split(separator: "\n")

    #expect(lines.count == 3)
    #expect(lines[1].count <= 102 && lines[1].hasSuffix("nmae == 1"))
    #expect(lines[2].drop(while: { $0 == " " }) == "^^^^")
    #expect(lines[1].dropFirst(lines[2].count - 4).prefix(4) == "nmae")
  }

  @Test func `the nearest name is suggested, and none when nothing is near`() {
    let suggested = [
      "nmae": "name", "Crew": "crew", "crews": "crew", "ecsort": "escort", "lenght": "length",
      "rentd": "rented", "berht": "berth",
    ]
    for (wrong, right) in suggested {
      let error = #expect(throws: QueryPredicateError.self) { try bound("\(wrong) == null") }
      #expect(error?.message.hasSuffix("; did you mean '\(right)'?") == true, "\(wrong)")
    }
    for wrong in ["zzzzzzzz", "x", String(repeating: "crew", count: 1000)] {
      let error = #expect(throws: QueryPredicateError.self) { try bound("\(wrong) == null") }
      #expect(error?.message.contains("did you mean") == false, "\(wrong)")
    }
  }
}
