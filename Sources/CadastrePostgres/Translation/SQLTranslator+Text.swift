import CadastreModel
import CadastrePredicate

extension SQLTranslator {
  /// Returns the condition that compares a column of text with a constant.
  ///
  /// Stored text contains no null character. So a constant with a null character equals no value, and sorts directly
  /// after its prefix before that character.
  mutating func text(
    _ column: String, _ operation: ComparisonOperator, _ value: Value, _ options: StringOptions,
    _ path: BoundPath
  ) throws(UntranslatablePart) -> String {
    guard !operation.takesPattern else {
      throw refused(
        "\(path) \(operation.rawValue)", "PostgreSQL matches patterns by other rules")
    }
    guard case .string(let text) = value else {
      guard value.isNull else { throw refused(path, "it is compared with no text") }
      return switch operation {
      case .equal, .lessOrEqual, .like: "\(column) IS NULL"
      case .notEqual, .greater: "\(column) IS NOT NULL"
      case .greaterOrEqual: "true"
      default: "false"
      }
    }
    let column = options.contains(.caseInsensitive) ? Self.folded(column) : column
    let folded = String(decoding: StringFolding.folded(text, options), as: UTF8.self)
    let prefix = folded.unicodeScalars.prefix { $0 != "\0" }
    guard prefix.count == folded.unicodeScalars.count else {
      let before = String(String.UnicodeScalarView(prefix))
      switch operation {
      case .notEqual: return "true"
      case .less, .lessOrEqual:
        return "(\(column) <= \(parameter(.text(before))) OR \(column) IS NULL)"
      case .greater, .greaterOrEqual: return "\(column) > \(parameter(.text(before)))"
      default: return "false"
      }
    }
    switch operation {
    case .less, .lessOrEqual:
      return
        "(\(column) \(operation.rawValue) \(parameter(.text(folded))) OR \(column) IS NULL)"
    case .equal, .notEqual, .greater, .greaterOrEqual:
      return Self.compared(column, operation, parameter(.text(folded)))
    case .like: return "\(column) LIKE " + parameter(.text(Self.likePattern(folded)))
    case .beginsWith, .endsWith, .contains:
      guard !folded.isEmpty else { return "false" }
      return Self.substring(column, operation, parameter(.text(folded)), isText: true)
    case .matches, .text, .isIn, .between:
      throw refused("\(path) \(operation.rawValue)", "it takes no single text")
    }
  }

  /// Converts a pattern with `*` and `?` to one with `%` and `_`.
  static func likePattern(_ pattern: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in pattern.unicodeScalars {
      switch scalar {
      case "*": result.append("%")
      case "?": result.append("_")
      case "\\", "%", "_":
        result.append("\\")
        result.append(scalar)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// Returns a column of text with folded letters, for the option `[c]`.
  ///
  /// `lower` of ICU folds Σ depending on its position and U+0130 to two scalars. It does not fold ς, some other
  /// lower-case letters, and letters of later versions of Unicode. `translate` replaces these letters first, in texts
  /// that contain one. `translate` of all 1,500 letters is exact too, but takes 100 times as long. `ILIKE` and other
  /// collations fold other letters.
  static func folded(_ column: String) -> String {
    let letters = replacedLetters
    return "lower(CASE WHEN \(column) ~ '[\(letters.ranges)]' "
      + "THEN translate(\(column), '\(letters.upper)', '\(letters.lower)') "
      + "ELSE \(column) END COLLATE \"und-x-icu\") COLLATE \"C\""
  }

  /// The letters that `lower` of ICU 60 (2017, Unicode 10) folds differently or not at all, and their ranges for a
  /// regular expression.
  private static let replacedLetters = {
    let (upper, lower) = letters { letter, folded in
      letter == "\u{130}" || letter == "\u{3A3}" || (letter.properties.age?.major ?? 0) > 10
        || letter.properties.lowercaseMapping.unicodeScalars.first != folded
    }
    var ranges: [ClosedRange<Unicode.Scalar>] = []
    for scalar in upper.unicodeScalars {
      if let last = ranges.last, scalar.value - last.upperBound.value <= 2 {
        ranges[ranges.count - 1] = last.lowerBound...scalar
      } else {
        ranges.append(scalar...scalar)
      }
    }
    return (
      ranges: ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(), upper: upper,
      lower: lower
    )
  }()

  /// All letters with a different folded form, and their folded forms.
  static let foldedLetters = letters { _, _ in true }

  private static func letters(
    where isListed: (_ letter: Unicode.Scalar, _ folded: Unicode.Scalar) -> Bool
  ) -> (upper: String, lower: String) {
    let pairs = StringFolding.letters.filter { isListed($0.letter, $0.folded) }
    return (
      String(String.UnicodeScalarView(pairs.map(\.letter))),
      String(String.UnicodeScalarView(pairs.map(\.folded)))
    )
  }

  /// Returns the condition of BEGINSWITH, ENDSWITH or CONTAINS with a non-empty right side.
  static func substring(
    _ whole: String, _ operation: ComparisonOperator, _ part: String, isText: Bool
  ) -> String {
    switch operation {
    case .beginsWith:
      isText
        ? "starts_with(\(whole), \(part))"
        : "substring(\(whole) from 1 for length(\(part))) = \(part)"
    case .endsWith:
      isText
        ? "right(\(whole), length(\(part))) = \(part)"
        : "(length(\(whole)) >= length(\(part)) AND "
          + "substring(\(whole) from length(\(whole)) - length(\(part)) + 1) = \(part))"
    default: isText ? "strpos(\(whole), \(part)) > 0" : "position(\(part) in \(whole)) > 0"
    }
  }
}
