/// Texts that a spreadsheet runs as formulas when it opens a table.
///
/// Source: OWASP, "CSV Injection".
enum FormulaText {
  private static let signs = Array("=+-@\t\r".utf8)

  /// Returns whether a spreadsheet runs a text as a formula: it begins with `=`, `+`, `-`, `@`, a tab
  /// or a carriage return, and is no number.
  static func isFormula(_ text: String) -> Bool {
    guard let first = text.utf8.first, signs.contains(first) else { return false }
    var text = text
    return text.withUTF8 { DecimalNumber($0) == nil }
  }
}
