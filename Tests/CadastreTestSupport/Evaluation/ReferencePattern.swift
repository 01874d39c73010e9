import CadastreModel
import CadastrePredicate

/// The regular expressions of MATCHES, evaluated while they are parsed: each piece of an expression maps the offsets in a
/// text at which it may begin to those at which it may end.
///
/// A pattern that binding refuses has no defined result.
struct ReferencePattern {
  private typealias Piece = (Set<Int>) -> Set<Int>
  private typealias Test = (Unicode.Scalar) -> Bool

  private let text: [Unicode.Scalar]
  private let options: StringOptions
  private var rest: ArraySlice<Unicode.Scalar>

  private init(_ text: String, _ pattern: String, _ options: StringOptions) {
    self.text = Array(ReferenceText.folded(text, options).unicodeScalars)
    self.options = options
    rest = Array(pattern.unicodeScalars)[...]
  }

  /// Returns whether a pattern matches a text from its start to its end.
  static func matches(_ text: String, _ pattern: String, _ options: StringOptions) -> Bool {
    var reading = ReferencePattern(text, pattern, options)
    let whole = reading.alternatives()
    return reading.rest.isEmpty && whole([0]).contains(reading.text.count)
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  // MARK: Pieces

  private mutating func alternatives() -> Piece {
    var pieces = [sequence()]
    while take("|") { pieces.append(sequence()) }
    return { starts in pieces.reduce(into: []) { $0.formUnion($1(starts)) } }
  }

  private mutating func sequence() -> Piece {
    var pieces: [Piece] = []
    while let next = rest.first, next != "|", next != ")" { pieces.append(repetition(of: atom())) }
    return { starts in pieces.reduce(starts) { $1($0) } }
  }

  private mutating func repetition(of piece: @escaping Piece) -> Piece {
    let (least, most): (Int, Int?)
    if take("*") {
      (least, most) = (0, nil)
    } else if take("+") {
      (least, most) = (1, nil)
    } else if take("?") {
      (least, most) = (0, 1)
    } else if take("{") {
      let bounds = rest.prefix { $0 != "}" }
      rest.removeFirst(min(rest.count, bounds.count + 1))
      let numbers = bounds.split(separator: ",").map {
        Int(String(String.UnicodeScalarView($0))) ?? 0
      }
      least = numbers.first ?? 0
      most = bounds.contains(",") ? numbers.dropFirst().first : least
    } else {
      return piece
    }
    // The entire text must match, so that a lazy repetition has the same result.
    _ = take("?")
    return { starts in
      var ends = starts
      for _ in 0..<least { ends = piece(ends) }
      var (added, count) = (ends, least)
      while !added.isEmpty, most.map({ count < $0 }) ?? true {
        added = piece(added).subtracting(ends)
        ends.formUnion(added)
        count += 1
      }
      return ends
    }
  }

  private mutating func atom() -> Piece {
    guard let first = rest.popFirst() else { return { $0 } }
    switch first {
    case "(":
      if take("?") { _ = take(":") }
      let inner = alternatives()
      _ = take(")")
      return inner
    case "[": return character(class: bracketed())
    case ".": return character { !["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains($0) }
    case "^": return offsets { $0 == 0 }
    case "$":
      let text = text
      return offsets { $0 == text.count || $0 == text.count - 1 && text.last == "\n" }
    case "\\": return escaped()
    default: return literal(first)
    }
  }

  private mutating func escaped() -> Piece {
    switch rest.first {
    case "A":
      rest.removeFirst()
      return offsets { $0 == 0 }
    case "b", "B":
      let isBoundary = rest.removeFirst() == "b"
      let isWord = text.map(Self.isWord)
      return offsets { offset in
        let before = offset > 0 && isWord[offset - 1]
        return (before != (offset < isWord.count && isWord[offset])) == isBoundary
      }
    default: break
    }
    switch escape() {
    case .test(let test): return character(class: test)
    case .scalar(let scalar): return literal(scalar)
    }
  }

  /// A character as the options compare it: one scalar, several, or none.
  private func literal(_ scalar: Unicode.Scalar) -> Piece {
    let scalars = ReferenceText.folded(String(scalar), options).unicodeScalars
    let pieces = scalars.map { wanted in character { $0 == wanted } }
    return { starts in pieces.reduce(starts) { $1($0) } }
  }

  private func character(class test: @escaping Test) -> Piece {
    let text = text
    return { starts in
      Set(starts.lazy.filter { $0 < text.count && test(text[$0]) }.map { $0 + 1 })
    }
  }

  private func offsets(_ test: @escaping (Int) -> Bool) -> Piece {
    { starts in starts.filter(test) }
  }

  // MARK: Classes

  private enum Escape {
    case scalar(Unicode.Scalar)
    case test(Test)
  }

  /// Reads what follows a backslash.
  private mutating func escape() -> Escape {
    guard let scalar = rest.popFirst() else { return .scalar("\\") }
    switch scalar {
    case "d": return .test { $0.properties.generalCategory == .decimalNumber }
    case "D": return .test { $0.properties.generalCategory != .decimalNumber }
    case "w": return .test(Self.isWord)
    case "W": return .test { !Self.isWord($0) }
    case "s": return .test { $0.properties.isWhitespace }
    case "S": return .test { !$0.properties.isWhitespace }
    case "n": return .scalar("\n")
    case "r": return .scalar("\r")
    case "t": return .scalar("\t")
    case "f": return .scalar("\u{c}")
    case "x", "u":
      let digits = String(String.UnicodeScalarView(rest.prefix(scalar == "x" ? 2 : 4)))
      rest.removeFirst(digits.unicodeScalars.count)
      return .scalar(UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) ?? "\0")
    default: return .scalar(scalar)
    }
  }

  private mutating func bracketed() -> Test {
    let isNegated = take("^")
    var tests: [Test] = []
    while let first = rest.first, first != "]" || tests.isEmpty {
      switch bound() {
      case .test(let test): tests.append(test)
      case .scalar(let lower):
        guard rest.first == "-", let next = rest.dropFirst().first, next != "]" else {
          tests.append { $0 == lower }
          continue
        }
        rest.removeFirst()
        guard case .scalar(let upper) = bound() else { continue }
        tests.append { lower <= $0 && $0 <= upper }
      }
    }
    _ = take("]")
    let ignoresCase = options.contains(.caseInsensitive)
    return { [tests] scalar in
      let forms = [scalar] + (ignoresCase ? Self.forms[scalar] ?? [] : [])
      return forms.contains { form in tests.contains { $0(form) } } != isNegated
    }
  }

  /// Reads a bound of a range of a class, without its mark where the options ignore marks.
  private mutating func bound() -> Escape {
    guard let first = rest.popFirst() else { return .scalar("]") }
    let read = first == "\\" ? escape() : .scalar(first)
    guard options.contains(.diacriticInsensitive), case .scalar(let scalar) = read else {
      return read
    }
    let plain = ReferenceText.folded(String(scalar), .diacriticInsensitive).unicodeScalars
    return .scalar(plain.count == 1 ? plain.first ?? scalar : scalar)
  }

  /// The other letters that are equal to a folded letter where case is ignored.
  private static let forms: [Unicode.Scalar: [Unicode.Scalar]] = {
    var forms: [Unicode.Scalar: [Unicode.Scalar]] = [:]
    for scalar in (0..<UInt32(0x2_0000)).lazy.compactMap(Unicode.Scalar.init) {
      let folded = ReferenceText.folded(String(scalar), .caseInsensitive).unicodeScalars
      if let first = folded.first, first != scalar { forms[first, default: []].append(scalar) }
    }
    return forms
  }()

  private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
    default: scalar.properties.isAlphabetic
    }
  }
}
