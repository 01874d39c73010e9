package import CadastreModel
package import CadastrePredicate

/// The SQL of a database engine, as text that a user runs there.
///
/// The text begins with comments that say how the result may differ from that of the library.
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
  ///   - file: The path of the Parquet file; it is not used for PostGIS.
  /// - Returns: The statement, with comments before it.
  /// - Throws: ``UntranslatablePart`` for a part without the same meaning in SQL, or ``PostgresMappingError`` for
  ///   a class that has no form as a table.
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
