import CPostgreSQL

extension PostgresError {
  /// The error in a result of libpq, or in its connection if the server sent no error code.
  ///
  /// - Parameters:
  ///   - result: The result; nil if libpq ran out of memory or lost the connection.
  ///   - handle: The connection.
  ///   - operation: The operation that failed.
  ///   - wasCancelled: Whether this process sent a cancel request, which the server reports by the
  ///     same code as a timeout.
  init(
    _ result: OpaquePointer?, _ handle: OpaquePointer, _ operation: String, wasCancelled: Bool
  ) {
    func field(_ code: Int32) -> String? {
      result.flatMap { PQresultErrorField($0, code) }.map { String(cString: $0) }
    }
    guard let state = field(cadastre_pg_diag_sqlstate) else {
      let message = Self.oneLine(String(cString: PQerrorMessage(handle)))
      self.init(.connection, operation, message)
      return
    }
    let message = [
      field(cadastre_pg_diag_message_primary), field(cadastre_pg_diag_message_detail),
    ].compactMap { $0 }.joined(separator: "; ")
    let kind: Kind =
      switch state {
      case "57014": wasCancelled ? .cancelled : .timeout
      case "57P01", "57P02", "57P03": .connection
      default: state.hasPrefix("08") ? .connection : .statement
      }
    self.init(kind, sqlState: state, operation, Self.oneLine(message))
  }

  /// A message without line breaks.
  static func oneLine(_ message: String) -> String {
    message.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
