import CadastreModel

/// The smallest piece of a predicate's text that means something.
struct Token: Hashable {
  /// The kind of a token.
  enum Kind: Hashable {
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
    case mark(Character)
    /// The end of the text.
    case end
  }

  var kind: Kind
  var span: TextSpan
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
    guard let keyword = Self.byWord[word.uppercased()] else { return nil }
    self = keyword
  }

  private static let byWord = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

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
