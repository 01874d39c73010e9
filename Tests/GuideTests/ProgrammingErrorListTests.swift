import Foundation
import Testing
import TestingSupport

/// The lists of `ProgrammingErrors.md` are those of the source code.
@Suite struct ProgrammingErrorListTests {
  @Test func `the page lists every sentence that stops the process`() throws {
    let page = try Article("ProgrammingErrors.md").text
    let listed = page.split(separator: "\n").filter { $0.hasPrefix("- `") }
      .map { String($0.dropFirst(3).dropLast()) }
    let sources = Article.file("Sources/Cadastre")
    let files = try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var found: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      found.formUnion(try sentences(in: String(contentsOf: file, encoding: .utf8)))
    }
    #expect(found.count > 100)
    #expect(Set(listed).symmetricDifference(found).sorted() == [])
  }

  /// The sentences in calls of `ProgrammingError.stop`, with an ellipsis for each interpolation.
  private func sentences(in source: String) -> [String] {
    var found: [String] = []
    for part in source.components(separatedBy: "ProgrammingError.stop(").dropFirst() {
      var scanner = Scanner(rest: part[...])
      found += scanner.arguments()
    }
    return found.map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      $0.contains(/[A-Za-z]{3}/)
    }
  }

  /// Reads Swift code character by character.
  private struct Scanner {
    var rest: Substring

    /// The texts up to the closing bracket; those around `?` and `:` are separate ones.
    mutating func arguments() -> [String] {
      var texts = [""]
      var depth = 1
      while depth > 0, let next = rest.popFirst() {
        switch next {
        case "\"": texts[texts.count - 1] += literal()
        case "(": depth += 1
        case ")": depth -= 1
        case "?", ":": texts.append("")
        default: break
        }
      }
      return texts
    }

    /// The text up to the closing quotation mark.
    private mutating func literal() -> String {
      var text = ""
      while let next = rest.popFirst(), next != "\"" {
        guard next == "\\" else {
          text.append(next)
          continue
        }
        switch rest.popFirst() {
        case "(":
          _ = arguments()
          text += "…"
        case "n": text += " "
        case let escaped?: text.append(escaped)
        case nil: break
        }
      }
      return text
    }
  }
}
