import CPostgreSQL

/// The timeouts and the notice handler of a connection.
package struct ConnectionSettings: Sendable {
  /// The maximum duration of a statement; nil for the server's setting.
  package var statementTimeout: Duration?
  /// The maximum time without traffic while the client waits for the server; nil for no limit.
  package var replyTimeout: Duration?
  /// The maximum time without traffic after a statement was cancelled.
  package var cancelTimeout: Duration
  /// Receives the notices of the server, each on one line without control characters; nil to drop them.
  package var noticeHandler: (@Sendable (String) -> Void)?

  /// The default of ``replyTimeout``; the server sends nothing before a long statement, such as the build of an
  /// index, ends.
  package static let defaultReplyTimeout = Duration.seconds(3600)

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - statementTimeout: The maximum duration of a statement; nil for the server's setting.
  ///   - replyTimeout: The maximum time without traffic while the client waits; nil for no limit.
  ///   - cancelTimeout: The maximum time without traffic after a statement was cancelled; nil for the
  ///     minimum of ten seconds and the reply timeout.
  ///   - noticeHandler: Receives the notices of the server; nil to drop them.
  package init(
    statementTimeout: Duration? = nil,
    replyTimeout: Duration? = ConnectionSettings.defaultReplyTimeout,
    cancelTimeout: Duration? = nil,
    noticeHandler: (@Sendable (String) -> Void)? = nil
  ) {
    self.statementTimeout = statementTimeout
    self.replyTimeout = replyTimeout
    self.cancelTimeout = cancelTimeout ?? min(.seconds(10), replyTimeout ?? .seconds(10))
    self.noticeHandler = noticeHandler
  }

  /// The effective maximum time without traffic; nil for no limit.
  ///
  /// A statement timeout limits the time too, because the server ends the statement then.
  var silenceLimit: Duration? {
    [replyTimeout, statementTimeout.map { $0 + cancelTimeout }].compactMap { $0 }.min()
  }

  /// The maximum time without traffic for statements of a few milliseconds.
  var shortSilenceLimit: Duration { min(silenceLimit ?? .seconds(30), .seconds(30)) }
}

/// The options of a connection address.
struct ConnectionOptions: Sendable {
  /// The values by the keywords of libpq.
  let values: [String: String]

  /// The default options: the time in which each server must accept a connection, and keepalives that detect a
  /// failed peer or network within three minutes.
  ///
  /// The system of a stopped peer process still acknowledges packets; see ``ConnectionSettings/replyTimeout``. On
  /// systems with `tcp_user_timeout`, a peer that accepts no bytes for that time also ends the connection.
  static let defaults = [
    "connect_timeout": "10", "keepalives_idle": "60", "keepalives_interval": "20",
    "keepalives_count": "6", "tcp_user_timeout": "180000",
  ]

  /// Parses an address; the first call loads libpq.
  ///
  /// - Throws: ``PostgresError`` if the address is invalid; the message does not quote the address, which may
  ///   contain a password.
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
    // With an unescaped `@` or `:` in a password, host or port are a part of the password, which libpq quotes.
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
