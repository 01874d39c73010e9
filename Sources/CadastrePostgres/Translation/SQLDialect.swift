package import CadastreModel
package import CadastrePredicate
import Foundation

/// A database engine for which a query is translated to SQL text.
///
/// The text begins with comments about possible differences from the result of the library.
package enum SQLDialect: String, CaseIterable, Sendable {
  /// DuckDB with the extension spatial, over an exported Parquet file.
  case duckdb
  /// SedonaDB, over an exported Parquet file.
  case sedona
  /// PostgreSQL with PostGIS, over the table of a pushed class.
  case postgis

  /// Returns the statement that selects the objects of a query.
  ///
  /// - Parameters:
  ///   - query: The query, without order, limit and offset.
  ///   - schema: The schema of the store.
  ///   - file: The path of the Parquet file; ignored for PostGIS.
  /// - Returns: The statement after its comments.
  /// - Throws: ``UntranslatablePart`` for a part without the same meaning in SQL, or ``PostgresMappingError`` for
  ///   a class that a table cannot represent.
  package func statement(
    _ query: BoundQuery, _ schema: Schema, file: String
  ) throws -> String {
    let (text, notes): (String, [String])
    switch self {
    case .postgis:
      var translator = SQLTranslator(try RemoteClasses(schema))
      let statement = try translator.statement(query, .rows)
      text = statement.literalText
      notes = translator.borders.isEmpty ? [] : [Self.postgisBorders]
    case .duckdb, .sedona:
      var translator = try FileTranslator(self, schema, query.className)
      let condition = try translator.condition(query.predicate)
      let source = "\(FileTranslator.literal(file)) \(FileTranslator.alias)"
      text = "SELECT * FROM \(source) WHERE \(condition)"
      notes = translator.notes
    }
    return notes.map { "-- \($0)\n" }.joined() + text + ";\n"
  }

  private static let postgisBorders =
    "ST_Covers may differ for points within a micrometre of the border of a region; "
    + "queries of Cadastre on the database correct these points."
}

extension SQLStatement {
  /// The text with literals instead of parameters.
  var literalText: String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstIndex(where: { "\"'$".contains($0) }) {
      result += rest[..<start]
      if rest[start] == "$" {
        let digits = rest[rest.index(after: start)...].prefix { $0.isASCII && $0.isNumber }
        result += Self.literal(parameters[(Int(digits) ?? 1) - 1])
        rest = rest[digits.endIndex...]
      } else {
        // Copies a quoted name or literal; a doubled quote appears as two adjacent ones.
        let end = rest[rest.index(after: start)...].firstIndex(of: rest[start]) ?? rest.endIndex
        let next = end < rest.endIndex ? rest.index(after: end) : end
        result += rest[start..<next]
        rest = rest[next...]
      }
    }
    return result + rest
  }

  /// Returns a value as a literal; the text has a cast to its type.
  private static func literal(_ value: PostgresValue) -> String {
    switch value {
    case .null: "NULL"
    case .array(_, let elements):
      elements.isEmpty ? "'{}'" : "ARRAY[" + elements.map(literal).joined(separator: ", ") + "]"
    case .text(let text): literal(text)
    default: "'\(content(value))'"
    }
  }

  /// Returns the text of a value whose text contains no quotes.
  private static func content(_ value: PostgresValue) -> String {
    switch value {
    case .bool(let value): "\(value)"
    case .int4(let value): "\(value)"
    case .int8(let value): "\(value)"
    case .float4(let value): number(Double(value), "\(value)")
    case .float8(let value): number(value, "\(value)")
    case .uuid(let value): value.uuidString.lowercased()
    case .numeric(let value): value.text
    case .bytea(let data): "\\x" + hexadecimal(data)
    case .spatial(let bytes): hexadecimal(bytes)
    case .null, .text, .array: ""
    }
  }

  /// Returns the text of a number for PostgreSQL.
  private static func number(_ value: Double, _ text: String) -> String {
    value.isNaN ? "NaN" : value.isInfinite ? (value < 0 ? "-Infinity" : "Infinity") : text
  }

  /// Returns bytes as hexadecimal digits.
  static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
