import CPostgreSQL
import CadastreFormatting

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
    guard let result, let state = Self.field(cadastre_pg_diag_sqlstate, result) else {
      let message = Self.oneLine(String(cString: PQerrorMessage(handle)))
      self.init(.connection, operation, message)
      return
    }
    let kind: Kind =
      switch state {
      case "57014": wasCancelled ? .cancelled : .timeout
      case "57P01", "57P02", "57P03": .connection
      default: state.hasPrefix("08") ? .connection : .statement
      }
    self.init(kind, sqlState: state, operation, Self.message(result))
  }

  /// The text of a notice: its severity and its message.
  static func text(ofNotice notice: OpaquePointer) -> String {
    let severity = field(cadastre_pg_diag_severity, notice) ?? "NOTICE"
    return oneLine(severity) + ": " + message(notice)
  }

  private static func field(_ code: Int32, _ result: OpaquePointer) -> String? {
    PQresultErrorField(result, code).map { String(cString: $0) }
  }

  /// The message of an error or a notice, with its details.
  private static func message(_ result: OpaquePointer) -> String {
    let parts = [cadastre_pg_diag_message_primary, cadastre_pg_diag_message_detail]
    return oneLine(parts.compactMap { field($0, result) }.joined(separator: "; "))
  }

  /// A message of a server or of libpq without line breaks and other control characters.
  static func oneLine(_ message: String) -> String {
    printable(message.split(whereSeparator: \.isWhitespace).joined(separator: " "))
  }
}
