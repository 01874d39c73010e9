import CPostgreSQL

/// What a connection does beside its address: how long it waits, and where notices go.
package struct ConnectionSettings: Sendable {
  /// The maximum duration of a statement; nil for the server's setting.
  package var statementTimeout: Duration?
  /// How long the server may send and take nothing while the client waits for it; nil for any time.
  package var replyTimeout: Duration?
  /// How long the server may send and take nothing after a statement was cancelled.
  package var cancelTimeout: Duration
  /// Receives the notices of the server, each on one line without control characters; nil to drop them.
  package var noticeHandler: (@Sendable (String) -> Void)?

  /// The default of ``replyTimeout``: a long statement, such as one that builds an index, sends nothing
  /// until it ends.
  package static let usualReplyTimeout = Duration.seconds(3600)

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - statementTimeout: The maximum duration of a statement; nil for the server's setting.
  ///   - replyTimeout: How long the server may be silent while the client waits; nil for any time.
  ///   - cancelTimeout: How long the server may be silent after a statement was cancelled; nil for ten
  ///     seconds, or the reply timeout if it is shorter.
  ///   - noticeHandler: Receives the notices of the server; nil to drop them.
  package init(
    statementTimeout: Duration? = nil,
    replyTimeout: Duration? = ConnectionSettings.usualReplyTimeout,
    cancelTimeout: Duration? = nil,
    noticeHandler: (@Sendable (String) -> Void)? = nil
  ) {
    self.statementTimeout = statementTimeout
    self.replyTimeout = replyTimeout
    self.cancelTimeout = cancelTimeout ?? min(.seconds(10), replyTimeout ?? .seconds(10))
    self.noticeHandler = noticeHandler
  }

  /// How long the client waits for a server that sends and takes nothing; nil for any time.
  ///
  /// The server ends a statement at its timeout, so a server that does not is silent too.
  var silenceLimit: Duration? {
    [replyTimeout, statementTimeout.map { $0 + cancelTimeout }].compactMap { $0 }.min()
  }

  /// How long the client waits for the answer to a statement that takes no time.
  var shortSilenceLimit: Duration { min(silenceLimit ?? .seconds(30), .seconds(30)) }
}

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
