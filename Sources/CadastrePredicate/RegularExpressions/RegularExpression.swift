import CadastreModel

/// A regular expression that is matched with a text from start to end.
///
/// It supports characters, `.`, classes such as `[a-z]` and `\d`, groups, alternatives, repetition,
/// and the anchors `^`, `$`, `\b` and `\B`. Features that need backtracking without bounds, such as
/// backreferences, are refused.
///
/// - Complexity: To match, O(n·m) for a text of n characters and a pattern of m.
///
/// Source: K. Thompson, "Regular Expression Search Algorithm", CACM 1968.
package struct RegularExpression: Sendable {
  private let program: [RegularExpressionInstruction]
  private let options: StringOptions
  /// The pattern as it was written.
  package let pattern: String

  /// Reads a pattern.
  ///
  /// - Throws: ``RegularExpressionError`` for one that is not understood or is too long.
  package init(
    _ pattern: String, options: StringOptions = []
  ) throws(RegularExpressionError) {
    var parser = RegularExpressionParser(pattern, options)
    let node = try parser.wholePattern()
    var compiler = RegularExpressionCompiler(pattern: pattern)
    program = try compiler.compile(node)
    self.options = options
    self.pattern = pattern
  }

  /// Whether a text fits the pattern from end to end.
  package func matches(_ text: String) -> Bool {
    let folded = options.isEmpty ? text : StringFolding.text(text, options)
    return matches(Array(folded.unicodeScalars))
  }

  /// Simulates all states of the automaton, character by character.
  private func matches(_ text: [Unicode.Scalar]) -> Bool {
    var states = StateSet(count: program.count)
    var next = StateSet(count: program.count)
    var waiting: [Int] = []
    reach(0, &states, &waiting, text, 0)
    for (position, scalar) in text.enumerated() {
      if states.members.isEmpty { return false }
      next.removeAll()
      for state in states.members {
        if case .character(let set) = program[state], set.contains(scalar) {
          reach(state + 1, &next, &waiting, text, position + 1)
        }
      }
      swap(&states, &next)
    }
    return states.members.contains { if case .match = program[$0] { true } else { false } }
  }

  /// Adds a state, and all states that can be reached from it without reading a character.
  private func reach(
    _ start: Int, _ states: inout StateSet, _ waiting: inout [Int], _ text: [Unicode.Scalar],
    _ position: Int
  ) {
    waiting.append(start)
    while let state = waiting.popLast() {
      guard states.insert(state) else { continue }
      switch program[state] {
      case .character, .match: break
      case .jump(let target): waiting.append(target)
      case .split(let first, let second):
        waiting.append(first)
        waiting.append(second)
      case .anchor(let anchor):
        if anchor.holds(in: text, at: position) { waiting.append(state + 1) }
      }
    }
  }

  /// A set of states of a program.
  private struct StateSet {
    private(set) var members: [Int] = []
    private var isMember: [Bool]

    init(count: Int) { isMember = Array(repeating: false, count: count) }

    mutating func insert(_ state: Int) -> Bool {
      if isMember[state] { return false }
      isMember[state] = true
      members.append(state)
      return true
    }

    mutating func removeAll() {
      for member in members { isMember[member] = false }
      members.removeAll(keepingCapacity: true)
    }
  }
}

/// Why a regular expression cannot be used.
package struct RegularExpressionError: Error, Hashable, CustomStringConvertible {
  /// The expression.
  package let pattern: String
  /// Where in it, in Unicode scalars from its start.
  package let offset: Int
  /// The problem.
  package let problem: String

  /// The sentence.
  package var description: String {
    "regular expression '\(pattern.prefix(100))': \(problem) at character \(offset + 1)"
  }
}

/// A step of a compiled expression.
enum RegularExpressionInstruction: Sendable {
  /// Read one character of a set and go on.
  case character(CharacterSet)
  /// Continue at another state.
  case jump(Int)
  /// Continue at both of two states.
  case split(Int, Int)
  /// Continue if the position in the text satisfies an anchor.
  case anchor(RegularExpressionAnchor)
  /// The text fits if it ends here.
  case match
}

/// A condition on a position in a text.
enum RegularExpressionAnchor: Hashable, Sendable {
  /// The beginning.
  case start
  /// The end, or before a line feed that ends the text.
  case end
  /// Between a character of a word and another one.
  case wordBoundary
  /// Anywhere else.
  case noWordBoundary

  func holds(in text: [Unicode.Scalar], at position: Int) -> Bool {
    switch self {
    case .start: return position == 0
    case .end:
      return position == text.count || position == text.count - 1 && text[position] == "\n"
    case .wordBoundary, .noWordBoundary:
      let before = position > 0 && CharacterSet.isWord(text[position - 1])
      let after = position < text.count && CharacterSet.isWord(text[position])
      return (before != after) == (self == .wordBoundary)
    }
  }
}

/// The characters that one state of an expression accepts.
struct CharacterSet: Hashable, Sendable {
  /// A kind of characters.
  enum Kind: Hashable, Sendable {
    case range(ClosedRange<Unicode.Scalar>)
    case digit(Bool)
    case word(Bool)
    case space(Bool)
    case notNewline
  }

  var kinds: [Kind] = []
  var isNegated = false
  /// Whether a folded letter belongs to the set if one of its other forms does: the text has folded letters only.
  var ignoresCase = false

  init(_ kinds: [Kind]) { self.kinds = kinds }

  /// A single character.
  init(_ scalar: Unicode.Scalar) { kinds = [.range(scalar...scalar)] }

  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let isFound =
      holds(scalar) || ignoresCase && StringFolding.forms(of: scalar).contains(where: holds)
    return isFound != isNegated
  }

  private func holds(_ scalar: Unicode.Scalar) -> Bool {
    kinds.contains { kind in
      switch kind {
      case .range(let range): range.contains(scalar)
      case .digit(let wanted): (scalar.properties.generalCategory == .decimalNumber) == wanted
      case .word(let wanted): Self.isWord(scalar) == wanted
      case .space(let wanted): scalar.properties.isWhitespace == wanted
      case .notNewline: !Self.newlines.contains(scalar)
      }
    }
  }

  private static let newlines: [Unicode.Scalar] = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]

  /// Letters, marks, digits and connectors such as `_`.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isAlphabetic { return true }
    return switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
    default: false
    }
  }
}

extension RegularExpression: Hashable {
  /// Returns whether the patterns have the same bytes, and the options are equal.
  package static func == (first: RegularExpression, second: RegularExpression) -> Bool {
    first.pattern.hasSameBytes(as: second.pattern) && first.options == second.options
  }

  /// Hashes the bytes of the pattern.
  package func hash(into hasher: inout Hasher) { pattern.hashBytes(into: &hasher) }
}
