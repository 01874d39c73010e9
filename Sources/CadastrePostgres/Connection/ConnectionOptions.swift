import CPostgreSQL

/// The options of a connection that an address names.
struct ConnectionOptions: Sendable {
  /// The values by the keywords of libpq.
  let values: [String: String]

  /// The options that an address may replace: how long each of its servers may take to accept a connection, and
  /// how a peer or network that is gone is noticed within three minutes.
  ///
  /// A stopped program on the other side still acknowledges, see ``ConnectionSettings/replyTimeout``. Where the
  /// system has `tcp_user_timeout`, it also ends a connection whose peer takes no bytes for that time.
  static let usual = [
    "connect_timeout": "10", "keepalives_idle": "60", "keepalives_interval": "20",
    "keepalives_count": "6", "tcp_user_timeout": "180000",
  ]

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
    // A host or port like these is the rest of a password, which libpq would quote in its message.
    let hosts = values["host", default: ""].split(separator: ",")
    let ports = values["port", default: ""].split(separator: ",")
    guard !hosts.contains(where: { $0.dropFirst().contains("@") }),
      ports.allSatisfy({ UInt16($0.filter { $0 != " " }) != nil })
    else {
      throw PostgresError(
        .invalidAddress, "reading the address",
        "its host or port is none; characters such as @, / and : in a user or password of a URL are "
          + "written as %40, %2F and %3A")
    }
    self.values = values
  }
}
