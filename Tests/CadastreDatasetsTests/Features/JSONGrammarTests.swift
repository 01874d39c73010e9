import DatasetTestSupport
import Foundation
import Testing

@testable import CadastreDatasets

/// Valid and invalid JSON texts as values of a member.
@Suite struct JSONGrammarTests {
  let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  @Test(
    arguments: [
      "0", "-0", "-1", "10", "123456789012345678901234567890", "0.5", "-0.0", "1e5", "1E+5",
      "1.25e-07", "0e0", "1e999", "null", "true", "false", "[]", "[ ]", "{}", "{ }",
      "[[],[[]]]", #"{"":0}"#, #"[1,"a",null,{"b":[]}]"#, "\t[\n1\r,\n2 ]\t", #""""#,
      #""\"\\\/\b\f\n\r\t""#, #""\u0000\u001f\u00e9\u6f22""#, #""\ud83d\ude00""#,
      "\"é漢😀\u{7F}\u{2028}\"", #""// no comment""#, #""seven\u0041ei""#, #""12345678""#,
      #""1234567\\""#, #""\uD83D\uDE00\uFFFF""#,
    ])
  func `valid JSON is accepted in every framing`(value: String) throws {
    for (framing, isCut) in [
      (JSONReader.Framing.document, false), (.sequence, false), (.sequence, true),
    ] {
      let separator = isCut ? "\u{1E}" : ""
      let text = "{\"v\":\(value)}"
      guard framing == .document || isCut || !value.contains("\n") else { continue }
      let actual = JSONReading(try folder.file("file.json", separator + text), framing)
      #expect(actual.isClean, "\(actual)")
      #expect(actual.records.count == 1)
      guard value != "1e999" else { continue }
      let foundation = try JSONSerialization.jsonObject(with: Data(text.utf8))
      #expect(actual.records == [JSONTree(foundation)])
    }
  }

  @Test(
    arguments: [
      "", "01", "-", "-01", "+1", ".5", "1.", "1.e1", "1e", "1e+", "0x10", "1_000", "1,", "--1",
      "NaN", "Infinity", "-Infinity", "nul", "nulll", "True", "tru", "falsy", "undefined",
      "[1,]", "[,1]", "[1 2]", "[1", "[1}", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#,
      #"{"a" 1}"#, #"{a:1}"#, "{1:1}", "{'a':1}", "'a'", #"{"a":1 "b":2}"#, #"{"a"::1}"#, "]",
      #""a"#, #""\x""#, #""\u12""#, #""\u12G4""#, #""\u 123""#, #""\"#, #""\u"#, "\"\t\"",
      "\"\u{0}\"", "\"\u{1F}\"", "\"\n\"", "1 /* one */", "1 // one", "# one", "é", "\u{A0}1",
      "\u{FEFF}1", "1\u{0}", "\u{0}", "\u{C}1", #""\U0041""#, #""a" "b""#, "[1]]", "{}}",
    ])
  func `invalid JSON is rejected in every framing`(value: String) throws {
    for (framing, separator) in [
      (JSONReader.Framing.document, ""), (.sequence, ""), (.sequence, "\u{1E}"),
    ] {
      let path = try folder.file("file.json", "\(separator){\"v\":\(value)}\n")
      #expect(!JSONReading(path, framing).isClean, "\(framing)")
      // A skipped member is validated too.
      let passed = #"{"type":"FeatureCollection","v":\#(value),"features":[]}"#
      #expect(!JSONReading(try folder.file("file.json", passed), .document).isClean)
    }
  }

  @Test(
    arguments: [
      #"\ud800"#, #"\udc00"#, #"\udc00\ud800"#, #"\ud800\ud800"#, #"\ud83dx"#, #"\ud83d\n"#,
      #"\ud83d\u0041"#,
    ])
  func `half of a surrogate pair is rejected`(text: String) throws {
    let actual = JSONReading(try folder.file("file.json", "{\"v\":\"\(text)\"}"))
    let problem = try #require(actual.rowErrors.first?.problem)

    guard case .loneSurrogate? = problem.problem(of: JSONProblem.self) else {
      Issue.record("\(problem)")
      return
    }
  }
}
