import CadastreTestSupport
import Foundation
import Testing

@testable import CadastrePredicate

@Suite struct RegularExpressionTests {
  private func matches(
    _ pattern: String, _ text: String, _ options: StringOptions = []
  ) throws -> Bool {
    try RegularExpression(pattern, options: options).matches(text)
  }

  @Test func `patterns fit whole texts`() throws {
    let table: [(String, [String], [String])] = [
      ("", [""], ["a"]), ("abc", ["abc"], ["ab", "abcd", "xabc", "ABC"]),
      ("a.c", ["abc", "a🚢c"], ["ac", "a\nc", "abbc"]),
      ("a*", ["", "a", "aaaa"], ["b", "ab"]), ("a+", ["a", "aa"], [""]),
      ("ab?c", ["ac", "abc"], ["abbc"]), ("a{2}", ["aa"], ["a", "aaa"]),
      ("a{2,}", ["aa", "aaaaa"], ["a"]), ("a{1,3}b", ["ab", "aaab"], ["b", "aaaab"]),
      ("a{0}b", ["b"], ["ab"]), ("a*?b", ["b", "aab"], ["a"]),
      ("cat|dog", ["cat", "dog"], ["catdog", ""]), ("(cat|dog)+", ["catdogcat"], ["catd"]),
      ("a(|b)c", ["ac", "abc"], ["abbc"]), ("(?:ab)*c", ["c", "ababc"], ["abac"]),
      ("[abc]+", ["cab"], ["cad", ""]), ("[a-cx-z]", ["b", "y"], ["d", "-"]),
      ("[^a-c]", ["d", "🚢", "\n"], ["a", ""]), ("[]a]", ["]", "a"], ["b"]),
      ("[a-]", ["a", "-"], ["b"]), ("[\\]\\-]", ["]", "-"], ["\\"]),
      ("\\d+", ["123", "٣"], ["12a"]), ("\\D", ["a"], ["1"]),
      ("\\w+", ["Ærø_1"], ["a b"]), ("\\W", [" "], ["a"]), ("\\s", [" ", "\t", "\u{a0}"], ["a"]),
      ("[\\d\\s]+", ["1 2"], ["1,2"]), ("[^\\w]", ["!"], ["a"]),
      ("^abc$", ["abc"], ["abcd"]), ("a$\\n", ["a\n"], ["a"]), ("a^b", [], ["ab"]),
      ("\\bfoo\\b.*", ["foo bar", "foo"], ["foobar"]), ("a\\Bb", ["ab"], ["a b"]),
      ("\\.\\*\\\\", [".*\\"], ["ab\\"]), ("\\t\\x41\\u00e6", ["\tAæ"], ["tAæ"]),
      ("(a*)*", ["", "aaa"], ["b"]), ("(a|a)*b", ["aab"], ["aa"]), ("((a?)*)*", ["aa"], ["b"]),
      ("a}", ["a}"], ["a"]), ("日本", ["日本"], ["日"]), (".", ["e", "é"], ["e\u{301}"]),
    ]
    for (pattern, fitting, others) in table {
      for text in fitting { #expect(try matches(pattern, text), "\(pattern) \(text)") }
      for text in others { #expect(try !matches(pattern, text), "\(pattern) \(text)") }
    }
  }

  @Test func `options fold patterns as they fold texts`() throws {
    #expect(try matches("æRø", "ÆrØ", .caseInsensitive))
    #expect(try matches("[A-Z]+", "alma", .caseInsensitive))
    #expect(try matches("[^A-Z]", "a", .caseInsensitive) == false)
    #expect(try matches("\\D\\W", "a!", .caseInsensitive))
    #expect(try matches("ЖУК", "жук", .caseInsensitive))
    #expect(try matches("[А-Я]+", "жук", .caseInsensitive))
    // The Kelvin sign and the Angstrom sign are capitals too.
    #expect(try matches("[\u{212A}\u{212B}]+", "kå", .caseInsensitive))
    #expect(try matches("[^Ÿ]", "ÿ", .caseInsensitive) == false)
    #expect(try matches("ЖУК", "жук", [.caseInsensitive, .diacriticInsensitive]))
    #expect(try matches("café", "cafe", .diacriticInsensitive))
    #expect(try matches("caf[é]", "cafe\u{301}", .diacriticInsensitive))
    #expect(try matches("Café", "cafe", .diacriticInsensitive) == false)
  }

  @Test func `unsupported syntax is an error with its position`() {
    let table: [(String, Int)] = [
      ("(", 1), (")", 0), ("a)", 1), ("[a", 0), ("[", 0), ("*", 0), ("a**", 2), ("a+*", 2),
      ("a{", 1), ("a{2", 3), ("a{3,2}", 1), ("a{1001}", 1), ("a{x}", 1), ("a++", 2), ("(?=a)", 0),
      ("(?i)a", 0), ("\\1", 0), ("\\p{L}", 0), ("a\\", 1), ("[z-a]", 1), ("[a-\\d]", 1),
      ("[[:alpha:]]", 1), ("[a&&b]", 2), ("\\x4", 0), ("\\uD800", 0), ("{2}", 0), ("|*", 1),
    ]
    for (pattern, offset) in table {
      let error = #expect(throws: RegularExpressionError.self) {
        try RegularExpression(pattern)
      }
      #expect(error?.offset == offset, "\(pattern): \(error?.description ?? "")")
    }
    for pattern in [
      "((a{1000}){1000}){1000}", "(((){1000}){1000}){1000}", String(repeating: "(", count: 1000),
      String(repeating: "a", count: 20_000), "((a{0,1000}){0,1000}){0,1000}",
    ] {
      #expect(throws: RegularExpressionError.self) { try RegularExpression(pattern) }
    }
  }

  /// A backtracking search would not end.
  @Test func `patterns that make a backtracking search explode take no time`() throws {
    let text = String(repeating: "a", count: 2000)
    #expect(try matches("(a*)*b", text) == false)
    #expect(try matches("(a|aa)+b", text) == false)
    #expect(try matches("(a|a?)+", text))
    #expect(try matches("(.*)(.*)(.*)(.*)(.*)[^a]", text) == false)
  }

  /// Property: the same texts match as with Foundation's regular expressions.
  ///
  /// Without `*?` and its like: there Foundation gives up a loop at its first empty round.
  @Test(arguments: Seeds.usual(71...73))
  func `expressions agree with Foundation`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let pattern = piece(depth: 3, &random)
      let expression = try RegularExpression(pattern)
      let other = try NSRegularExpression(pattern: "^(?:\(pattern))$")
      for _ in 0..<10 {
        let text = String((0..<random.below(6)).map { _ in random.pick(Array("aab1 _-B")) })
        let range = NSRange(text.startIndex..., in: text)
        let expected = other.firstMatch(in: text, range: range)?.range == range
        guard expression.matches(text) != expected else { continue }
        Issue.record("seed \(seed): \(pattern) and '\(text)': Foundation says \(expected)")
        return
      }
    }
  }

  private func piece(depth: Int, _ random: inout SeededGenerator) -> String {
    let atoms = ["a", "b", "1", "-", ".", "\\d", "\\w", "\\S", "[ab]", "[^a]", "[a-z1]", "B"]
    guard depth > 0 else { return random.pick(atoms) }
    switch random.below(6) {
    case 0: return "(\(piece(depth: depth - 1, &random))|\(piece(depth: depth - 1, &random)))"
    case 1:
      return "(?:\(piece(depth: depth - 1, &random)))"
        + random.pick(["*", "+", "?", "{2}", "{0,2}", "{1,}"])
    default: return (0..<random.below(3) + 1).map { _ in piece(depth: depth - 1, &random) }.joined()
    }
  }
}
