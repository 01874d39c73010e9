package import CadastreModel
package import CadastreSQLite

/// A search of a full-text index for keys.
package struct TextIndexSearch {
  private let connection: Connection
  private let name: String

  /// Prepares to search an index.
  package init(_ index: TableLayout.TextIndex, _ reader: any StoreReader) {
    connection = reader.connection
    name = SQL.quoted(index.name)
  }

  /// Returns the keys of the rows with some words and without others, ascending.
  ///
  /// - Complexity: O(log n + k) for k rows with one of the words.
  package func keys(
    including: [TextTerm], excluding: [TextTerm]
  ) throws(StoreError) -> [Int64] {
    guard let words = TextIndexForm.expression(including: including, excluding: excluding) else {
      return []
    }
    return try connection.integers(
      "SELECT rowid FROM \(name) WHERE \(name) MATCH ? ORDER BY rowid", .string(words))
  }

  /// Returns the number of rows with some words and without others, at most `limit`.
  package func count(
    including: [TextTerm], excluding: [TextTerm], limit: Int
  ) throws(StoreError) -> Int {
    guard let words = TextIndexForm.expression(including: including, excluding: excluding) else {
      return 0
    }
    let count = try connection.integer(
      "SELECT count(*) FROM (SELECT 1 FROM \(name) WHERE \(name) MATCH ? LIMIT ?)", .string(words),
      .int(Int64(limit)))
    return Int(count ?? 0)
  }

  /// Returns the BM25 relevance of the rows that contain at least one of several terms; higher is better.
  ///
  /// - Complexity: O(k) for k rows.
  package func relevance(of terms: [TextTerm]) throws(StoreError) -> [Int64: Double] {
    let parts = terms.compactMap { TextIndexForm.expression(including: [$0], excluding: []) }
    guard !parts.isEmpty else { return [:] }
    let rows = try connection.statement(
      "SELECT rowid, bm25(\(name)) FROM \(name) WHERE \(name) MATCH ?")
    try rows.bind(.string(parts.joined(separator: " OR ")), at: 1)
    var relevance: [Int64: Double] = [:]
    // SQLite returns negative numbers. The lowest number is the best relevance.
    while try rows.step() { relevance[rows.integer(0)] = -(rows.double(1) ?? 0) }
    return relevance
  }
}

/// The encoding of words in the FTS5 table: only ASCII letters and digits.
///
/// So FTS5's tokenizer separates the same words as Cadastre's, whatever its version of Unicode.
///
/// Other scalars are encoded as `z`, their number in hexadecimal, and `y`; `z` is encoded as `zz`. The
/// encoding preserves prefixes.
enum TextIndexForm {
  /// Returns the encoded words of a text, separated by spaces; nil where it has none.
  static func words(of text: String) -> String? {
    let words = TextTokens.words(of: text)
    return words.isEmpty ? nil : words.map(word).joined(separator: " ")
  }

  /// Returns an encoded word.
  static func word(_ word: String) -> String {
    var form = ""
    for scalar in word.unicodeScalars {
      if scalar == "z" {
        form += "zz"
      } else if scalar.isASCII {
        form.unicodeScalars.append(scalar)
      } else {
        form += "z\(String(scalar.value, radix: 16))y"
      }
    }
    return form
  }

  /// Returns the FTS5 expression of a search; nil where no word is required, which FTS5 does not support.
  static func expression(including: [TextTerm], excluding: [TextTerm]) -> String? {
    guard !including.isEmpty else { return nil }
    let wanted = including.map(term).joined(separator: " AND ")
    guard !excluding.isEmpty else { return wanted }
    return "(\(wanted)) NOT (\(excluding.map(term).joined(separator: " OR ")))"
  }

  private static func term(_ term: TextTerm) -> String {
    "\"\(word(term.word))\"" + (term.isPrefix ? "*" : "")
  }
}
