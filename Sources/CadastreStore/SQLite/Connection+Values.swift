package import CadastreModel
package import CadastreSQLite

extension Connection {
  /// Runs a statement with values for its placeholders and ignores its rows.
  package func run(_ sql: String, _ values: Value...) throws(StoreError) {
    try bound(sql, values).run()
  }

  /// Returns the first column of the first row as an integer; nil without a row, or where it is null.
  package func integer(_ sql: String, _ values: Value...) throws(StoreError) -> Int64? {
    try firstInteger(of: try bound(sql, values))
  }

  /// Returns the first column of the first row as text; nil without a row, or where it is null.
  package func text(_ sql: String, _ values: Value...) throws(StoreError) -> String? {
    try firstText(of: try bound(sql, values))
  }

  private func bound(_ sql: String, _ values: [Value]) throws(StoreError) -> Statement {
    let statement = try statement(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    return statement
  }
}
