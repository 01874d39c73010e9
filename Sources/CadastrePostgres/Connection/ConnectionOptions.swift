import CPostgreSQL

/// The options of a connection that an address names.
struct ConnectionOptions: Sendable {
  /// The values by the keywords of libpq.
  let values: [String: String]

  /// Reads an address; libpq is loaded already when one connection was opened.
  ///
  /// - Throws: ``PostgresError`` if the address cannot be read; it does not contain the address,
  ///   which may have a password.
  init(_ address: String) throws(PostgresError) {
    if let message = cadastre_pg_load() {
      throw PostgresError(.connection, "loading libpq", String(cString: message))
    }
    guard let options = PQconninfoParse(address, nil) else {
      throw PostgresError(
        .invalidAddress, "reading the address",
        "expected a URL such as postgresql://user@host:5432/database or a connection string")
    }
    defer { PQconninfoFree(options) }
    var values: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        values[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    self.values = values
  }
}
