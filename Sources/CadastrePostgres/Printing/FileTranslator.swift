import CadastreModel
import CadastrePredicate

/// Translates bound predicates to SQL over an exported Parquet file.
///
/// Conditions may be null in SQL where they are false here, as in ``SQLTranslator``.
struct FileTranslator {
  /// The alias of the file.
  static let alias = "t"

  let dialect: SQLDialect
  let schema: Schema
  /// The name of the column of the geometry, and whether it holds points; nil if there is none.
  let geometry: (property: String, isPoint: Bool)?
  /// How the result may differ.
  private(set) var notes: [String] = []
  private var aliasCount = 0

  /// Creates a translator for the objects of a class.
  ///
  /// - Throws: ``UntranslatablePart`` if the store has no such class.
  init(_ dialect: SQLDialect, _ schema: Schema, _ className: String) throws(UntranslatablePart) {
    self.dialect = dialect
    self.schema = schema
    guard let root = schema[className] else {
      throw UntranslatablePart(
        part: className, reason: "there is no such class", engine: Self.name(dialect))
    }
    // The same choice as that of the export.
    let shape = root.properties.first { $0.type == .geometry && $0.collection == nil }
    let place = shape ?? root.properties.first(where: schema.isPoint)
    geometry = place.map { ($0.name, shape == nil) }
  }

  /// The name of the engine.
  static func name(_ dialect: SQLDialect) -> String {
    switch dialect {
    case .duckdb: "DuckDB"
    case .sedona: "SedonaDB"
    case .postgis: "PostgreSQL"
    }
  }

  mutating func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

  mutating func newAlias() -> String {
    aliasCount += 1
    return "u\(aliasCount)"
  }

  func refused(_ part: some CustomStringConvertible, _ reason: String) -> UntranslatablePart {
    UntranslatablePart(part: "\(part)", reason: reason, engine: Self.name(dialect))
  }

  // MARK: Literals

  /// Returns a text as a literal.
  static func literal(_ text: String) -> String {
    "'" + text.replacing("'", with: "''") + "'"
  }

  /// Returns an integer as a literal.
  static func literal(_ number: Int64) -> String { "CAST('\(number)' AS BIGINT)" }

  /// Returns a floating-point number as a literal.
  static func literal(_ number: Double) -> String {
    let text = number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    return "CAST('\(text)' AS DOUBLE)"
  }
}
