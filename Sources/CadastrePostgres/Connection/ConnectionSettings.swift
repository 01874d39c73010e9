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
