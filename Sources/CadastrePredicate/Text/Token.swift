import CadastreModel

/// The smallest piece of a predicate's text that means something.
struct Token {
  /// The kind of a token.
  enum Kind: Equatable {
    /// A property's name, or a function's; `isForced` when written so that it is no keyword.
    case name(String, isForced: Bool)
    /// A word of the language.
    case keyword(Keyword)
    /// A constant that is complete in itself.
    case constant(Value)
    /// `$3`: an argument by its index.
    case argument(Int)
    /// `$K3`: an argument, by its index, that is a property path.
    case pathArgument(Int)
    /// `%@` and its like: the next argument.
    case nextArgument
    /// `%K`: the next argument, which is a property path.
    case nextPathArgument
    /// `$t`: the variable of a subquery.
    case variable(String)
    /// `@count` and the like, without the sign.
    case attribute(String)
    /// `==`, `<` and the like.
    case comparison(ComparisonOperator)
    /// A bracket, a separator, or an arithmetic operator.
    case mark(Mark)
    /// The end of the text.
    case end

    /// Whether an operand can end with the token.
    var endsOperand: Bool {
      switch self {
      case .name, .constant, .argument, .pathArgument, .nextArgument, .nextPathArgument,
        .variable, .attribute:
        true
      // A word that can only be an operator is a property's name where an operand must stand.
      case .keyword(let keyword): keyword.comparison != nil
      case .mark(let mark): mark == ")" || mark == "]"
      case .comparison, .end: false
      }
    }
  }

  var kind: Kind
  var span: TextSpan

  /// Whether the token is a given mark.
  func isMark(_ mark: Mark) -> Bool {
    if case .mark(mark) = kind { true } else { false }
  }

  /// Whether the token is ANY, ALL or another quantifier.
  var isQuantifier: Bool {
    if case .keyword(let keyword) = kind { keyword.quantifier != nil } else { false }
  }
}

/// A bracket, a separator, or an arithmetic operator, in ASCII.
struct Mark: Hashable, ExpressibleByUnicodeScalarLiteral {
  private let code: UInt8

  init(unicodeScalarLiteral scalar: Unicode.Scalar) { code = UInt8(ascii: scalar) }
}

/// The words that a predicate's text reserves, in any letter case.
enum Keyword: String, CaseIterable {
  case and = "AND"
  case or = "OR"
  case not = "NOT"
  case any = "ANY"
  case some = "SOME"
  case all = "ALL"
  case none = "NONE"
  case isIn = "IN"
  case between = "BETWEEN"
  case beginsWith = "BEGINSWITH"
  case endsWith = "ENDSWITH"
  case contains = "CONTAINS"
  case like = "LIKE"
  case matches = "MATCHES"
  case text = "TEXT"
  case geoWithin = "GEOWITHIN"
  case geoIntersects = "GEOINTERSECTS"
  case geoDisjoint = "GEODISJOINT"
  case geoContains = "GEOCONTAINS"
  case geoEquals = "GEOEQUALS"
  case geoTouches = "GEOTOUCHES"
  case geoCrosses = "GEOCROSSES"
  case geoOverlaps = "GEOOVERLAPS"
  case truePredicate = "TRUEPREDICATE"
  case falsePredicate = "FALSEPREDICATE"
  case `true` = "TRUE"
  case yes = "YES"
  case `false` = "FALSE"
  case no = "NO"
  case null = "NULL"
  case `nil` = "NIL"
  case infinity = "INFINITY"
  case inf = "INF"
  case nan = "NAN"

  init?(_ word: String) {
    guard let capitals = Capitals(word), let keyword = Self.byWord[capitals] else { return nil }
    self = keyword
  }

  private static let byWord = Dictionary(
    uniqueKeysWithValues: allCases.compactMap { keyword in
      Capitals(keyword.rawValue).map { ($0, keyword) }
    })

  /// A word of up to sixteen bytes, with capital letters for small ones.
  private struct Capitals: Hashable {
    private var head: UInt64 = 0
    private var tail: UInt64 = 0

    init?(_ word: String) {
      guard word.utf8.count <= 16 else { return nil }
      for byte in word.utf8 {
        let isSmall = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        head = head << 8 | tail >> 56
        tail = tail << 8 | UInt64(isSmall ? byte - 32 : byte)
      }
    }
  }

  /// The operator that the word names.
  var comparison: ComparisonOperator? {
    switch self {
    case .isIn: .isIn
    case .between: .between
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .contains: .contains
    case .like: .like
    case .matches: .matches
    case .text: .text
    default: nil
    }
  }

  /// The quantifier that the word names.
  var quantifier: Quantifier? {
    switch self {
    case .any, .some: .any
    case .all: .all
    case .none: Quantifier.none
    default: nil
    }
  }

  /// The constant that the word names.
  var constant: Value? {
    switch self {
    case .true, .yes: .bool(true)
    case .false, .no: .bool(false)
    case .null, .nil: .null
    case .infinity, .inf: .double(.infinity)
    case .nan: .double(.nan)
    default: nil
    }
  }
}
