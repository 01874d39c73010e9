/// What stands before the cursor in a predicate that is being written.
struct PredicateContext {
  /// What may follow.
  enum Expected: Equatable {
    /// A field, or a word that begins a condition.
    case condition
    /// An operator for a field.
    case comparison(field: String)
    /// A value for a field after an operator.
    case value(field: String)
    /// A word that joins conditions.
    case connective
    /// Nothing, because the cursor is in a text that is not compared with a field.
    case nothing
  }

  /// What may follow.
  private(set) var expected = Expected.condition
  /// The beginning of the word at the cursor, without a quotation mark.
  private(set) var prefix = ""
  /// The quotation mark before the word; nil for none.
  private(set) var quote: Character?
  /// The length of the word in UTF-16 units, with the quotation mark.
  private(set) var length = 0

  private static let connectives: Set<String> = ["AND", "OR", "NOT", "&&", "||", "!"]
  private static let operators: Set<String> = [
    "==", "=", "!=", "<>", "<", ">", "<=", ">=", "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE",
    "MATCHES", "IN",
    "BETWEEN", "GEOWITHIN", "GEOINTERSECTS", "GEODISJOINT", "GEOCONTAINS", "GEOEQUALS",
    "GEOTOUCHES", "GEOCROSSES", "GEOOVERLAPS",
  ]

  /// Reads the text before the cursor.
  init(_ text: String) {
    var field: String?
    var rest = Substring(text)
    while let token = Self.token(&rest) {
      let isLast = rest.isEmpty
      let word = String(token.text)
      if isLast, !token.isComplete {
        prefix = token.quote == nil ? word : String(word.dropFirst())
        quote = token.quote
        length = word.utf16.count
        return
      }
      let upper = String(word.uppercased().prefix { $0 != "[" })
      if Self.connectives.contains(upper) || word == "(" {
        if case .value = expected, word == "(" { continue }
        (field, expected) = (nil, .condition)
      } else if Self.operators.contains(upper) {
        expected = field.map { .value(field: $0) } ?? .nothing
      } else if word == "," || word == "{" {
        continue
      } else if case .condition = expected {
        field = word
        expected = .comparison(field: word)
      } else if word == ")" || word == "}" || expected != .connective {
        expected = .connective
      }
    }
  }

  private struct Token {
    let text: Substring
    let quote: Character?
    /// Whether the token cannot go on.
    let isComplete: Bool
  }

  private static func token(_ rest: inout Substring) -> Token? {
    rest = rest.drop { $0.isWhitespace }
    guard let first = rest.first else { return nil }
    if first == "'" || first == "\"" {
      var end = rest.index(after: rest.startIndex)
      while end < rest.endIndex, rest[end] != first {
        end = rest.index(after: end)
        if end < rest.endIndex, rest[rest.index(before: end)] == "\\" {
          end = rest.index(after: end)
        }
      }
      let isClosed = end < rest.endIndex
      let stop = isClosed ? rest.index(after: end) : rest.endIndex
      defer { rest = rest[stop...] }
      return Token(text: rest[..<stop], quote: first, isComplete: isClosed)
    }
    if "(){},".contains(first) {
      defer { rest = rest.dropFirst() }
      return Token(text: rest.prefix(1), quote: nil, isComplete: true)
    }
    let isSymbol = { (sign: Character) in "=!<>&|".contains(sign) }
    let kind = isSymbol(first)
    let word = rest.prefix { !$0.isWhitespace && !"(){},'\"".contains($0) && isSymbol($0) == kind }
    defer { rest = rest[word.endIndex...] }
    return Token(text: word, quote: nil, isComplete: kind)
  }
}
